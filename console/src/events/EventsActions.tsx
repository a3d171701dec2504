import { ActionIcon, Button, Menu, Switch, Text, Tooltip } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { notifyDone } from '../parts/ErrorAlert.tsx'
import { ChevronDownIcon, CopyIcon, DownloadIcon, RetryIcon } from '../parts/icons.tsx'
import { csvUrl, curlCommand, MAX_ROWS } from './request.ts'
import type { View } from './view.ts'

/** Follows new events, and takes the list elsewhere. */
export function EventsActions({
  project_id,
  view: { search, filter },
  refresh,
  isBroken,
}: {
  project_id: string
  view: View
  refresh: () => void
  isBroken: boolean
}) {
  const clipboard = useClipboard()
  const copy = (): void => {
    clipboard.copy(curlCommand(project_id, search))
    notifyDone('Copied the curl command. It reads the API key from WORKSPACE_KEY.')
  }
  return (
    <>
      <Switch
        label="Live"
        checked={search.live === true}
        onChange={({ currentTarget: { checked } }) => {
          filter(checked ? { live: true, before: undefined } : { live: undefined })
          // The list has not seen the events that arrived live.
          if (!checked) refresh()
        }}
      />
      <Tooltip label="Refresh">
        <ActionIcon variant="default" size={30} aria-label="Refresh" onClick={refresh}>
          <RetryIcon size={16} />
        </ActionIcon>
      </Tooltip>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Button variant="default" size="xs" rightSection={<ChevronDownIcon size={14} />}>
            More
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            component="a"
            href={csvUrl(project_id, search)}
            download="events.csv"
            disabled={isBroken}
            leftSection={<DownloadIcon size={16} />}
          >
            Download CSV
            <Text size="xs" c="dimmed">
              The newest {MAX_ROWS.toLocaleString()} matching events at most
            </Text>
          </Menu.Item>
          <Menu.Item onClick={copy} leftSection={<CopyIcon size={16} />}>
            Copy as curl
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
