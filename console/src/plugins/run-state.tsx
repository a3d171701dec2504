/** How the calls of a configuration went, as word and color. */
import { Alert, Group, Text } from '@mantine/core'
import type { Schemas } from '../api.ts'
import { WarningIcon } from '../parts/icons.tsx'
import { StateBadge } from '../parts/StateBadge.tsx'
import { Time } from '../parts/Time.tsx'

type Config = Schemas['PluginConfig']

const HEALTHY = 0.99

/** Rounded down, so a rate with a failure is never 100 %. */
export const percent = (rate: number): string => `${Math.floor(rate * 1000) / 10} %`

function wordOf({ enabled, error, delivery_rate_24h: rate }: Config): { word: string; color: string } {
  if (error) return enabled ? { word: 'Failing', color: 'red' } : { word: 'Off after an error', color: 'red' }
  if (!enabled) return { word: 'Off', color: 'gray' }
  if (rate === null) return { word: 'No calls in 24 hours', color: 'gray' }
  if (rate >= HEALTHY) return { word: 'Healthy', color: 'green' }
  // The rate does not say how many calls there were: one failure of two is no more than some.
  return rate === 0 ? { word: 'All calls failed', color: 'red' } : { word: 'Some failures', color: 'yellow' }
}

/** Whether calls fail, or an error has turned the plugin off. */
export const hasProblem = (config: Config): boolean => ['red', 'yellow'].includes(wordOf(config).color)

export function RunState({ config }: { config: Config }) {
  const { word, color } = wordOf(config)
  const rate = config.delivery_rate_24h
  return (
    <Group gap="xs">
      <StateBadge color={color}>{word}</StateBadge>
      {rate !== null && (
        <Text span size="xs" c="dimmed">
          {percent(rate)} of calls succeeded in 24 hours
        </Text>
      )}
    </Group>
  )
}

/** The last error, if no call succeeded after it. */
export function LastError({ error }: Pick<Config, 'error'>) {
  if (!error) return null
  return (
    <Alert color="red" icon={<WarningIcon />} title={`Last error: ${error.name} in ${error.method}`}>
      <Text size="sm" className="wrap">
        {error.message}
      </Text>
      <Text size="xs" mt={4} component="div">
        <Time value={error.time} />
      </Text>
      {error.stack && (
        <details className="stack">
          <summary>Stack</summary>
          <pre>{error.stack}</pre>
        </details>
      )}
    </Alert>
  )
}
