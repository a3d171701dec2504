import { Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api.ts'
import { ExportBadge } from '../exports/badges.tsx'
import { EXPORT, NEW_EXPORT } from '../exports/paths.ts'
import { firstLine } from '../exports/run-status.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { ButtonLink } from '../parts/links.tsx'
import { Section } from '../parts/Section.tsx'
import { StateBadge } from '../parts/StateBadge.tsx'
import { useNow } from '../parts/use-now.ts'
import { RunState } from '../plugins/run-state.tsx'
import { nameOf } from '../plugins/versions.ts'
import type { Place } from './place.ts'
import type { PluginInTrouble } from './queries.ts'
import { EXPORT_PURPOSE } from './WelcomeSteps.tsx'

/** The exports and plugins that do not work as they should, each with its state and its last error. */
export function Attention({
  place,
  exports,
  plugins,
  error,
  retry,
}: {
  place: Place
  exports: { count: number; found: Schemas['BatchExport'][] } | undefined
  plugins: PluginInTrouble[]
  error: unknown
  retry: () => void
}) {
  const now = useNow()
  const found = exports?.found ?? []
  return (
    <Section title="Needs attention" compact>
      {error ? <ErrorAlert error={error} title="The states could not be loaded" retry={retry} /> : null}
      {found.length + plugins.length > 0 && (
        <Stack gap="sm" component="ul" m={0} p={0} aria-label="Needs attention">
          {found.map((row) => (
            <Item
              key={row.id}
              kind="Export"
              link={
                <Link to={EXPORT} params={{ ...place, export: row.id }} className="row-link wrap">
                  {row.name}
                </Link>
              }
              state={<ExportBadge row={row} now={now} />}
              detail={firstLine(row.latest_runs[0]?.latest_error ?? '')}
            />
          ))}
          {plugins.map(({ config, family }) => (
            <Item
              key={config.id}
              kind="Plugin"
              link={
                <Link
                  to="/organizations/$organization/projects/$project/plugins/$family/$plugin"
                  params={{ ...place, family, plugin: String(config.plugin) }}
                  className="row-link wrap"
                >
                  {config.name || nameOf(config.plugin_info)}
                </Link>
              }
              state={<RunState config={config} />}
              detail={config.error ? `${config.error.name}: ${config.error.message}` : ''}
            />
          ))}
        </Stack>
      )}
      {!error && found.length + plugins.length === 0 && exports && <Nothing count={exports.count} place={place} />}
    </Section>
  )
}

function Item({ kind, link, state, detail }: { kind: string; link: ReactNode; state: ReactNode; detail: string }) {
  return (
    <li className="home-item">
      <Group justify="space-between" gap={4} wrap="nowrap" align="baseline">
        <Text size="sm" component="div" miw={0}>
          {link}
        </Text>
        <Text size="xs" c="dimmed">
          {kind}
        </Text>
      </Group>
      <Group gap={6}>{state}</Group>
      {detail !== '' && (
        <Text size="xs" c="var(--mantine-color-error)" lineClamp={2} className="wrap" title={detail}>
          {detail}
        </Text>
      )}
    </li>
  )
}

function Nothing({ count, place }: { count: number; place: Place }) {
  if (count > 0)
    return (
      <Group gap="xs">
        <StateBadge color="green">Nothing to do</StateBadge>
        <Text size="sm" c="dimmed">
          All exports and plugins work.
        </Text>
      </Group>
    )
  return (
    <Stack gap="sm" align="flex-start">
      <Text size="sm" c="dimmed">
        No exports yet. {EXPORT_PURPOSE}
      </Text>
      <ButtonLink to={NEW_EXPORT} params={place} size="xs">
        Create export
      </ButtonLink>
    </Stack>
  )
}
