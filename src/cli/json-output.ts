/** `--json [fields]`, `--jq` and `--raw`: the same for all commands. */
import type { Command } from 'commander'
import { type Body, isBody, rowsOf } from './client.ts'
import { valueAt } from './columns.ts'
import { usageError } from './failure.ts'
import { print, write, writeJson } from './streams.ts'

export interface JsonFlags {
  /** `true`, or the text of a list of fields. */
  json?: boolean | string
  jq?: string
  raw?: boolean
}

interface FieldFlags extends JsonFlags {
  fields?: string
  output?: string
  /** Decides the columns of events. */
  select?: unknown
}

export interface JsonOutput {
  /** Paths of fields, such as `user.email`. Undefined for all fields. */
  fields: string[] | undefined
  jq?: string | undefined
  /** Strings without quotes, one value per line. */
  raw?: boolean | undefined
}

const fieldsByCommand = new WeakMap<Command, readonly string[]>()

/** The fields that a command prints as JSON. Empty if only the response tells them. */
export const knownFields = (command: Command): readonly string[] => fieldsByCommand.get(command) ?? []

/** Adds --json, --jq and --raw. */
export function withJsonOptions(
  command: Command,
  fields: readonly string[],
  help = 'print JSON, or only these fields of it',
): Command {
  fieldsByCommand.set(command, fields)
  return command
    .option(
      '--json [fields]',
      `${help}; errors are JSON too. The next word is a list of fields if it names only fields; --json=id,name always is`,
    )
    .option('--jq <expression>', 'print what this jq expression makes of the JSON')
    .option('--raw', 'print strings of --jq or of one field without quotes, one per line')
}

/** The names of --fields or --json. */
export function fieldList({ json, fields }: FieldFlags): string[] | undefined {
  const listed = typeof json === 'string' && json !== '' ? json : undefined
  return (fields ?? listed)?.split(',').map((field) => field.trim())
}

export const jsonOutput = (flags: FieldFlags): JsonOutput => ({
  fields: fieldList(flags),
  jq: flags.jq,
  raw: flags.raw,
})

export const isJson = ({ json, jq, raw }: JsonFlags): boolean => json !== undefined || jq !== undefined || raw === true

/** Fails before anything is sent or changed: a mistake in a flag must not surprise after a change. */
export async function checkJsonFlags(command: Command): Promise<void> {
  const flags: FieldFlags = command.opts()
  const { json, jq, raw, output, select } = flags
  const list = fieldList(flags)
  if (flags.fields !== undefined && typeof json === 'string' && json !== '')
    throw usageError('Use --fields or --json <fields>, not both.')
  const [other] = [json !== undefined && '--json', jq !== undefined && '--jq', raw && '--raw'].filter(Boolean)
  if (other && output !== undefined && output !== 'json')
    throw usageError(`${other} cannot be combined with --output ${output}. Use --output ${output} --fields <list>.`)
  if (raw && jq === undefined && list?.length !== 1)
    throw usageError('--raw prints the value of one field. Add --json <field>, or --jq <expression>.')
  if (list) requireFields(list, select === undefined ? knownFields(command) : [])
  if (jq !== undefined) await (await import('./jq.ts')).checkExpression(jq)
}

/** Any name is valid if the fields are not known. */
export function requireFields(list: readonly string[], known: readonly string[]): void {
  if (list.includes('')) throw usageError('The list of fields contains an empty name.')
  const unknown = known.length ? list.find((field) => !known.includes(headOf(field))) : undefined
  if (unknown !== undefined) throw usageError(`"${unknown}" is not a field. Choose from ${known.join(', ')}.`)
}

const headOf = (field: string): string => field.split('.', 1)[0] ?? ''

/**
 * Joins `--json` with the next word if that is a list of fields, and separates them otherwise: Commander would take every
 * word. `organizations retrieve --json @current` has printed the whole body since the first version.
 */
export function joinFields(command: Command, words: string[]): string[] {
  const at = words.indexOf('--json')
  const next = words[at + 1]
  if (at < 0 || next === undefined || next.startsWith('-')) return words
  const known = knownFields(command)
  const isFields =
    next.split(',').every((field) => known.includes(headOf(field.trim()))) ||
    argumentsIn(command, words.toSpliced(at, 2)) >= command.registeredArguments.length
  return [...words.slice(0, at), `--json=${isFields ? next : ''}`, ...words.slice(at + (isFields ? 2 : 1))]
}

/** How many of the words are arguments, and neither flags nor their values. */
function argumentsIn(command: Command, words: readonly string[]): number {
  let count = 0
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (!word.startsWith('-') || word === '-') count += 1
    else if (command.options.find(({ long, short }) => word === long || word === short)?.required) i += 1
  }
  return count
}

export const select = (row: unknown, paths: readonly string[]): Body =>
  Object.fromEntries(paths.map((path) => [path, valueAt(row, path) ?? null]))

export const isList = (body: unknown): boolean => Array.isArray(body) || (isBody(body) && Array.isArray(body.results))

/** Prints a value, some of its fields, or what an expression makes of them. */
export async function printJson(value: unknown, { fields, jq, raw = false }: JsonOutput): Promise<void> {
  const rows = isList(value) ? rowsOf(value) : [value]
  if (raw && jq === undefined) {
    const [field = ''] = fields ?? []
    return writeRaw(rows.map((row) => valueAt(row, field) ?? null))
  }
  const selected = fields ? rows.map((row) => select(row, fields)) : rows
  const shown = JSON.stringify(!fields ? value : isList(value) ? selected : selected[0])
  if (jq === undefined) return writeJson(`${shown}\n`)
  const { runJq } = await import('./jq.ts')
  const results = await runJq(jq, shown)
  if (raw) return writeRaw(results.map((line) => (line.startsWith('"') ? JSON.parse(line) : line)))
  await writeJson(results.map((line) => `${line}\n`).join(''))
}

/** Prints the result of a command: JSON with --json, otherwise lines for people. */
export async function printResult(flags: JsonFlags, result: unknown, text: string | string[]): Promise<void> {
  if (!isJson(flags)) return print([text].flat().join('\n'))
  await printJson(result, jsonOutput(flags))
}

const writeRaw = (values: readonly unknown[]): Promise<void> =>
  write(values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join(''))
