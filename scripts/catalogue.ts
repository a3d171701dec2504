/**
 * Refreshes src/plugins/catalogue.json from a published list: from the address given, or from the public one.
 * Only what has the catalogue's shape is taken; what is in the catalogue already keeps its description, which is ours.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { Value } from '@sinclair/typebox/value'
import { CatalogueEntry, catalogue } from '../src/plugins/catalogue.ts'

const PUBLISHED = 'https://raw.githubusercontent.com/PostHog/integrations-repository/main/plugins.json'
const FILE = new URL('../src/plugins/catalogue.json', import.meta.url)

const from = process.argv[2] ?? PUBLISHED
const published: unknown = JSON.parse(
  /^https?:/.test(from)
    ? await (await fetch(from, { signal: AbortSignal.timeout(30_000) })).text()
    : readFileSync(from, 'utf8'),
)
if (!Array.isArray(published)) throw new Error(`${from} holds no list`)

const known = new Map(catalogue.map((entry) => [entry.url, entry]))
const taken = new Map<string, CatalogueEntry>()
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
  const problem = Value.Errors(CatalogueEntry, entry).First()
  if (problem) console.warn(`left out ${JSON.stringify(name)}: ${problem.path} ${problem.message}`)
  else if (!taken.has(url)) taken.set(url, entry as CatalogueEntry)
}
// Ours stay where a list no longer has them: somebody may have installed them from here.
const entries = [...taken.values(), ...catalogue.filter(({ url }) => !taken.has(url))]
writeFileSync(FILE, `${JSON.stringify(entries, null, 2)}\n`)
console.log(`catalogue: ${entries.length} entries, ${entries.length - catalogue.length} more than before`)
