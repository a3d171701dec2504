/** What code offers, found by reading it. Nothing is run. */
import { parse } from '@babel/parser'
import type * as ast from '@babel/types'

export interface Capabilities {
  methods: string[]
  jobs: string[]
  scheduled_tasks: string[]
}

export interface Inspection {
  /** Empty where there is no main code, or where it does not parse. */
  capabilities: Capabilities | Record<string, never>
  /** From file name to what is wrong with it. */
  errors: Record<string, string>
}

const MAIN = 'index.ts'
const METHODS = ['setupPlugin', 'teardownPlugin', 'getSettings', 'processEvent', 'onEvent', 'composeWebhook']
const SCHEDULED = /^runEvery/

export function inspectCode(files: Record<string, string>): Inspection {
  const errors: [string, string][] = []
  let capabilities: Inspection['capabilities'] = {}
  for (const [name, text] of Object.entries(files)) {
    if (!/\.[jt]sx?$/.test(name)) continue
    try {
      const program = programOf(name, text)
      if (name === MAIN) capabilities = capabilitiesOf(program)
    } catch (error) {
      errors.push([name, sentenceOf(error)])
    }
  }
  return { capabilities, errors: Object.fromEntries(errors) }
}

type Program = ast.Program

/** TypeScript's `<T>x` and JSX exclude each other, and the main code is called index.ts whatever it was. */
function programOf(name: string, text: string): Program {
  const dialects = /x$/.test(name) ? [true] : [false, true]
  let first: unknown
  for (const jsx of dialects)
    try {
      return parse(text, {
        sourceType: 'unambiguous',
        allowReturnOutsideFunction: true,
        plugins: ['typescript', 'decorators-legacy', ...(jsx ? (['jsx'] as const) : [])],
      }).program
    } catch (error) {
      first ??= error
    }
  throw first
}

function sentenceOf(error: unknown): string {
  const { message, loc } = error as { message: string; loc?: { line: number; column: number } }
  if (error instanceof RangeError) return 'The code is nested too deeply to be read.'
  const words = message.replace(/ ?\(\d+:\d+\)$/, '').slice(0, 300)
  return loc ? `Line ${loc.line}, column ${loc.column + 1}: ${words}` : words
}

function capabilitiesOf(program: Program): Capabilities {
  const exported = exportsOf(program)
  const names = [...exported.keys()].filter((name) => !isPlainValue(exported.get(name)))
  return {
    methods: METHODS.filter((method) => names.includes(method)),
    jobs: keysOf(exported.get('jobs')),
    scheduled_tasks: names.filter((name) => SCHEDULED.test(name)),
  }
}

