import { Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { FormActions } from '../parts/FormActions.tsx'
import { useServerForm } from '../parts/use-server-form.ts'
import { FAMILIES } from './families.ts'
import { type FamilyPlace, install, pluginsKey } from './queries.ts'
import { nameOf } from './versions.ts'

type Way = 'url' | 'source'

/** The field of each way. */
const FIELDS = { url: 'url', source: 'name' }

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
  const { noun } = FAMILIES[place.family]
  const { form, submit, isPending, error, forget } = useServerForm({
    initialValues: { url: '', name: '' },
    send: ({ url, name }) =>
      install(place, way === 'url' ? { url: url.trim() } : { plugin_type: 'source', name, source: templateOf(name) }),
    errorsOf: ({ attr, detail }) => (attr === FIELDS[way] ? { [attr]: detail } : {}),
    done: (plugin) => `"${nameOf(plugin)}" is installed.`,
    refreshes: [pluginsKey(place.organization)],
    after: (plugin) => {
      close()
      return navigate({
        to: '/organizations/$organization/projects/$project/plugins/$family/$plugin',
        params: { ...place, project, plugin: String(plugin.id) },
        search: way === 'source' ? { tab: 'source' } : {},
      })
    },
  })
  return (
    <Modal opened onClose={close} title={`Install a ${noun}`.replace('a import', 'an import')} size="lg">
      <form onSubmit={submit}>
        <Stack>
          <SegmentedControl<Way>
            aria-label="Install from"
            data={[
              { value: 'url', label: 'From a URL' },
              { value: 'source', label: 'From source' },
            ]}
            value={way}
            onChange={(next) => {
              setWay(next)
              forget()
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
              {...form.getInputProps('url')}
            />
          ) : (
            <TextInput
              key="name"
              label="Name"
              description="The plugin starts with a plugin.json and an index.ts, which you edit next."
              required
              withAsterisk={false}
              maxLength={200}
              {...form.getInputProps('name')}
            />
          )}
          {isPending && way === 'url' && (
            <Text size="sm" role="status">
              Fetching the code. This takes up to 20 seconds.
            </Text>
          )}
          <FormActions
            submit={way === 'url' ? 'Install plugin' : 'Create plugin'}
            cancel={close}
            isPending={isPending}
            error={error}
            errorTitle="The plugin was not installed"
          />
        </Stack>
      </form>
    </Modal>
  )
}
