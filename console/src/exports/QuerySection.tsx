import { Skeleton, Stack, Switch, Text } from '@mantine/core'
import { lazy, Suspense, useId, useMemo } from 'react'
import { WorkspaceError } from '../api.ts'
import { findNamesOf } from '../events/find-names.ts'
import { MODELS, type Model } from './models.ts'

const QueryEditor = lazy(() => import('../parts/QueryEditor.tsx'))

/** A query of an export, with its errors at their place. */
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
  const findNames = useMemo(() => findNamesOf(project), [project])
  return (
    <Stack gap="xs">
      <Switch
        label="Choose columns and rows with a query"
        description="Otherwise the export has the default columns of the destination."
        checked={value !== null}
        onChange={(event) => onChange(event.currentTarget.checked ? MODELS[model].query : null)}
      />
      {value !== null && (
        <>
          <Text size="sm" fw={600} id={label}>
            HogQL query
          </Text>
          <Suspense fallback={<Skeleton height={130} />}>
            <QueryEditor
              value={value}
              onChange={onChange}
              findNames={findNames}
              error={error}
              labelledBy={label}
              describedBy={hint}
            />
          </Suspense>
          {/* The live region exists before the error, so screen readers announce it. */}
          <div role="alert">
            {error !== undefined && (
              <Text size="sm" c="var(--mantine-color-error)" className="wrap">
                {error.detail}
              </Text>
            )}
          </div>
          <Text size="xs" c="dimmed" id={hint}>
            A SELECT on {model} with an optional WHERE. No joins, groups or limits.
          </Text>
        </>
      )}
    </Stack>
  )
}

/** The error if it is about the query. */
export const queryErrorOf = (error: unknown): WorkspaceError | undefined =>
  error instanceof WorkspaceError && error.attr === 'hogql_query' ? error : undefined