/** What is exported, from name to the expression behind it; null where that is not in sight. */
function exportsOf(program: Program): Map<string, ast.Node | null> {
  const declared = new Map<string, ast.Node>()
  for (const statement of program.body) {
    const declaration =
      statement.type === 'ExportNamedDeclaration' && statement.declaration ? statement.declaration : statement
    for (const [name, value] of declarationsIn(declaration)) declared.set(name, value)
  }
  const behind = (node: ast.Node | null | undefined): ast.Node | null => {
    const value = unwrapped(node)
    return value?.type === 'Identifier' ? unwrapped(declared.get(value.name) ?? value) : value
  }

  const found = new Map<string, ast.Node | null>()
  const addMembers = (node: ast.Node | null): void => {
    const object = behind(node)
    if (object?.type === 'ObjectExpression') for (const [key, value] of membersOf(object)) found.set(key, behind(value))
    // esbuild writes module.exports = __toCommonJS(index_exports).
    if (object?.type === 'CallExpression') for (const argument of object.arguments) addGetters(argument)
  }
  const addGetters = (node: ast.Node): void => {
    if (node.type === 'Identifier') for (const [key, value] of getters.get(node.name) ?? []) found.set(key, value)
  }
  const getters = new Map<string, [string, ast.Node | null][]>()

  for (const statement of program.body) {
    if (statement.type === 'ExportNamedDeclaration' && statement.exportKind !== 'type') {
      if (statement.declaration)
        for (const [name, value] of declarationsIn(statement.declaration)) found.set(name, behind(value))
      for (const specifier of statement.specifiers)
        if (specifier.type === 'ExportSpecifier' && specifier.exportKind !== 'type')
          found.set(nameOf(specifier.exported)!, statement.source ? null : behind(specifier.local))
    }
    if (statement.type === 'ExportDefaultDeclaration') addMembers(statement.declaration)
    if (statement.type === 'TSExportAssignment') addMembers(statement.expression)
    if (statement.type === 'ExpressionStatement') readExpression(statement.expression)
  }
  return found

  /** exports.a = …, module.exports = {…}, and what compilers write for them. */
  function readExpression(expression: ast.Expression): void {
    if (expression.type === 'AssignmentExpression') {
      const names: string[] = []
      let value: ast.Expression = expression
      // exports.a = exports.b = void 0
      while (value.type === 'AssignmentExpression') {
        const { left } = value
        if (isExports(left)) addMembers(value.right)
        else if (left.type === 'MemberExpression' && isExports(left.object)) names.push(nameOf(left.property) ?? '')
        value = value.right
      }
      for (const name of names) {
        if (name === 'default') addMembers(value)
        else found.set(name, behind(value))
      }
    }
    if (expression.type === 'SequenceExpression') expression.expressions.forEach(readExpression)
    if (expression.type !== 'CallExpression') return
    const [target, second, third] = expression.arguments
    if (!target || !second) return
    const callee = nameOf(
      expression.callee.type === 'MemberExpression' ? expression.callee.property : expression.callee,
    )
    if (callee === '__export' && target.type === 'Identifier' && second.type === 'ObjectExpression')
      getters.set(
        target.name,
        [...membersOf(second)].map(([key, getter]) => [key, behind(returnedBy(getter))]),
      )
    if (!isExports(target)) return
    if (callee === 'assign') addMembers(second)
    if (callee === '__exportStar' || callee === '__export') addMembers(second)
    if (callee === 'defineProperty' && second.type === 'StringLiteral') {
      const descriptor = third?.type === 'ObjectExpression' ? membersOf(third) : new Map<string, ast.Node>()
      const value = descriptor.get('value') ?? returnedBy(descriptor.get('get') ?? null)
      if (second.value !== '__esModule') found.set(second.value, behind(value))
    }
  }
}

/** `module.exports` or `exports`. */
const isExports = (node: ast.Node): boolean =>
  (node.type === 'Identifier' && node.name === 'exports') ||
  (node.type === 'MemberExpression' &&
    node.object.type === 'Identifier' &&
    node.object.name === 'module' &&
    nameOf(node.property) === 'exports')

function* declarationsIn(node: ast.Node): Generator<[string, ast.Node]> {
  if ((node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') && node.id) yield [node.id.name, node]
  if (node.type === 'VariableDeclaration' && !node.declare)
    for (const { id, init } of node.declarations) if (id.type === 'Identifier') yield [id.name, init ?? id]
}

/** Without what TypeScript wraps around a value. */
function unwrapped(node: ast.Node | null | undefined): ast.Node | null {
  let at = node
  while (
    at?.type === 'TSAsExpression' ||
    at?.type === 'TSSatisfiesExpression' ||
    at?.type === 'TSTypeAssertion' ||
    at?.type === 'TSNonNullExpression' ||
    at?.type === 'ParenthesizedExpression'
  )
    at = at.expression
  return at ?? null
}

function membersOf(object: ast.ObjectExpression): Map<string, ast.Node> {
  const members = new Map<string, ast.Node>()
  for (const property of object.properties) {
    if (property.type === 'SpreadElement' || (property.computed && property.key.type !== 'StringLiteral')) continue
    const name = nameOf(property.key)
    if (name !== undefined) members.set(name, property.type === 'ObjectProperty' ? property.value : property)
  }
  return members
}

/** Of `() => value` and `function () { return value }`. */
function returnedBy(node: ast.Node | null): ast.Node | null {
  if (node?.type !== 'ArrowFunctionExpression' && node?.type !== 'FunctionExpression' && node?.type !== 'ObjectMethod')
    return null
  if (node.body.type !== 'BlockStatement') return node.body
  const last = node.body.body.at(-1)
  return last?.type === 'ReturnStatement' ? (last.argument ?? null) : null
}

const nameOf = (node: ast.Node): string | undefined =>
  node.type === 'Identifier' ? node.name : node.type === 'StringLiteral' ? node.value : undefined

const keysOf = (node: ast.Node | null | undefined): string[] =>
  node?.type === 'ObjectExpression' ? [...membersOf(node).keys()] : []

/** Nothing that could be called: `exports.onEvent = void 0` only makes room. */
const isPlainValue = (node: ast.Node | null | undefined): boolean =>
  node?.type === 'UnaryExpression' || (node != null && /Literal$/.test(node.type)) || node?.type === 'ObjectExpression'
