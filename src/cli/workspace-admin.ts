#!/usr/bin/env node
/** The command. Each loads what it needs and no more: a server does not wait for the client's parts. */
import './node-version.ts'
import type { Variables } from '../config.ts'

async function main(words: string[], variables: Variables): Promise<void> {
  if (words[0] === 'serve') {
    const { plainly, start } = await import('./serve.ts')
    const options = plainly(words.slice(1))
    if (options) return start(options, variables)
  }
  // Whoever reads our output may stop early, as `head` does.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  process.stderr.on('error', () => undefined)
  const { run } = await import('./program.ts')
  const exit = await run(words, variables)
  if (exit) process.exitCode = exit
}

await main(process.argv.slice(2), process.env).catch(async (error) => {
  const { told } = await import('./failure.ts')
  const { showsStacks } = await import('../config.ts')
  const { exit, message } = told(error)
  process.exitCode = exit
  console.error(message)
  if (showsStacks(process.env)) console.error(error.stack)
})
