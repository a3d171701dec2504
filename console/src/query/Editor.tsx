import { Button, Group, Kbd, Skeleton, Stack, Text } from '@mantine/core'
import { lazy, Suspense, useId, useMemo, useRef } from 'react'
import { findNamesOf } from '../events/find-names.ts'
import { CloseIcon, PlayIcon } from '../parts/icons.tsx'
import { queryErrorOf } from './queries.ts'
import type { QueryText } from './use-query-text.ts'

const QueryEditor = lazy(() => import('../parts/QueryEditor.tsx'))

/** The text of the query with its error, and the buttons that run and cancel it. */
export function Editor({
  project_id,
  view,
  run,
  cancel,
  error,
  isRunning,
}: {
  project_id: string
  view: QueryText
  run: () => void
  cancel: () => void
  error: unknown
  isRunning: boolean
}) {
  const [label, hint] = [useId(), useId()]
  const runButton = useRef<HTMLButtonElement>(null)
  const findNames = useMemo(() => findNamesOf(project_id), [project_id])
  const queryError = queryErrorOf(error)
  // The button disappears, and the focus would be lost.
  const stop = (): void => {
    runButton.current?.focus()
    cancel()
  }
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600} id={label}>
        HogQL query
      </Text>
      <Suspense fallback={<Skeleton height={130} />}>
        <QueryEditor
          value={view.text}
          onChange={view.edit}
          onRun={run}
          findNames={findNames}
          error={queryError}
          labelledBy={label}
          describedBy={hint}
        />
      </Suspense>
      <Group gap="xs" className="query-actions">
        <Button
          ref={runButton}
          onClick={run}
          disabled={view.text.trim() === ''}
          leftSection={<PlayIcon size={16} />}
          aria-keyshortcuts="Control+Enter Meta+Enter"
        >
          Run
        </Button>
        {isRunning && (
          <Button variant="default" onClick={stop} leftSection={<CloseIcon size={16} />}>
            Cancel
          </Button>
        )}
        <Text size="xs" c="dimmed" id={hint} ms="auto" {...(view.fitsUrl && { visibleFrom: 'sm' })}>
          {view.fitsUrl ? (
            <>
              <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">Enter</Kbd> runs the query, <Kbd size="xs">Ctrl</Kbd>{' '}
              <Kbd size="xs">Space</Kbd> completes a name.
            </>
          ) : (
            'This query is too long for the address of the page. Copy its text to share it.'
          )}
        </Text>
      </Group>
      {/* The live region exists before the error, so screen readers announce it. */}
      <div role="alert">
        {queryError && (
          <Text size="sm" c="var(--mantine-color-error)" className="wrap">
            {queryError.detail}
          </Text>
        )}
      </div>
    </Stack>
  )
}
