/** Tests a destination step by step before anything is scheduled. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOutbound } from '../outbound/guard.ts'
import { destinationOf } from './catalogue.ts'
import { failureOf } from './deliver.ts'
import type { TestStep } from './destination.ts'
import type { DestinationTest } from './messages.ts'

const DEADLINE_MS = 30_000

/** The result of each step. Steps after a failure are skipped. */
export async function testDestination({ type, config, files_root, outbound_allow }: DestinationTest): Promise<TestStep[]> {
  const destination = await destinationOf(type)!
  const scratch = await mkdtemp(join(tmpdir(), 'workspace-export-'))
  const steps: TestStep[] = []
  try {
    const tools = {
      outbound: createOutbound({ allow: outbound_allow }),
      files_root,
      scratch,
      signal: AbortSignal.timeout(DEADLINE_MS),
      checkpoint: async () => undefined,
      log: () => undefined,
    }
    for await (const { name, detail } of destination.test(config, tools)) steps.push({ name, status: 'passed', detail })
  } catch (error) {
    steps.push({ name: destination.steps[steps.length]!, status: 'failed', detail: failureOf(error).message })
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  const skipped = { status: 'skipped' as const, detail: 'Not tried, because the step before it failed.' }
  return [...steps, ...destination.steps.slice(steps.length).map((name) => ({ name, ...skipped }))]
}
