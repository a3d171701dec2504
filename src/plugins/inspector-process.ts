/** The child process that parses the code of plugins. A few bytes can keep a parser busy for minutes. */
import { connectToParent } from '../background/parent.ts'
import { inspectCode } from './code.ts'
import type { InspectorReply, SourceFiles } from './inspect.ts'

const NICENESS = 10

const parent = connectToParent<SourceFiles, InspectorReply>({ niceness: NICENESS })
parent.onMessage((files) => void parent.send({ kind: 'inspected', inspection: inspectCode(files) }))
void parent.send({ kind: 'ready' })
