#!/usr/bin/env node
/** The entry point of the command. Each command loads only the modules it needs. */
import '../node-version.ts'
import { enableCompileCache, saveCompileCache } from './compile-cache.ts'

async function main(args: string[]): Promise<void> {
  const [name, ...rest] = args
  if (name === 'serve') {
    const { serve } = await import('./serve.ts')
    return serve(rest, process.env, saveCompileCache)
  }
  // A reader such as `head` may close the pipe early.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  process.stderr.on('error', () => undefined)
  // The process list would show keys and bodies that were given as flags.
  process.title = ['workspace-admin', ...args.slice(0, 2).filter((word) => /^[a-z_-]{1,40}$/.test(word))].join(' ')
  const { run } = await import('./program.ts')
  const exit = await run(args, process.env)
  if (exit) process.exitCode = exit
  // The lookup of a host name cannot be aborted, and would keep the shell waiting.
  if (name === 'complete') process.exit()
}

const args = process.argv.slice(2)
enableCompileCache(process.env)
// `help x y` is `x y --help`.
await main(args[0] === 'help' ? [...args.slice(1), '--help'] : args).catch(async (error) => {
  const { reportFailure } = await import('./failure.ts')
  const { showsStacks } = await import('../config.ts')
  const { note, setOutputMode } = await import('./streams.ts')
  setOutputMode(args)
  process.exitCode = reportFailure(error)
  if (showsStacks(process.env)) note(error.stack)
})
