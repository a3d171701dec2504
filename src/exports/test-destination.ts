/** Tests a destination step by step before an export uses it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOutbound } from '../outbound/guard.ts'
import { loadDestination } from './catalog.ts'
import { describeFailure } from './deliver.ts'
import type { TestStep } from './destination.ts'
import type { DestinationTest } from './messages.ts'

const DEADLINE_MS = 30_000

/** Returns the result of each step. Steps after a failure are skipped. */
export async function testDestination({
  type,
  config,
  files_root,
  outbound_allow,
  s3_endpoint,
}: DestinationTest): Promise<TestStep[]> {
  const destination = await loadDestination(type)
  const scratch = await mkdtemp(join(tmpdir(), 'workspace-export-'))
  const details: string[] = []
  let failure: ReturnType<typeof describeFailure> | undefined
  try {
    const tools = {
      outbound: createOutbound({ allow: outbound_allow }),
      files_root,
      s3_endpoint,
      scratch,
      signal: AbortSignal.timeout(DEADLINE_MS),
      checkpoint: async () => undefined,
      log: () => undefined,
    }
    for await (const detail of destination.test(config, tools)) details.push(detail)
  } catch (error) {
    failure = describeFailure(error)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  return destination.steps.map((name, i): TestStep => {
    const detail = details[i]
    if (detail !== undefined) return { name, status: 'passed', detail, attr: null }
    if (i === details.length && failure !== undefined) {
      const { message, setting } = failure
      const attr = setting === undefined ? null : `destination__config__${setting}`
      return { name, status: 'failed', detail: message, attr }
    }
    return { name, status: 'skipped', detail: 'Skipped because an earlier step failed.', attr: null }
  })
}
