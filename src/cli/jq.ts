/** `--jq`: jq itself, compiled to WebAssembly. Only commands with the flag load it. */
import { readFileSync } from 'node:fs'
import { type Jq, loadJq } from 'jq-wasm'
import { usageError } from './failure.ts'
import { note } from './streams.ts'

/** The bundle is next to a copy of the package's file. */
const isBundled = !/\/jq\.[jt]s$/.test(import.meta.url)

let loading: Promise<Jq> | undefined

const load = (): Promise<Jq> => {
  loading ??= loadJq(isBundled ? { wasmBinary: readFileSync(new URL('./jq.wasm', import.meta.url)) } : {})
  return loading
}

/** Fails for an expression that jq cannot compile. Nothing is sent before that: a response may be shown only once. */
export async function checkExpression(expression: string): Promise<void> {
  await runJq(expression, '')
}

/** The results of an expression, each as JSON on one line. */
export async function runJq(expression: string, json: string): Promise<string[]> {
  const { stdout, stderr, exitCode } = (await load()).raw(json, expression, ['--compact-output', '--'])
  if (exitCode !== 0) throw usageError(`--jq: ${describe(stderr)}`)
  if (stderr !== '') note(stderr)
  return stdout === '' ? [] : stdout.split('\n')
}

/** The message of jq, with the position in the expression, and without the names of its files. */
const describe = (stderr: string): string =>
  stderr
    .split('\n')
    .filter((line) => !/^jq: \d+ compile errors?$/.test(line))
    .map((line) => line.replace(/^jq: error(:| \(at [^)]{1,40}\):) /, ''))
    .join('\n')
    .replaceAll(' at <top-level>, line', ' at line')
    .trim() || 'the expression failed without a message.'
