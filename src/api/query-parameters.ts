/** Query parameters that accept several values: as JSON, repeated, or with brackets. */
import { invalid } from '../errors.ts'
import type { RequestUrl } from './handler-context.ts'

/** All values of a parameter, with JSON lists flattened; undefined when it is absent. */
export function queryList(query: object, name: string): string[] | undefined {
  return rawQueryValues(query, name)?.flatMap((text) => parseList(text) ?? [text])
}

/** All values of a parameter, without parsing JSON. */
export function rawQueryValues(query: object, name: string): string[] | undefined {
  const values: string[] = []
  for (const [key, value] of Object.entries(query)) {
    const bracketed = key.startsWith(`${name}[`) && /^\[\d*\]$/.test(key.slice(name.length))
    if (value !== undefined && (key === name || bracketed)) values.push(...[value].flat().map(String))
  }
  return values.length ? values : undefined
}

/** Throws `invalid_input` for a value that is not one of the choices. */
export function parseChoice<Choice extends string>(name: string, choices: readonly Choice[], text: string): Choice {
  const choice = choices.find((known) => known === text)
  if (choice === undefined) throw invalid(name, `"${name}" must be one of: ${choices.join(', ')}.`)
  return choice
}

/** Undefined for text that is not a JSON list of strings and numbers; it then counts as one value. */
function parseList(text: string): string[] | undefined {
  if (!/^\s*\[/.test(text)) return undefined
  try {
    const list: unknown = JSON.parse(text)
    const isPlain = Array.isArray(list) && list.every((item) => typeof item === 'string' || typeof item === 'number')
    return isPlain ? list.map(String) : undefined
  } catch {
    return undefined
  }
}

/** The URL of a request with other values of some parameters. Undefined removes a parameter. */
export function urlWith({ origin, path, search }: RequestUrl, values: Record<string, string | undefined>): string {
  const parameters = new URLSearchParams(search)
  for (const [name, value] of Object.entries(values))
    if (value === undefined) parameters.delete(name)
    else parameters.set(name, value)
  return `${origin}${path}?${parameters}`
}
