/** A process of its own: a parser can be kept busy by a few bytes, and must not keep the server busy with it. */
import { lowerPriority } from '../background/priority.ts'
import { inspectCode } from './code.ts'

const NICENESS = 10
lowerPriority(NICENESS)
process.on('message', (files: Record<string, string>) => {
  process.send!(inspectCode(files), () => undefined)
})
process.send!('ready')
