import { Button, Group, Modal, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Time } from '../parts/Time.tsx'

/** Asks whether to deliver or skip the events that arrived while the plugin was off. */
export default function ResumeDialog({
  name,
  since,
  close,
  resume,
}: {
  name: string
  /** When the plugin was turned off. */
  since: string
  close: () => void
  resume: (skip: boolean) => void
}) {
  const [gap, setGap] = useState('deliver')
  return (
    <Modal opened onClose={close} title={`Turn "${name}" on?`}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          close()
          resume(gap === 'skip')
        }}
      >
        <Stack>
          <Text size="sm" component="div">
            The plugin was turned off <Time value={since} />. Choose what happens to the events that arrived since then.
          </Text>
          <Radio.Group label="Events of the pause" value={gap} onChange={setGap}>
            <Stack gap="xs" mt="xs">
              <Radio value="deliver" label="Deliver them" description="Oldest first. New events follow after them." />
              <Radio value="skip" label="Skip them" description="The plugin starts with the next event." />
            </Stack>
          </Radio.Group>
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit">Turn plugin on</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
