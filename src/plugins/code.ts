/** Finds the exports of plugin code in its syntax tree. The code is never executed. */
import { parse } from '@babel/parser'
import type * as ast from '@babel/types'
import { transpileBrowserFile } from './browser-code.ts'

export interface Capabilities {
  methods: string[]
  jobs: string[]
  scheduled_tasks: string[]
}

export interface Inspection {
  /** Empty when there is no main file or it does not parse. */
  capabilities: Capabilities | Record<string, never>
  /** File name to syntax error. */
  errors: Record<string, string>
  /** File name to JavaScript, for the files that run in a browser. */
  transpiled: Record<string, string>
}

const MAIN = 'index.ts'
const METHODS = ['setupPlugin', 'teardownPlugin', 'getSettings', 'processEvent', 'onEvent', 'composeWebhook']
const SCHEDULED = /^runEvery/

export function inspectCode(files: Record<string, string>): Inspection {
  const errors: [string, string][] = []
  const transpiled: [string, string][] = []
  let capabilities: Inspection['capabilities'] = {}
  for (const [name, text] of Object.entries(files)) {
    if (!/\.[jt]sx?$/.test(name)) continue
    try {
      const program = programOf(name, text)
      if (name === MAIN) capabilities = capabilitiesOf(program)
      const script = transpileBrowserFile(name, text)
      if (script !== undefined) transpiled.push([name, script])
    } catch (error) {
      errors.push([name, describeFailure(error)])
    }
  }
  return { capabilities, errors: Object.fromEntries(errors), transpiled: Object.fromEntries(transpiled) }
}

type Program = ast.Program

/** `<T>x` of TypeScript and JSX exclude each other. The main file is named index.ts even when it contains JSX. */
function programOf(name: string, text: string): Program {
  const variants = /x$/.test(name) ? [true] : [false, true]
  let first: unknown
  for (const jsx of variants)
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

interface ParseError extends Error {
  loc?: { line: number; column: number }
}

function describeFailure(error: unknown): string {
  if (error instanceof RangeError) return 'The code is nested too deeply.'
  const { message, loc }: ParseError = error instanceof Error ? error : new Error(String(error))
  const reason = message.replace(/ ?\(\d+:\d+\)$/, '').slice(0, 300)
  return loc ? `Line ${loc.line}, column ${loc.column + 1}: ${reason}` : reason
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

/** Maps each export to its expression; null when it is defined elsewhere. */
function exportsOf(program: Program): Map<string, ast.Node | null> {
  const declared = new Map<string, ast.Node>()
  for (const statement of program.body) {
    const declaration =
      statement.type === 'ExportNamedDeclaration' && statement.declaration ? statement.declaration : statement
    for (const [name, value] of declarationsIn(declaration)) declared.set(name, value)
  }
  const definitionOf = (node: ast.Node | null | undefined): ast.Node | null => {
    const value = unwrap(node)
    return value?.type === 'Identifier' ? unwrap(declared.get(value.name) ?? value) : value
  }

  const found = new Map<string, ast.Node | null>()
  const addMembers = (node: ast.Node | null): void => {
    const object = definitionOf(node)
    if (object?.type === 'ObjectExpression')
      for (const [key, value] of membersOf(object)) found.set(key, definitionOf(value))
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
        for (const [name, value] of declarationsIn(statement.declaration)) found.set(name, definitionOf(value))
      for (const specifier of statement.specifiers)
        if (specifier.type === 'ExportSpecifier' && specifier.exportKind !== 'type')
          found.set(nameOf(specifier.exported), statement.source ? null : definitionOf(specifier.local))
    }
    if (statement.type === 'ExportDefaultDeclaration') addMembers(statement.declaration)
    if (statement.type === 'TSExportAssignment') addMembers(statement.expression)
    if (statement.type === 'ExpressionStatement') readExpression(statement.expression)
  }
  return found

  /** Handles `exports.a = …`, `module.exports = {…}` and the code that compilers generate for them. */
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
        else found.set(name, definitionOf(value))
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
        [...membersOf(second)].map(([key, getter]) => [key, definitionOf(returnedBy(getter))]),
      )
    if (!isExports(target)) return
    if (callee === 'assign') addMembers(second)
    if (callee === '__exportStar' || callee === '__export') addMembers(second)
    if (callee === 'defineProperty' && second.type === 'StringLiteral') {
      const descriptor = third?.type === 'ObjectExpression' ? membersOf(third) : new Map<string, ast.Node>()
      const value = descriptor.get('value') ?? returnedBy(descriptor.get('get') ?? null)
      if (second.value !== '__esModule') found.set(second.value, definitionOf(value))
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

/** Removes the TypeScript syntax around a value. */
function unwrap(node: ast.Node | null | undefined): ast.Node | null {
  let inner = node
  while (
    inner?.type === 'TSAsExpression' ||
    inner?.type === 'TSSatisfiesExpression' ||
    inner?.type === 'TSTypeAssertion' ||
    inner?.type === 'TSNonNullExpression' ||
    inner?.type === 'ParenthesizedExpression'
  )
    inner = inner.expression
  return inner ?? null
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

/** The value of `() => value` and `function () { return value }`. */
function returnedBy(node: ast.Node | null): ast.Node | null {
  if (node?.type !== 'ArrowFunctionExpression' && node?.type !== 'FunctionExpression' && node?.type !== 'ObjectMethod')
    return null
  if (node.body.type !== 'BlockStatement') return node.body
  const last = node.body.body.at(-1)
  return last?.type === 'ReturnStatement' ? (last.argument ?? null) : null
}

function nameOf(node: ast.Identifier | ast.StringLiteral): string
function nameOf(node: ast.Node): string | undefined
function nameOf(node: ast.Node): string | undefined {
  return node.type === 'Identifier' ? node.name : node.type === 'StringLiteral' ? node.value : undefined
}

const keysOf = (node: ast.Node | null | undefined): string[] =>
  node?.type === 'ObjectExpression' ? [...membersOf(node).keys()] : []

/** Values that cannot be called. Compilers declare exports with `exports.onEvent = void 0`. */
const isPlainValue = (node: ast.Node | null | undefined): boolean =>
  node?.type === 'UnaryExpression' || (node != null && /Literal$/.test(node.type)) || node?.type === 'ObjectExpression'
