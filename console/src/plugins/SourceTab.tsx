import { Alert, Badge, Box, Button, Group, NavLink, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { queryClient, type Schemas } from '../api.ts'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { errorBeside, fieldError } from '../parts/field-error.ts'
import { plural } from '../parts/format.ts'
import { PlusIcon } from '../parts/icons.tsx'
import { needsOwnPlugin } from './access.ts'
import { configsQuery, type FamilyPlace, pluginQuery, refreshPlugins, sourceQuery, updateSource } from './queries.ts'

const SourceEditor = lazy(() => import('./SourceEditor.tsx').then(({ SourceEditor }) => ({ default: SourceEditor })))

const RunOffer = lazy(() => import('./SavedTests.tsx').then(({ RunOffer }) => ({ default: RunOffer })))

const MANIFEST = 'plugin.json'
const MAIN = 'index.ts'

/** The files of a plugin, to read and to edit. */
export function SourceTab({
  place,
  plugin,
  organization,
  project,
  config,
  file,
  setFile,
}: {
  place: FamilyPlace
  plugin: Schemas['Plugin']
  organization: Schemas['Organization']
  project: string
  config: Schemas['PluginConfig'] | undefined
  file: string | undefined
  setFile: (file: string) => void
}) {
  const reason = needsOwnPlugin(organization, plugin)
  const source = useQuery({ ...sourceQuery(place, plugin.id), enabled: reason === undefined })
  if (reason !== undefined) return <EmptyState title="You cannot see the source">{reason}</EmptyState>
  if (source.error) return <ErrorAlert error={source.error} retry={() => void source.refetch()} />
  if (!source.data) return <Skeleton h={320} />
  return <Files place={place} project={project} config={config} stored={source.data} file={file} setFile={setFile} />
}

function Files({
  place,
  project,
  config,
  stored,
  file,
  setFile,
}: {
  place: FamilyPlace
  project: string
  config: Schemas['PluginConfig'] | undefined
  stored: Schemas['PluginWithSource']
  file: string | undefined
  setFile: (file: string) => void
}) {
  /** Texts by file name that are not saved yet; null for deleted files. */
  const [edits, setEdits] = useState<Record<string, string | null>>({})
  /** Counts replacements of the text from outside, which need a new editor. */
  const [version, setVersion] = useState(0)
  const save = useMutation({
    mutationFn: ({ allow_broken }: { allow_broken: boolean }) =>
      updateSource(place, stored.id, { source: edits, ...(allow_broken && { allow_broken }) }),
    onSuccess: async (updated, { allow_broken }) => {
      const { source: _source, source_errors, ...plugin } = updated
      queryClient.setQueryData(sourceQuery(place, stored.id).queryKey, updated)
      queryClient.setQueryData(pluginQuery(place, stored.id).queryKey, plugin)
      setEdits({})
      notifyDone(
        allow_broken
          ? 'The source is saved, and the plugin was switched off.'
          : Object.keys(source_errors).length
            ? 'The source is saved. It has errors.'
            : 'The source is saved without errors.',
      )
      await refreshPlugins(place.organization)
      if (allow_broken) await queryClient.invalidateQueries({ queryKey: configsQuery(project).queryKey })
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
  const manifestError = fieldError(save.error, `source__${MANIFEST}`)
  if (manifestError) errors[MANIFEST] = manifestError
  /** Why the code does not load, when saving it would switch the plugin off. */
  const refused = fieldError(save.error, `source__${MAIN}`)
  const rest = errorBeside(save.error, `source__${MANIFEST}`, `source__${MAIN}`)
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
      {rest !== null && <ErrorAlert error={rest} title="The source was not saved" />}
      {refused !== undefined && (
        <Alert color="red" title="The source was not saved" role="alert">
          <Stack gap="xs" align="flex-start">
            <Text size="sm" className="wrap">
              {refused}
            </Text>
            <Text size="sm">Correct the code, or save it anyway: then the plugin is switched off in all projects.</Text>
            <Button
              size="xs"
              variant="default"
              loading={save.isPending}
              onClick={() => save.mutate({ allow_broken: true })}
            >
              Save anyway
            </Button>
          </Stack>
        </Alert>
      )}
      {save.isSuccess && !isDirty && config && Object.keys(errors).length === 0 && (
        <Suspense>
          <RunOffer key={save.submittedAt} project={project} config={config} />
        </Suspense>
      )}
      <Group align="flex-start" gap="md">
        <Stack gap="xs" w={{ base: '100%', sm: 220 }}>
          <Box component="nav" aria-label="Files">
            {names.map((name) => (
              <NavLink
                key={name}
                component="button"
                type="button"
                active={name === shown}
                {...(name === shown && { 'aria-current': 'true' as const })}
                label={<span className="mono wrap">{name}</span>}
                rightSection={<FileState isEdited={name in edits} hasError={name in errors} />}
                onClick={() => setFile(name)}
              />
            ))}
          </Box>
          <AddFile
            names={names}
            add={(name) => {
              edit(name, '')
              setFile(name)
            }}
          />
        </Stack>
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
                error={shown in edits && shown !== MANIFEST ? undefined : errors[shown]}
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

function FileState({ isEdited, hasError }: { isEdited: boolean; hasError: boolean }) {
  if (isEdited)
    return (
      <Badge variant="dot" color="blue" size="xs" tt="none">
        Changed
      </Badge>
    )
  return hasError ? (
    <Badge variant="dot" color="red" size="xs" tt="none">
      Error
    </Badge>
  ) : null
}

function AddFile({ names, add }: { names: string[]; add: (name: string) => void }) {
  const [name, setName] = useState('')
  const wanted = name.trim()
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        add(wanted)
        setName('')
      }}
    >
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          size="xs"
          flex={1}
          label="New file"
          placeholder="helpers.ts"
          maxLength={200}
          value={name}
          error={names.includes(wanted) ? 'The file exists.' : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button
          type="submit"
          size="xs"
          variant="default"
          aria-label="Add file"
          disabled={wanted === '' || names.includes(wanted)}
        >
          <PlusIcon size={14} />
        </Button>
      </Group>
    </form>
  )
}
