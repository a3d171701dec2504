import { Stack, Text } from '@mantine/core'
import type { Schemas } from '../api.ts'
import { actorOf, sentenceOf } from '../organization/activity-text.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { AnchorLink } from '../parts/links.tsx'
import { Section } from '../parts/Section.tsx'
import { Time } from '../parts/Time.tsx'
import type { Place } from './place.ts'

/** The latest entries of the activity log as sentences. */
export function LatestChanges({
  place: { organization },
  changes = [],
  reason,
  error,
  retry,
}: {
  place: Place
  changes: Schemas['Activity'][] | undefined
  /** Why the user may not read the activity log. */
  reason: string | undefined
  error: unknown
  retry: () => void
}) {
  const all = (
    <AnchorLink to="/organizations/$organization/activity" params={{ organization }} size="sm">
      Activity log
    </AnchorLink>
  )
  return (
    <Section title="Latest changes" compact actions={reason === undefined && all}>
      {error ? <ErrorAlert error={error} title="The changes could not be loaded" retry={retry} /> : null}
      {(reason !== undefined || (!error && changes.length === 0)) && (
        <Text size="sm" c="dimmed">
          {reason === undefined ? 'Nothing has changed yet.' : `Administrators see the activity log here. ${reason}`}
        </Text>
      )}
      {changes.length > 0 && (
        <Stack gap="sm" component="ul" m={0} p={0} aria-label="Latest changes">
          {changes.map((entry) => (
            <Change key={entry.id} entry={entry} />
          ))}
        </Stack>
      )}
    </Section>
  )
}

function Change({ entry }: { entry: Schemas['Activity'] }) {
  const { before, item, after } = sentenceOf(entry)
  return (
    <li className="home-item">
      <Text size="sm" className="wrap">
        <b>{actorOf(entry)}</b> {before}
        {item !== null && <b>{item}</b>}
        {after}
      </Text>
      <Text size="xs" c="dimmed" component="div">
        <Time value={entry.created_at} />
      </Text>
    </li>
  )
}
