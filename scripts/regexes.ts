/**
 * Checks every regular expression in src/ and every `pattern` of the contract for backtracking: matching must be
 * linear in the length of the text. Patterns are found in the syntax tree. A pattern concatenated from constants is checked as a
 * whole. Exceptions are listed below, each with its reason.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import ts from 'typescript'

// The pure JavaScript backend needs neither Java nor a native binary.
process.env.RECHECK_BACKEND = 'pure'
const { checkSync } = await import('recheck')

/** A fixed seed and no short timeouts give the same verdict on every machine. */
const OPTIONS = { timeout: 120_000, randomSeed: 1, attackTimeout: null, incubationTimeout: null }
/** Caches patterns found safe. Checking all of them takes half a minute. */
const KNOWN = '.tap/regexes.json'

/** Exceptions: file, expression and the reason why it cannot block the process. */
const EXCEPTIONS: [file: string, expression: string, reason: string][] = [
  ['src/cli/keys.ts', "new RegExp(SINGLE_LINE, 'u')", 'a pattern of the contract, which is checked there'],
  ['src/plugins/manifest.ts', 'pattern: SINGLE_LINE', 'a pattern of the contract, which is checked there'],
  [
    'src/plugins/runtime/library/structured-clone.ts',
    'new RegExp(value)',
    'runs in the sandbox, which has a time limit',
  ],
  ['src/plugins/runtime/library/webhooks.ts', 'new RegExp(asText(one))', 'runs in the sandbox, which has a time limit'],
  ['src/cli/users.ts', "new RegExp(SINGLE_LINE, 'u')", 'a pattern of the contract, which is checked there'],
]

interface Found {
  place: string
  file: string
  /** As written in the source. */
  expression: string
  /** Undefined where it is not constant. */
  pattern: { source: string; flags: string } | undefined
}

const files = new Map(
  ts.sys
    .readDirectory('src', ['.ts'])
    .map((path) => [
      normalize(path),
      ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true),
    ]),
)

/** The value of a constant text; undefined where it is not constant. */
function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return textOf(node.expression)
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map(({ expression, literal }) => [textOf(expression), literal.text])
    return parts.some(([value]) => value === undefined) ? undefined : node.head.text + parts.flat().join('')
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left), textOf(node.right)]
    return left === undefined || right === undefined ? undefined : left + right
  }
  if (ts.isIdentifier(node)) {
    const initializer = constantOf(node.getSourceFile(), node.text)
    return initializer && textOf(initializer)
  }
  return undefined
}

/** The initializer of a top-level or imported constant. */
function constantOf(file: ts.SourceFile, name: string): ts.Expression | undefined {
  for (const statement of file.statements) {
    if (ts.isVariableStatement(statement) && statement.declarationList.flags & ts.NodeFlags.Const)
      for (const declaration of statement.declarationList.declarations)
        if (ts.isIdentifier(declaration.name) && declaration.name.text === name) return declaration.initializer
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue
    const bindings = statement.importClause?.namedBindings
    const imported =
      bindings && ts.isNamedImports(bindings) ? bindings.elements.find((item) => item.name.text === name) : undefined
    const target = files.get(normalize(join(dirname(file.fileName), statement.moduleSpecifier.text)))
    if (imported && target) return constantOf(target, (imported.propertyName ?? imported.name).text)
  }
  return undefined
}

function patternOf(node: ts.Node): Found['pattern'] | null {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf('/')
    return { source: node.text.slice(1, end), flags: node.text.slice(end + 1) }
  }
  // A schema's pattern, which the validator compiles.
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'pattern') {
    const source = textOf(node.initializer)
    return source === undefined ? undefined : { source, flags: 'u' }
  }
  const isCall = ts.isNewExpression(node) || ts.isCallExpression(node)
  if (!isCall || !ts.isIdentifier(node.expression) || node.expression.text !== 'RegExp') return null
  const [text, flags] = node.arguments ?? []
  const [source, sourceFlags] = [text && textOf(text), flags ? textOf(flags) : '']
  return source === undefined || sourceFlags === undefined ? undefined : { source, flags: sourceFlags }
}

const found: Found[] = []

function visit(file: ts.SourceFile, node: ts.Node): void {
  const pattern = patternOf(node)
  if (pattern !== null) {
    const place = `${file.fileName}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
    found.push({ place, file: file.fileName, expression: node.getText(), pattern })
  }
  ts.forEachChild(node, (child) => visit(file, child))
}
for (const file of files.values()) visit(file, file)

/** The validator compiles these with the flag `u`. */
function visitContract(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const { pattern } = value as { pattern?: unknown }
  const file = 'src/contract/openapi.json'
  if (typeof pattern === 'string')
    found.push({ place: file, file, expression: pattern, pattern: { source: pattern, flags: 'u' } })
  Object.values(value).forEach(visitContract)
}
visitContract(JSON.parse(readFileSync('src/contract/openapi.json', 'utf8')))

const safe = new Set<string>(existsSync(KNOWN) ? JSON.parse(readFileSync(KNOWN, 'utf8')) : [])

/** A pattern without unbounded repetition and without repeated groups reads a fixed number of characters. */
function isBounded(source: string): boolean {
  const plain = source.replace(/\\./gs, 'x').replace(/\[[^\]]*\]/g, 'x')
  return !/[*+]|\{\d+,\}|\)\{/.test(plain)
}

/** The problem of a pattern; undefined when it is safe. */
function flawOf({ source, flags }: { source: string; flags: string }): string | undefined {
  // A sticky pattern is checked without `y`, because a scanner may try it at every position.
  const searching = flags.replace('y', '')
  const key = `/${source}/${searching}`
  if (isBounded(source) || safe.has(key)) return undefined
  const result = checkSync(source, searching, OPTIONS)
  if (result.status === 'vulnerable')
    return `takes ${result.complexity.summary} time, for example on ${result.attack.pattern}`
  if (result.status === 'unknown') return `cannot be checked (${result.error.kind})`
  safe.add(key)
  return undefined
}

const problems: string[] = []
const unused = new Set(EXCEPTIONS)
for (const { place, file, expression, pattern } of found) {
  const exception = EXCEPTIONS.find(([where, what]) => where === file && what === expression)
  const flaw = pattern ? flawOf(pattern) : 'is not constant, so it cannot be checked'
  if (exception && flaw) unused.delete(exception)
  else if (flaw) problems.push(`${place} ${expression} ${flaw}`)
}
for (const [file, expression] of unused) problems.push(`${file} ${expression} needs no exception: remove it`)

mkdirSync(dirname(KNOWN), { recursive: true })
writeFileSync(KNOWN, JSON.stringify([...safe].sort(), null, 1))

for (const problem of problems) console.error(`error ${problem}`)
console.log(`regexes: ${found.length} expressions, ${problems.length || 'no'} problems`)
process.exitCode = problems.length ? 1 : 0
