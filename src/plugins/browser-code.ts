/** Transpiles the files of a plugin that run in a browser. Runs in a child process, because a few bytes can keep a parser busy. */
import { Script } from 'node:vm'
import { syntaxError, TranspileError, transpile } from './runtime/transpile.ts'

/** Every visitor of a page loads the script. */
const MAX_LENGTH = 512 * 1024

/** `site.ts` becomes a function expression that returns the exports, `frontend.tsx` an ES module. */
const WRAPPERS: Record<string, readonly [before: string, after: string]> = {
  'site.ts': [
    `(function () {let exports={},require=(name)=>{throw new Error('site.ts cannot import "'+name+'". Put its code into site.ts.')};`,
    '\n;return exports;})',
  ],
  'frontend.tsx': ['export function getFrontendApp(require) {let exports={};', '\n;return exports;}'],
}

/** Undefined for a file that does not run in a browser. Lines keep their numbers. */
export function transpileBrowserFile(name: string, text: string): string | undefined {
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined
  if (!wrapper) return undefined
  if (text.length > MAX_LENGTH)
    throw new TranspileError(`The file has ${text.length} characters. At most ${MAX_LENGTH} are allowed.`)
  const [before, after] = wrapper
  const script = `${before}${transpile(name, text, { preserveDynamicImport: true })}${after}`
  requireValid(name, script)
  return script
}

/** Sucrase accepts some invalid code, such as two declarations of one name. Compiles the code without running it. */
function requireValid(name: string, script: string): void {
  try {
    new Script(script.replace(/^export /, ''), { filename: name })
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw syntaxError(error)
    const [location = ''] = error.stack?.split('\n', 1) ?? []
    const line = location.slice(location.lastIndexOf(':') + 1)
    if (!/^\d+$/.test(line)) throw new TranspileError(error.message)
    throw new TranspileError(`Line ${line}: ${error.message.slice(0, 300)}`, { line: Number(line), column: 1 })
  }
}
