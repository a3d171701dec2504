/** The child process that measures, hashes and verifies passwords. */
import { hashSync, verifySync } from '@node-rs/argon2'
import { connectToParent } from '../background/parent.ts'
import type { PasswordTask, Strength } from './password-processes.ts'

const NICENESS = 10
/** Further characters take zxcvbn longer and cannot make a password weaker. */
const MEASURED_CHARACTERS = 64
const MAX_PERSONAL_CHARACTERS = 100

const parent = connectToParent<PasswordTask, Strength | string | boolean>({ niceness: NICENESS })
parent.onMessage(async (task) => parent.send(await perform(task)))

async function perform(task: PasswordTask): Promise<Strength | string | boolean> {
  if (task.kind === 'measure') return measure(task.password, task.personal)
  return task.kind === 'hash' ? hashSync(task.password, task.parameters) : verify(task.stored, task.password)
}

/** False for a text that is not a hash. */
function verify(stored: string, password: string): boolean {
  try {
    return verifySync(stored, password)
  } catch {
    return false
  }
}

async function measure(password: string, personal: readonly string[]): Promise<Strength> {
  // Its dictionaries take 30 ms to load, and most processes only verify hashes.
  const { default: zxcvbn } = await import('zxcvbn')
  const words = personal
    .flatMap((word) => [word, ...word.split(/[@.\s]/)])
    .map((word) => word.slice(0, MAX_PERSONAL_CHARACTERS))
  const { score, feedback } = zxcvbn(password.slice(0, MEASURED_CHARACTERS), words.filter(Boolean))
  const advice = [feedback.warning, ...feedback.suggestions].filter(Boolean).map(withFullStop).join(' ')
  return { score, advice: advice || 'Use a few uncommon words.' }
}

function withFullStop(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
