/** Events that plugins capture with `posthog.capture`. */
import { describeOversize, type NewEvent, normalizeEvent } from '../../events/normalize-event.ts'
import { eventsOf } from '../../events/payload.ts'
import { replaceInvalidText } from '../../json/text.ts'
import type { RunningConfiguration } from './configurations.ts'
import type { CapturedEvent } from './host.ts'
import { formatOrigin, type Origin } from './origin.ts'

/** As in the public system: existing queries filter by it. */
const LIBRARY = 'posthog-plugin-server'

/** The row of a captured event. Throws for an event that cannot be stored; the plugin sees the message. */
export async function capturedRow(
  { id, name, project_id }: Pick<RunningConfiguration, 'id' | 'name' | 'project_id'>,
  origin: Origin,
  { event, properties }: CapturedEvent,
  { now, uuid }: { now: number; uuid: () => string },
): Promise<NewEvent | null> {
  const { timestamp, ...own } = properties
  const sent = replaceInvalidText({
    event,
    ...(timestamp !== undefined && { timestamp }),
    properties: { distinct_id: name, ...own, $lib: LIBRARY },
  })
  const [valid] = await eventsOf([sent])
  const row = valid
    ? normalizeEvent(valid, { project_id, now, sent_at: null, address: null, uuid, keepsSent: true })
    : null
  const oversize = row && describeOversize(row)
  if (oversize) throw new RangeError(oversize)
  return row && { ...row, origin: formatOrigin([...origin, id]) }
}
