import { Group, Stack, Table, Text } from '@mantine/core'
import type { Schemas } from '../api.ts'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { StateBadge } from '../parts/StateBadge.tsx'

type Run = Schemas['PluginTestEventRun']
export type RunResult = Run['results'][number]

export function RunBadge({ run: { passed, failed } }: { run: Run }) {
  return failed === 0 ? (
    <StateBadge color="green">{`${passed} passed`}</StateBadge>
  ) : (
    <StateBadge color="red">{`${failed} of ${passed + failed} failed`}</StateBadge>
  )
}

export function TestState({ result }: { result: RunResult | undefined }) {
  if (!result) return null
  return result.passed ? <StateBadge color="green">Passed</StateBadge> : <StateBadge color="red">Failed</StateBadge>
}

const VALUE_LENGTH = 300
const shortJson = (value: unknown): string => {
  const text = JSON.stringify(value)
  return text.length > VALUE_LENGTH ? `${text.slice(0, VALUE_LENGTH)}…` : text
}

/** Why a test event failed. */
export function TestFailure({
  result,
  accept,
}: {
  result: RunResult | undefined
  accept?: (expected: Schemas['PluginTestExpectation']) => Promise<unknown>
}) {
  if (!result || result.passed) return null
  const { error, differences, actual, name } = result
  if (error !== null)
    return (
      <Text size="sm" c="var(--mantine-color-error)" className="wrap">
        {error}
      </Text>
    )
  return (
    <Stack gap={4}>
      <Table.ScrollContainer minWidth={480} type="native" pos="relative">
        <Table aria-label={`Differences of ${name}`} fz="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Path</Table.Th>
              <Table.Th>Expected</Table.Th>
              <Table.Th>Actual</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {differences.map(({ path, kind, expected, actual }) => (
              <Table.Tr key={path}>
                <Table.Td className="mono wrap">{path}</Table.Td>
                <Table.Td className="mono wrap">{kind === 'unexpected' ? 'nothing' : shortJson(expected)}</Table.Td>
                <Table.Td className="mono wrap">{kind === 'missing' ? 'nothing' : shortJson(actual)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {accept && actual && (
        <Group>
          <ConfirmButton
            size="xs"
            variant="default"
            title={`Expect the present result of "${name}"?`}
            effect="The result of this run replaces the expected one."
            confirm="Replace expected result"
            onConfirm={() => accept(actual)}
          >
            Expect this result
          </ConfirmButton>
        </Group>
      )}
    </Stack>
  )
}
