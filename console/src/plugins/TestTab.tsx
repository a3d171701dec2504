import { Group, Skeleton, Stack, Text } from '@mantine/core'
import type { LinkProps } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import type { Schemas } from '../api.ts'
import { ActionButton } from '../parts/ActionButton.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { PlayIcon } from '../parts/icons.tsx'
import { ADMINISTRATOR, needsLevel } from '../parts/levels.ts'
import { Section } from '../parts/Section.tsx'
import { useChange } from '../parts/use-change.ts'
import { MASK, missingSettings } from './fields.ts'
import { testPlugin } from './queries.ts'
import { SavedTests } from './SavedTests.tsx'
import { SaveTestEvent } from './SaveTestEvent.tsx'
import type { SourceError } from './SourceEditor.tsx'
import { eventsError, parseEvents, SAMPLE } from './sample-events.ts'
import { isSuccess, TestResults } from './TestResults.tsx'

const SourceEditor = lazy(() => import('./SourceEditor.tsx').then(({ SourceEditor }) => ({ default: SourceEditor })))

/** Runs the plugin on sample events, with the settings of the configuration if there is one. */
export default function TestTab({
  project,
  plugin,
  config,
  organization,
  source,
}: {
  project: string
  plugin: Schemas['Plugin']
  config: Schemas['PluginConfig'] | undefined
  organization: Schemas['Organization']
  /** The source of the plugin. */
  source: LinkProps
}) {
  const [text, setText] = useState(SAMPLE)
  const [invalid, setInvalid] = useState<SourceError>()
  const run = useChange({
    send: (events: Schemas['PluginTest']['events']) =>
      testPlugin(project, { ...(config ? { plugin_config: config.id } : { plugin: plugin.id }), events }),
  })
  const disabledReason = reasonAgainst(plugin, config, organization)
  const refused = eventsError(text, run.error)
  const error = invalid ?? refused
  const start = (): void => {
    const parsed = parseEvents(text)
    setInvalid('error' in parsed ? parsed.error : undefined)
    run.reset()
    if ('events' in parsed) run.mutate(parsed.events)
  }
  return (
    <Stack>
      {config && <SavedTests project={project} config={config} disabledReason={disabledReason} />}
      <Section
        title="Sample event"
        description="One event as JSON, or a list of up to 20. Nothing is stored, but requests of the plugin are sent."
      >
        <Suspense fallback={<Skeleton h={200} />}>
          <div className="sample-editor">
            <SourceEditor
              name="event.json"
              label="Sample event"
              text={SAMPLE}
              error={error}
              onChange={(text) => {
                setText(text)
                setInvalid(undefined)
                if (run.error) run.reset()
              }}
            />
          </div>
        </Suspense>
        {error !== undefined && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert" className="wrap">
            {error.detail}
          </Text>
        )}
        <Group>
          <ActionButton
            leftSection={<PlayIcon size={16} />}
            loading={run.isPending}
            disabledReason={disabledReason}
            onClick={start}
          >
            Run test
          </ActionButton>
        </Group>
        {run.error && refused === undefined && <ErrorAlert error={run.error} title="The test did not run" />}
      </Section>
      <div aria-live="polite">
        {run.data && (
          <TestResults
            result={run.data}
            source={source}
            save={
              config && run.variables?.length === 1 && isSuccess(run.data) ? (
                <SaveTestEvent
                  project={project}
                  config={config}
                  event={run.variables[0] as Schemas['PluginSampleEvent']}
                  result={run.data}
                />
              ) : undefined
            }
          />
        )}
      </div>
    </Stack>
  )
}

function reasonAgainst(
  plugin: Schemas['Plugin'],
  config: Schemas['PluginConfig'] | undefined,
  { membership_level }: Schemas['Organization'],
): string | undefined {
  const missing = missingSettings(plugin.config_schema, config?.config ?? {})
  if (missing.length) return `Fill in the settings first: ${missing.join(', ')}.`
  const hasSecrets = Object.values(config?.config ?? {}).includes(MASK)
  const reason = hasSecrets ? needsLevel(membership_level, ADMINISTRATOR) : undefined
  return reason && `The settings have secrets, which the code of a test can send anywhere. ${reason}`
}
