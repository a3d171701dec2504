import { Button, Group, Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ErrorAlert, notifyDone } from '../parts/ErrorAlert.tsx'
import { errorBeside, fieldError } from '../parts/field-error.ts'
import { FAMILIES } from './families.ts'
import { type FamilyPlace, install, refreshPlugins } from './queries.ts'
import { nameOf } from './versions.ts'

type Way = 'url' | 'source'

/** The files of a new plugin. */
const templateOf = (name: string): Record<string, string> => ({
  'plugin.json': `${JSON.stringify({ name, description: '', main: 'index.ts', config: [] }, null, 2)}\n`,
  'index.ts': [
    'export async function setupPlugin({ config }) {}',
    '',
    '/** Called for every event. */',
    'export async function onEvent(event, { config }) {}',
    '',
  ].join('\n'),
})

/** Installs a plugin by its URL, or creates one whose source is written in the console. */
export function InstallDialog({ place, project, close }: { place: FamilyPlace; project: string; close: () => void }) {
  const navigate = useNavigate()
  const [way, setWay] = useState<Way>('url')
  const [url, setUrl] = useState('')
  const [name, setName] = useState('')
  const { noun } = FAMILIES[place.family]
  const add = useMutation({
    mutationFn: () =>
      install(place, way === 'url' ? { url: url.trim() } : { plugin_type: 'source', name, source: templateOf(name) }),
    onSuccess: async (plugin) => {
      await refreshPlugins(place.organization)
      close()
      notifyDone(`"${nameOf(plugin)}" is installed.`)
      await navigate({
        to: '/organizations/$organization/projects/$project/plugins/$family/$plugin',
        params: { ...place, project, plugin: String(plugin.id) },
        search: way === 'source' ? { tab: 'source' } : {},
      })
    },
  })
  const rest = errorBeside(add.error, way === 'url' ? 'url' : 'name')
  return (
    <Modal opened onClose={close} title={`Install a ${noun}`.replace('a import', 'an import')} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault()
          add.mutate()
        }}
      >
        <Stack>
          <SegmentedControl
            aria-label="Install from"
            data={[
              { value: 'url', label: 'From a URL' },
              { value: 'source', label: 'From source' },
            ]}
            value={way}
            onChange={(next) => {
              setWay(next as Way)
              add.reset()
            }}
          />
          {way === 'url' ? (
            <TextInput
              key="url"
              label="URL"
              description="A GitHub or GitLab repository, or an npm package. Add ?private_token=… for a private one; the token is stored encrypted and not shown."
              placeholder="https://github.com/user/repository"
              data-autofocus
              required
              withAsterisk={false}
              maxLength={800}
              value={url}
              error={fieldError(add.error, 'url')}
              onChange={(event) => setUrl(event.currentTarget.value)}
            />
          ) : (
            <TextInput
              key="name"
              label="Name"
              description="The plugin starts with a plugin.json and an index.ts, which you edit next."
              required
              withAsterisk={false}
              maxLength={200}
              value={name}
              error={fieldError(add.error, 'name')}
              onChange={(event) => setName(event.currentTarget.value)}
            />
          )}
          {rest !== null && <ErrorAlert error={rest} title="The plugin was not installed" />}
          {add.isPending && way === 'url' && (
            <Text size="sm" role="status">
              Fetching the code. This takes up to 20 seconds.
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={add.isPending}>
              {way === 'url' ? 'Install plugin' : 'Create plugin'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
