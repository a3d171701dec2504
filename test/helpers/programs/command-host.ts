/** A child process that runs commands one after the other. Each runs as in a process of its own, without loading the program. */
import { Readable } from 'node:stream'
import { reportFailure } from '../../../src/cli/failure.ts'
import { run } from '../../../src/cli/program.ts'
import { showsStacks } from '../../../src/config.ts'
import type { CommandInHost, Ended } from './process.ts'

/** Keeps the output of this process. The result returns it and forgets it. */
function collectOutput(stream: NodeJS.WriteStream): () => string {
  const chunks: Buffer[] = []
  stream.write = (chunk: string | Uint8Array) => {
    chunks.push(Buffer.from(chunk as string))
    return true
  }
  return () => Buffer.concat(chunks.splice(0)).toString()
}

const takeStdout = collectOutput(process.stdout)
const takeStderr = collectOutput(process.stderr)

async function perform({ words, environment, folder, input }: CommandInHost): Promise<Ended> {
  process.chdir(folder)
  process.env = environment
  process.exitCode = undefined
  Object.defineProperty(process, 'stdin', { value: Readable.from([Buffer.from(input)]), configurable: true })
  try {
    const exit = await run(words[0] === 'help' ? [...words.slice(1), '--help'] : words, environment)
    if (exit) process.exitCode = exit
  } catch (error) {
    process.exitCode = reportFailure(error)
    if (showsStacks(environment)) console.error((error as Error).stack)
  }
  return { code: Number(process.exitCode ?? 0), stdout: takeStdout(), stderr: takeStderr() }
}

process.on('message', async (command: CommandInHost) => process.send?.(await perform(command)))
process.once('disconnect', () => process.exit())
