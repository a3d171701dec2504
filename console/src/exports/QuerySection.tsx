import './exports.css'
import { Button, Group, Skeleton, Stack, Switch, Table, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { lazy, Suspense, useId, useMemo } from 'react'
import { WorkspaceError } from '../api.ts'
import { findNamesOf } from '../events/find-names.ts'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { MODELS, type Model } from './models.ts'
import { type Preview, previewQuery } from './preview.ts'

const QueryEditor = lazy(() => import('../parts/QueryEditor.tsx'))

/** A query of an export, with its errors at their place and a preview of its rows. */
export function QuerySection({
  project,
  model,
  value,
  onChange,
  error,
}: {
  project: string
  model: Model
  /** Null for all rows with the default columns. */
  value: string | null
  onChange: (query: string | null) => void
  error: WorkspaceError | undefined
}) {
  const [label, hint] = [useId(), useId()]
  const preview = useMutation({ mutationFn: (query: string) => previewQuery(project, model, query) })
  const shownError = error ?? queryErrorOf(preview.error)
  const findNames = useMemo(() => findNamesOf(project), [project])
  return (
    <Stack gap="xs">
      <Switch
        label="Choose columns and rows with a query"
        description="Otherwise the export has the default columns and all rows."
        checked={value !== null}
        onChange={(event) => {
          preview.reset()
          onChange(event.currentTarget.checked ? MODELS[model].query : null)
        }}
      />
      {value !== null && (
        <>
          <Text size="sm" fw={600} id={label}>
            HogQL query
          </Text>
          <Suspense fallback={<Skeleton height={130} />}>
            <QueryEditor
              value={value}
              onChange={(query) => {
                if (preview.error) preview.reset()
                onChange(query)
              }}
              findNames={findNames}
              error={shownError}
              labelledBy={label}
              describedBy={hint}
            />
          </Suspense>
          {/* The live region exists before the error, so screen readers announce it. */}
          <div role="alert">
            {shownError !== undefined && (
              <Text size="sm" c="var(--mantine-color-error)" className="wrap">
                {shownError.detail}
              </Text>
            )}
          </div>
          <Group justify="space-between">
            <Text size="xs" c="dimmed" id={hint}>
              A SELECT on {model} with an optional WHERE. No joins, groups or limits.
            </Text>
            <Button
              size="xs"
              variant="default"
              loading={preview.isPending}
              disabled={value.trim() === ''}
              onClick={() => preview.mutate(value)}
            >
              Preview ten rows
            </Button>
          </Group>
          {preview.error && !queryErrorOf(preview.error) && (
            <ErrorAlert error={preview.error} title="The preview failed" />
          )}
          {preview.data && <PreviewTable preview={preview.data} />}
        </>
      )}
    </Stack>
  )
}

/** The error if it is about the query. */
export const queryErrorOf = (error: unknown): WorkspaceError | undefined =>
  error instanceof WorkspaceError && error.attr === 'hogql_query' ? error : undefined

const cellText = (value: unknown): string =>
  value === null ? 'NULL' : typeof value === 'object' ? JSON.stringify(value) : String(value)

function PreviewTable({ preview: { columns, results } }: { preview: Preview }) {
  if (results.length === 0)
    return (
      <Text size="sm" role="status">
        The query is valid, but no recent row matches it.
      </Text>
    )
  return (
    <Stack gap={4}>
      <Text size="sm" role="status">
        {plural(results.length, 'row')}
      </Text>
      <Table.ScrollContainer
        minWidth={500}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': 'Preview' } }}
      >
        <Table fz="xs" withTableBorder>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th key={column}>{column}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {results.map((values, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a preview have no id and never change.
              <Table.Tr key={i}>
                {values.map((value, column) => (
                  <Table.Td key={columns[column]}>
                    <Text size="xs" className="one-line mono" maw={260} title={cellText(value)}>
                      {cellText(value)}
                    </Text>
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Stack>
  )
}
