/** Turns TypeScript and JSX into JavaScript. Runs in a child process, because a few bytes can keep a parser busy. */
import { type Transform, transform } from 'sucrase'

/** The longest file that runs. Bundled plugins have up to a few hundred kilobytes. */
export const MAX_SOURCE_LENGTH = 1024 * 1024

/** Code that cannot be transpiled. The message names the line and the column. */
export class TranspileError extends Error {
  override readonly name = 'TranspileError'
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
      const { code } = transform(source.replace(/^\ufeff/, ''), {
        transforms: ['typescript', 'imports', ...extra],
        disableESTransforms: true,
        preserveDynamicImport,
        production: true,
        jsxRuntime: 'classic',
      })
      requireSingleExports(code)
      return code
    } catch (error) {
      first ??= error instanceof TranspileError ? error : new TranspileError(describeSyntaxError(error))
    }
  throw first ?? new TranspileError('The code cannot be parsed.')
}

/** sucrase declares only the first variable of `export const a = 1, b = 2`. */
function requireSingleExports(code: string): void {
  const at = code.search(/; exports\.([\w$]{1,200}) = \1,/)
  if (at < 0) return
  const line = code.slice(0, at).split('\n').length
  throw new TranspileError(`Line ${line}: Export one variable in each statement, as in "export const a = 1".`)
}

interface SyntaxFailure extends Error {
  loc?: { line: number; column: number }
}

export function describeSyntaxError(error: unknown): string {
  if (error instanceof RangeError) return 'The code is nested too deeply.'
  const { message, loc }: SyntaxFailure = error instanceof Error ? error : new Error(String(error))
  const reason = message.slice(0, 300).replace(/ \(\d+:\d+\)$/, '')
  return loc ? `Line ${loc.line}, column ${loc.column}: ${reason}` : reason
}
