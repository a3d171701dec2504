/** The child process that measures passwords. */
import zxcvbn from 'zxcvbn'
import { connectToParent } from '../background/parent.ts'
import type { Strength, StrengthRequest } from './password-strength.ts'

const NICENESS = 5
/** More characters make zxcvbn slower and no password weaker. */
const MEASURED_CHARACTERS = 64
const MAX_PERSONAL_CHARACTERS = 100

const parent = connectToParent<StrengthRequest, Strength>({ niceness: NICENESS })
parent.onMessage(({ password, personal }) => {
  const words = personal
    .flatMap((word) => [word, ...word.split(/[@.\s]/)])
    .map((word) => word.slice(0, MAX_PERSONAL_CHARACTERS))
  const { score, feedback } = zxcvbn(password.slice(0, MEASURED_CHARACTERS), words.filter(Boolean))
  const advice = [feedback.warning, ...feedback.suggestions].filter(Boolean).map(withFullStop).join(' ')
  void parent.send({ score, advice: advice || 'Use a few uncommon words.' })
})

function withFullStop(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}
