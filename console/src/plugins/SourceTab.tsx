import { Alert, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { queryClient, type Schemas, WorkspaceError } from '../api.ts'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { plural } from '../parts/format.ts'
import { useChange } from '../parts/use-change.ts'
import { useOrganization } from '../shell/workspace.ts'
import { needsOwnPlugin } from './access.ts'
import { FileList } from './FileList.tsx'
import { configsQuery, type PluginProps, pluginsKey, sourceQuery, storePlugin, updateSource } from './queries.ts'
import type { SourceError } from './SourceEditor.tsx'
import { SourceRefusal } from './SourceRefusal.tsx'

const SourceEditor = lazy(() => import('./SourceEditor.tsx').then(({ SourceEditor }) => ({ default: SourceEditor })))

const RunOffer = lazy(() => import('./RunOffer.tsx'))

const MANIFEST = 'plugin.json'
const MAIN = 'index.ts'

interface SourceProps {
  project: string
  config: Schemas['PluginConfig'] | undefined
  file: string | undefined
  setFile: (file: string) => void
}

/** The files of a plugin, to read and to edit. */
export function SourceTab({ place, plugin, ...props }: PluginProps & SourceProps) {
  const reason = needsOwnPlugin(useOrganization(), plugin)
  const source = useQuery({ ...sourceQuery(place, plugin.id), enabled: reason === undefined })
  if (reason !== undefined) return <EmptyState title="You cannot see the source">{reason}</EmptyState>
  if (source.error) return <ErrorAlert error={source.error} retry={() => void source.refetch()} />
  if (!source.data) return <Skeleton h={320} />
  return <Files place={place} stored={source.data} {...props} />
}

function Files({
  place,
  stored,
  project,
  config,
  file,
  setFile,
}: SourceProps & Pick<PluginProps, 'place'> & { stored: Schemas['PluginWithSource'] }) {
  /** Texts by file name that are not saved yet; null for deleted files. */
  const [edits, setEdits] = useState<Record<string, string | null>>({})
  /** Counts replacements of the text from outside, which need a new editor. */
  const [version, setVersion] = useState(0)
  const save = useChange({
    send: ({ allow_broken }: { allow_broken: boolean }) =>
      updateSource(place, stored.id, { source: edits, ...(allow_broken && { allow_broken }) }),
    done: ({ source_errors }, { allow_broken }) =>
      allow_broken
        ? 'The source is saved, and the plugin was switched off.'
        : Object.keys(source_errors).length
          ? 'The source is saved. It has errors.'
          : 'The source is saved without errors.',
    refreshes: [pluginsKey(place.organization), configsQuery(project).queryKey],
    after: (updated) => {
      const { source: _source, source_errors: _errors, source_error_positions: _positions, ...plugin } = updated
      queryClient.setQueryData(sourceQuery(place, stored.id).queryKey, updated)
      storePlugin(place, plugin)
      // Text that was typed in the meantime stays.
      setEdits((edits) =>
        Object.fromEntries(Object.entries(edits).filter(([name, text]) => text !== (updated.source[name] ?? null))),
      )
    },
  })
  const isDirty = Object.keys(edits).length > 0
  useBlocker({
    // Choosing a file stays on the page.
    shouldBlockFn: ({ current, next }) =>
      isDirty &&
      !save.isPending &&
      !(current.pathname === next.pathname && 'tab' in next.search && next.search.tab === 'source') &&
      !confirm('Your changes of the source are not saved. Leave and lose them?'),
    enableBeforeUnload: () => isDirty,
  })

  const texts = { ...stored.source, ...edits }
  const names = Object.keys(texts)
    .filter((name) => texts[name] !== null)
    .sort((one, other) => Number(other === MANIFEST) - Number(one === MANIFEST) || one.localeCompare(other))
  const shown = file !== undefined && names.includes(file) ? file : (names.find((name) => name === MAIN) ?? names[0])
  const errors: Record<string, string> = { ...stored.source_errors }
  /** Why the source was not saved. The error of the manifest is shown as one of its file. */
  const refused = save.error instanceof WorkspaceError ? save.error : null
  const isManifestError = refused?.attr === `source__${MANIFEST}`
  if (isManifestError) errors[MANIFEST] = refused.detail
  const errorIn = (name: string): SourceError | undefined => {
    const detail = errors[name]
    return detail === undefined ? undefined : { detail, line: stored.source_error_positions[name]?.line ?? 1 }
  }
  const edit = (name: string, text: string | null): void =>
    setEdits(({ [name]: _before, ...others }) => (text === stored.source[name] ? others : { ...others, [name]: text }))

  return (
    <Stack>
      {Object.entries(errors).map(([name, message]) => (
        <Alert key={name} color="red" title={`Error in ${name}`} role="alert">
          <Text size="sm" className="wrap">
            {message}
          </Text>
        </Alert>
      ))}
      {save.error && !isManifestError && (
        <SourceRefusal
          error={save.error}
          // The code does not load, so saving it would switch the plugin off.
          saveAnyway={refused?.attr === `source__${MAIN}` ? () => save.mutate({ allow_broken: true }) : undefined}
          isPending={save.isPending}
        />
      )}
      {save.isSuccess && !isDirty && config && Object.keys(errors).length === 0 && (
        <Suspense>
          <RunOffer key={save.submittedAt} project={project} config={config} />
        </Suspense>
      )}
      <Group align="flex-start" gap="md">
        <FileList
          names={names}
          shown={shown}
          isEdited={(name) => name in edits}
          hasError={(name) => name in errors}
          choose={setFile}
          add={(name) => {
            edit(name, '')
            setFile(name)
          }}
        />
        <Stack gap="xs" flex="1 1 20rem" miw={0}>
          {shown === undefined ? (
            <EmptyState title="The plugin has no files">Add a plugin.json and an index.ts.</EmptyState>
          ) : (
            <Suspense fallback={<Skeleton h={320} />}>
              <SourceEditor
                key={`${shown} ${version}`}
                name={shown}
                text={texts[shown] ?? ''}
                // An error belongs to the stored text.
                error={shown in edits && shown !== MANIFEST ? undefined : errorIn(shown)}
                onChange={(text) => edit(shown, text)}
              />
            </Suspense>
          )}
          <Group justify="space-between">
            <Group gap="xs">
              <Button loading={save.isPending} disabled={!isDirty} onClick={() => save.mutate({ allow_broken: false })}>
                Save source
              </Button>
              <Button
                variant="default"
                disabled={!isDirty}
                onClick={() => {
                  setEdits({})
                  save.reset()
                  setVersion(version + 1)
                }}
              >
                Discard changes
              </Button>
              <Text size="sm" c="dimmed" role="status">
                {isDirty ? `${plural(Object.keys(edits).length, 'file')} changed` : ''}
              </Text>
            </Group>
            {shown !== undefined && (
              <ConfirmButton
                variant="subtle"
                size="xs"
                danger
                title={`Delete ${shown}?`}
                effect="The file is deleted when you save the source."
                confirm="Delete file"
                onConfirm={async () => {
                  if (shown in stored.source) edit(shown, null)
                  else setEdits(({ [shown]: _new, ...others }) => others)
                }}
              >
                Delete file
              </ConfirmButton>
            )}
          </Group>
        </Stack>
      </Group>
    </Stack>
  )
}
