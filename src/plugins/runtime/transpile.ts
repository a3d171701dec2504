/** Turns TypeScript and JSX into JavaScript. Runs in a child process, because a few bytes can keep a parser busy. */
import { getFormattedTokens, type Options, type Transform, transform } from 'sucrase'
import type { SourcePosition } from './messages.ts'

/** The longest file that runs. Bundled plugins have up to a few hundred kilobytes. */
export const MAX_SOURCE_LENGTH = 1024 * 1024

/** Code that cannot be transpiled. The message names the line and the column. */
export class TranspileError extends Error {
  override readonly name = 'TranspileError'
  readonly position: SourcePosition | undefined

  constructor(message: string, position?: SourcePosition) {
    super(message)
    this.position = position
  }
}

/** Lines keep their numbers, so errors of the running code name the line of the source. */
export function transpile(name: string, source: string, { preserveDynamicImport = false } = {}): string {
  if (source.length > MAX_SOURCE_LENGTH)
    throw new TranspileError(`"${name}" has ${source.length} characters. At most ${MAX_SOURCE_LENGTH} can run.`)
  // `<T>x` of TypeScript and JSX exclude each other. The main file is named index.ts even when it contains JSX.
  const variants: Transform[][] = name.endsWith('x') ? [['jsx']] : [[], ['jsx']]
  let first: TranspileError | undefined
  for (const extra of variants)
    try {
      const options: Options = {
        transforms: ['typescript', 'imports', ...extra],
        disableESTransforms: true,
        preserveDynamicImport,
        production: true,
        jsxRuntime: 'classic',
      }
      const text = source.replace(/^\ufeff/, '')
      const { code } = transform(text, options)
      const isMiscompiled = EXPORT_OF_SEVERAL.test(code) || EXPORT_OF_PATTERN.test(text)
      return isMiscompiled ? transform(splitExports(text, options), options).code : code
    } catch (error) {
      first ??= error instanceof TranspileError ? error : syntaxError(error)
    }
  throw first ?? new TranspileError('The code cannot be parsed.')
}

/** sucrase declares only the first variable of `export const a = 1, b = 2`, and none of `export let a, b`. */
const EXPORT_OF_SEVERAL = /; exports\.([\w$]{1,200}) = \1,|^ ?exports\.[\w$]{1,200},/m
/** sucrase declares no variable after a pattern, as in `export const { a } = x, b = 2`, and needs a semicolon before it. */
const EXPORT_OF_PATTERN = /\bexport\s{1,100}(?:const|let|var)\s{0,100}[{[]/

/** A row of `getFormattedTokens`: the position and the label of a token. */
const TOKEN = /^(\d+):(\d+)-\d+:(\d+) +(\S+)/
const TOP_LEVEL_DECLARATION = '2'

interface Token {
  /** The position in the source. */
  start: number
  label: string
  text: string
  isType: boolean
  isDeclaration: boolean
}

function tokensOf(source: string, options: Options): Token[] {
  const [header = '', ...rows] = getFormattedTokens(source, options).split('\n')
  const role = header.indexOf('identifierRole')
  const starts = [0]
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  return rows.flatMap((row) => {
    const [, line, column, end, label = ''] = TOKEN.exec(row) ?? []
    const start = (starts[Number(line) - 1] ?? Number.NaN) + Number(column) - 1
    if (Number.isNaN(start)) return []
    return {
      start,
      label,
      text: source.slice(start, start + Number(end) - Number(column)),
      isType: row.includes(' isType '),
      isDeclaration: row.slice(role, role + 2).trim() === TOP_LEVEL_DECLARATION,
    }
  })
}

const STATEMENTS = ['const', 'let', 'var', 'export', 'import', ';', 'eof']
const OPENING = ['(', '[', '{', '${']
const CLOSING = [')', ']', '}']

/**
 * Replaces `export const a = 1, b = 2` by `const a = 1, b = 2` and an `export { a, b }` at the end. sucrase puts the
 * export of a pattern into parentheses, so it gets a semicolon: the line before may have none.
 */
function splitExports(source: string, options: Options): string {
  const tokens = tokensOf(source, options)
  const exported: string[] = []
  let text = source
  // From the end, so that the positions of the other tokens stay valid.
  for (const [i, { label, start }] of [...tokens.entries()].reverse()) {
    const keyword = tokens[i + 1]?.label
    if (label !== 'export' || (keyword !== 'const' && keyword !== 'let' && keyword !== 'var')) continue
    const names = declaredNames(tokens, i + 2)
    if (!names) {
      const line = source.slice(0, start).split('\n').length
      throw new TranspileError(`Line ${line}: Export one variable in each statement, as in "export const a = 1".`, {
        line,
        column: 1,
      })
    }
    const replaced = names.length === 0 ? ';export' : ' '.repeat('export'.length)
    text = `${text.slice(0, start)}${replaced}${text.slice(start + 'export'.length)}`
    exported.push(...names)
  }
  return exported.length === 0 ? text : `${text}\n;export { ${exported.join(', ')} }`
}

/** The variables of a statement from its first name on. Empty for a single pattern, undefined for one of several. */
function declaredNames(tokens: readonly Token[], first: number): string[] | undefined {
  const names: string[] = []
  let patterns = 0
  let depth = 0
  let isName = true
  for (const { label, text, isType, isDeclaration } of tokens.slice(first)) {
    if (isType) continue
    if (isName) {
      if (label === '{' || label === '[') patterns++
      else if (isDeclaration) names.push(text)
      // After the statement, an expression may have commas too.
      else break
    }
    isName = false
    if (OPENING.includes(label)) depth++
    else if (CLOSING.includes(label)) depth--
    else if (depth === 0 && STATEMENTS.includes(label)) break
    else if (depth === 0 && label === ',') isName = true
  }
  return patterns === 0 || patterns + names.length === 1 ? names : undefined
}

interface SyntaxFailure extends Error {
  loc?: { line: number; column: number }
}

export function syntaxError(error: unknown): TranspileError {
  if (error instanceof RangeError) return new TranspileError('The code is nested too deeply.')
  const { message, loc }: SyntaxFailure = error instanceof Error ? error : new Error(String(error))
  const reason = message.slice(0, 300).replace(/ \(\d+:\d+\)$/, '')
  return loc
    ? new TranspileError(`Line ${loc.line}, column ${loc.column}: ${reason}`, { line: loc.line, column: loc.column })
    : new TranspileError(reason)
}
