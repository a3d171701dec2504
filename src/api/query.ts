/** Query parameters that take several values: as JSON text, repeated, or in brackets. */

/** Every value given for a parameter, in order; undefined where it is absent. JSON text of a list counts as its items. */
export function queryList(query: object, name: string): string[] | undefined {
  const given = rawQueryValues(query, name)
  return given?.flatMap((text) => listIn(text) ?? [text])
}

/** The texts given for a parameter that holds JSON itself, each as it came. */
export function rawQueryValues(query: object, name: string): string[] | undefined {
  const found: string[] = []
  for (const [key, value] of Object.entries(query)) {
    const bracketed = key.startsWith(`${name}[`) && /^\[\d*\]$/.test(key.slice(name.length))
    if (value !== undefined && (key === name || bracketed)) found.push(...[value].flat().map(String))
  }
  return found.length ? found : undefined
}

/** A text that only looks like a list is a value like any other. */
function listIn(text: string): string[] | undefined {
  if (!/^\s*\[/.test(text)) return undefined
  try {
    const list: unknown = JSON.parse(text)
    const plain = Array.isArray(list) && list.every((item) => typeof item === 'string' || typeof item === 'number')
    return plain ? list.map(String) : undefined
  } catch {
    return undefined
  }
}
