/** Runs plugin code that never ends, for a test that kills this program. Prints when the code has started. */
import { createSandbox } from '../../../src/plugins/runtime/sandbox.ts'
import { configurationOf, createMemoryHost, incomingEventOf, LIMITS } from '../seeds/sandbox.ts'

const sandbox = createSandbox({ max_processes: 1, hang_ms: 600_000 })
const code = `export async function processEvent(event, { storage }) {
  await storage.set('started', true)
  for (;;) try { new Array(4294967295).join('x') } catch {}
}`
const host = { ...createMemoryHost(), storageSet: async () => console.log('started') }
void sandbox.each(configurationOf(code), 'processEvent', [incomingEventOf({})], { ...LIMITS, call_ms: 600_000 }, host)
