import { Button, Group, Stack, Table, Text, UnstyledButton } from '@mantine/core'
import type { Schemas } from '../api.ts'
import { duration, plural } from '../parts/format.ts'
import { ChevronDownIcon, ChevronRightIcon } from '../parts/icons.tsx'
import { Time } from '../parts/Time.tsx'
import { RunBadge } from './badges.tsx'
import { RunActions } from './RunActions.tsx'
import { RunDetails } from './RunDetails.tsx'
import type { RunGroup } from './run-groups.ts'
import { durationOf, firstLine, rowsText, STATUSES, windowText, windowUtc } from './run-status.ts'

type Run = Schemas['BatchExportRun']

interface GroupProps {
  group: RunGroup
  row: Schemas['BatchExport']
  project: string
  opened: string | undefined
  toggle: (id: string) => void
}

/** The newest run of a window. Unfolded it shows all runs of the window. */
export function GroupRows({ group: { runs }, row, project, opened, toggle }: GroupProps) {
  const [newest] = runs
  const open = runs.find(({ id }) => id === opened)
  return (
    <>
      <Table.Tr>
        <Table.Td>
          <UnstyledButton
            onClick={() => toggle(open?.id ?? newest.id)}
            aria-expanded={open !== undefined}
            aria-label={`Details of the window ${windowText(newest)}`}
          >
            <Group gap={6} wrap="nowrap">
              {open ? <ChevronDownIcon size={14} /> : <ChevronRightIcon size={14} />}
              <Text span size="sm" title={windowUtc(newest)}>
                {windowText(newest)}
              </Text>
            </Group>
          </UnstyledButton>
          {runs.length > 1 && (
            <Text size="xs" c="dimmed" pl={20}>
              {plural(runs.length, 'run')}
            </Text>
          )}
        </Table.Td>
        <RunCells run={newest} />
        <Table.Td>
          <RunActions run={newest} row={row} project={project} />
        </Table.Td>
      </Table.Tr>
      {open && (
        <Table.Tr>
          <Table.Td colSpan={6}>
            <Stack gap="sm" py="xs">
              {runs.length > 1 && (
                <Group gap={6} role="group" aria-label="Runs of the window">
                  {runs.map((run, i) => (
                    <Button
                      key={run.id}
                      size="compact-xs"
                      variant={run.id === open.id ? 'filled' : 'default'}
                      aria-pressed={run.id === open.id}
                      onClick={() => run.id !== open.id && toggle(run.id)}
                    >
                      Run {runs.length - i}: {STATUSES[run.status].label}
                    </Button>
                  ))}
                </Group>
              )}
              <RunDetails run={open} row={row} project={project} />
            </Stack>
          </Table.Td>
        </Table.Tr>
      )}
    </>
  )
}

function RunCells({ run }: { run: Run }) {
  return (
    <>
      <Table.Td>
        <RunBadge run={run} />
        {run.latest_error !== null && (
          <Text
            size="xs"
            c="var(--mantine-color-error)"
            className="one-line"
            maw={{ base: 320, sm: 240 }}
            title={firstLine(run.latest_error)}
          >
            {firstLine(run.latest_error)}
          </Text>
        )}
      </Table.Td>
      <Table.Td className="number">{rowsText(run)}</Table.Td>
      <Table.Td className="number" data-label="Duration">
        {duration(durationOf(run))}
      </Table.Td>
      <Table.Td data-label="Started">
        <Time value={run.created_at} />
      </Table.Td>
    </>
  )
}
