/** Imports of files of the same plugin, such as `./lib/rates`. */
import { posix } from 'node:path'

/** It also finds imports in comments and texts. A missing file is an error only when the code imports it. */
const RELATIVE_IMPORT = /\b(?:from|import|require)\s{0,20}\(?\s{0,20}(["'])(\.{1,2}\/[^"'\n]{1,200})\1/g

/** The relative paths that the code of a file imports. */
export const relativeImports = (text: string): string[] => [
  ...new Set([...text.matchAll(RELATIVE_IMPORT)].map(([, , specifier = '']) => specifier)),
]

const SUFFIXES = ['', '.ts', '.tsx', '.js', '.jsx', '.json', '/index.ts', '/index.js']

/** The paths that an import in the file `from` may mean, the most likely first. TypeScript writes `./x.js` for x.ts. */
export function candidatesOf(from: string, specifier: string): string[] {
  const path = posix.join(posix.dirname(from), specifier)
  const typed = path.endsWith('.js') ? [`${path.slice(0, -'.js'.length)}.ts`] : []
  return [...SUFFIXES.map((suffix) => path + suffix), ...typed]
}

export interface LinkedFile {
  path: string
  text: string
  /** The paths of the files that it imports. */
  imports: Record<string, string>
}

/** The main file and the files that it imports, directly or not. An import of a missing file is left out. */
export function linkedFiles(files: Readonly<Record<string, string>>, main: string): LinkedFile[] {
  const linked = new Map<string, LinkedFile>()
  const pending = [main]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const text = files[path]
    if (text === undefined || linked.has(path)) continue
    const imports: Record<string, string> = {}
    const specifiers = path.endsWith('.json') ? [] : relativeImports(text)
    for (const specifier of specifiers) {
      const found = candidatesOf(path, specifier).find((candidate) => Object.hasOwn(files, candidate))
      if (found === undefined) continue
      imports[specifier] = found
      pending.push(found)
    }
    linked.set(path, { path, text, imports })
  }
  return [...linked.values()]
}
