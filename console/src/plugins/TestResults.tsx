import { Alert, Anchor, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Schemas } from '../api.ts'
import { duration } from '../parts/format.ts'
import { WarningIcon } from '../parts/icons.tsx'
import { LogLine } from '../parts/log.tsx'
import { Section } from '../parts/Section.tsx'
import { StateBadge } from '../parts/StateBadge.tsx'
import { linesOf } from './sample-events.ts'

type Result = Schemas['PluginTestResult']
type Call = Result['results'][number]

export const isSuccess = ({ error, results }: Result): boolean =>
  error === null && results.every((call) => call.error === null)

/** The calls of a test with their inputs and outputs. */
export function TestResults({ result, source, save }: { result: Result; source: LinkProps; save: ReactNode }) {
  const { error, results, logs, captured, jobs, milliseconds } = result
  return (
    <Section
      title="Results"
      state={
        isSuccess(result) ? (
          <StateBadge color="green">Succeeded</StateBadge>
        ) : (
          <StateBadge color="red">Failed</StateBadge>
        )
      }
      description={`The test took ${duration(milliseconds)}.`}
    >
      {save}
      {error !== null && (
        <Alert color="red" icon={<WarningIcon />} title="The plugin failed" role="alert">
          <Text size="sm" className="wrap">
            {error}
          </Text>
          <Anchor size="sm" underline="always" c="inherit" renderRoot={(props) => <Link {...props} {...source} />}>
            Open the source
          </Anchor>
        </Alert>
      )}
      {error === null && results.length === 0 && (
        <Text size="sm">
          No function was called. A test calls <span className="mono">processEvent</span>,{' '}
          <span className="mono">onEvent</span> and <span className="mono">composeWebhook</span>.
        </Text>
      )}
      {results.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: results have no id and are replaced as a whole.
        <CallResult key={index} number={index + 1} call={call} />
      ))}
      {logs.length > 0 && (
        <Part title="Log">
          <div className="log log-whole" role="log" aria-live="off" aria-label="Log of the test">
            {logs.map(({ type, message }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id and are replaced as a whole.
              <LogLine key={index} level={type} message={message} />
            ))}
          </div>
        </Part>
      )}
      {captured.length > 0 && (
        <Part title="Captured events">
          <Json label="Captured events" value={captured} />
        </Part>
      )}
      {jobs.length > 0 && (
        <Part title="Queued jobs">
          <Json label="Queued jobs" value={jobs} />
        </Part>
      )}
    </Section>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap={4}>
      <Title order={3} size="h5">
        {title}
      </Title>
      {children}
    </Stack>
  )
}

/** The outcome of a call as word and color. */
function outcomeOf({ function: name, input, output, error }: Call): [word: string, color: string] {
  if (error !== null) return ['Failed', 'red']
  if (name !== 'processEvent') return ['Succeeded', 'green']
  if (output === null) return ['Dropped the event', 'yellow']
  return JSON.stringify(input) === JSON.stringify(output) ? ['Kept the event', 'green'] : ['Changed the event', 'blue']
}

function CallResult({ number, call }: { number: number; call: Call }) {
  const [word, color] = outcomeOf(call)
  const name = call.function
  // The request of a webhook has nothing in common with the event.
  const isComparable = name === 'processEvent' && call.output !== null
  return (
    <Paper withBorder p="sm" component="section" aria-label={`Call ${number}: ${name}`}>
      <Group gap="xs" mb="xs">
        <Title order={3} size="h5" className="mono">
          {name}
        </Title>
        <StateBadge color={color}>{word}</StateBadge>
        <Text size="xs" c="dimmed">
          {duration(call.milliseconds)}
        </Text>
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Side label="Input">
          <Json
            label={`Input of ${name}`}
            value={call.input}
            {...(isComparable && { other: call.output, mark: '−' })}
          />
        </Side>
        <Side label="Output">
          {call.error !== null ? (
            <Text size="sm" c="var(--mantine-color-error)" className="wrap">
              {call.error}
            </Text>
          ) : call.output === null ? (
            <Text size="sm" c="dimmed">
              {name === 'processEvent' ? 'Nothing: the event is not stored.' : 'Nothing.'}
            </Text>
          ) : (
            <Json
              label={`Output of ${name}`}
              value={call.output}
              {...(isComparable && { other: call.input, mark: '+' })}
            />
          )}
        </Side>
      </SimpleGrid>
    </Paper>
  )
}

function Side({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Stack gap={4} miw={0}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      {children}
    </Stack>
  )
}

/** A value as JSON. Lines that `other` does not have begin with `mark`. */
function Json({
  label,
  value,
  other = value,
  mark,
}: {
  label: string
  value: unknown
  other?: unknown
  mark?: string
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <div className="json" role="group" aria-label={label} tabIndex={0}>
      {linesOf(value, other).map(({ text, isChanged }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id and do not move.
        <div key={index} className={isChanged ? `json-changed json-${mark === '+' ? 'added' : 'removed'}` : undefined}>
          {mark !== undefined && <span aria-hidden={!isChanged}>{isChanged ? mark : ' '} </span>}
          {text}
        </div>
      ))}
    </div>
  )
}
