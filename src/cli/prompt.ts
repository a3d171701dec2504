/** Questions on a terminal. Answers are read from standard input, questions go to standard error. */
import { createInterface } from 'node:readline/promises'
import { text as readText } from 'node:stream/consumers'
import { commandError, EXIT } from './failure.ts'

interface Input extends NodeJS.ReadableStream {
  isTTY?: boolean
  setRawMode?(mode: boolean): unknown
}

export interface Terminal {
  input: Input
  output: NodeJS.WritableStream & { isTTY?: boolean }
}

const TERMINAL: Terminal = { input: process.stdin, output: process.stderr }

const MAX_ANSWER_LENGTH = 4096

export const isInteractive = ({ input, output }: Terminal = TERMINAL): boolean =>
  input.isTTY === true && output.isTTY === true

const interrupted = (): Error => commandError(EXIT.interrupted, 'Interrupted.')

export async function ask(question: string, { input, output }: Terminal = TERMINAL): Promise<string> {
  const lines = createInterface({ input, output, terminal: isInteractive({ input, output }) })
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('SIGINT', () => {
        output.write('\n')
        reject(interrupted())
      })
      lines.once('close', () => reject(interrupted()))
      lines.question(question).then(resolve, reject)
    })
  } finally {
    lines.close()
  }
}

/** True for `y` and `yes`. */
export const confirm = async (question: string, terminal: Terminal = TERMINAL): Promise<boolean> =>
  /^y(es)?$/i.test((await ask(`${question} [y/N] `, terminal)).trim())

/** Reads a secret without showing it. Without a terminal, it is the first line of standard input. */
export async function askSecret(question: string, { input, output }: Terminal = TERMINAL): Promise<string> {
  if (!isInteractive({ input, output })) return (await readText(input)).split('\n', 1)[0]?.trim() ?? ''
  output.write(question)
  input.setRawMode?.(true)
  try {
    return (await readHidden(input)).trim()
  } finally {
    input.setRawMode?.(false)
    input.pause()
    output.write('\n')
  }
}

const [CTRL_C, CTRL_D, BACKSPACE, DELETE, CTRL_U] = ['\x03', '\x04', '\b', '\x7f', '\x15']

function readHidden(input: Input): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const stop = (finish: () => void): void => {
      input.removeListener('data', read)
      input.removeListener('end', end)
      finish()
    }
    const end = (): void => stop(() => reject(interrupted()))
    const read = (bytes: Buffer | string) => {
      for (const key of String(bytes)) {
        if (key === CTRL_C || (key === CTRL_D && answer === '')) return end()
        if (key === '\r' || key === '\n' || key === CTRL_D) return stop(() => resolve(answer))
        if (key === BACKSPACE || key === DELETE) answer = answer.slice(0, -1)
        else if (key === CTRL_U) answer = ''
        else if (answer.length < MAX_ANSWER_LENGTH) answer += key
      }
    }
    input.on('data', read)
    input.once('end', end)
    input.resume()
  })
}
