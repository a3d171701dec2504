/**
 * Updates src/plugins/catalog.json from a published list: the URL or file of the first argument, or the public list.
 * Skips entries without the shape of the catalog. Existing entries keep their descriptions.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { Value } from '@sinclair/typebox/value'
import { CatalogEntry, catalog } from '../src/plugins/catalog.ts'

const PUBLISHED = 'https://raw.githubusercontent.com/PostHog/integrations-repository/main/plugins.json'
const FILE = new URL('../src/plugins/catalog.json', import.meta.url)

const [, , source = PUBLISHED] = process.argv
const published: unknown = JSON.parse(
  /^https?:/.test(source)
    ? await (await fetch(source, { signal: AbortSignal.timeout(30_000) })).text()
    : readFileSync(source, 'utf8'),
)
if (!Array.isArray(published)) throw new Error(`${source} is not a list.`)

const known = new Map(catalog.map((entry) => [entry.url, entry]))
const updated = new Map<string, CatalogEntry>()
for (const { name, url, description, imageLink, verified, maintainer, type } of published) {
  const entry = {
    name,
    url,
    description: known.get(url)?.description ?? description,
    ...(imageLink && { icon: imageLink }),
    verified,
    maintainer,
    type,
  }
  const problem = Value.Errors(CatalogEntry, entry).First()
  if (problem) console.warn(`Skipped ${JSON.stringify(name)}: ${problem.path} ${problem.message}`)
  else if (!updated.has(url)) updated.set(url, entry as CatalogEntry)
}
// Entries that the list no longer has stay, because they may be installed.
const entries = [...updated.values(), ...catalog.filter(({ url }) => !updated.has(url))]
writeFileSync(FILE, `${JSON.stringify(entries, null, 2)}\n`)
console.log(`catalog: ${entries.length} entries, ${entries.length - catalog.length} more than before`)
