/** The modules of `library/` as one text that QuickJS evaluates. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** A function that takes the host and returns the entry points. Only builds and runs from the sources have esbuild. */
export function bundleLibrary(): string {
  const { buildSync }: typeof import('esbuild') = createRequire(import.meta.url)('esbuild')
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL('./library/main.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    banner: { js: '(host) => { "use strict"; const entries = {};' },
    footer: { js: 'return entries }' },
    // QuickJS keeps the text of functions in the memory of each plugin. Names stay, for stacks.
    minifyWhitespace: true,
    minifySyntax: true,
    target: 'es2023',
    write: false,
    logLevel: 'warning',
  })
  return outputFiles[0]?.text ?? ''
}

/** The build writes the file next to the program. */
export function libraryText(): string {
  const built = new URL('./sandbox-library.js', import.meta.url)
  return existsSync(built) ? readFileSync(built, 'utf8') : bundleLibrary()
}
