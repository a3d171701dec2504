/** The licenses of bundled packages. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The licenses of programs inside packages, which the packages do not contain. */
const COMPILED_IN: Record<string, string[]> = { 'jq-wasm': ['scripts/jq-licenses.txt'] }

/** One part per package that any of these files belongs to. */
export function licensesOf(files: readonly string[]): string {
  const folders = new Set(files.flatMap((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []))
  const parts = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)(\.|-|$)/i.test(entry))
    const texts = [...(file ? [join(folder, file)] : []), ...(COMPILED_IN[name] ?? [])]
    return [`${name} ${version} (${license})`, ...texts.map((one) => readFileSync(one, 'utf8').trim())].join('\n\n')
  })
  return `${[...new Set(parts)].sort().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}
