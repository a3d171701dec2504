import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import type { Schemas } from '../api.ts'
import { Copy, CopyIconButton } from '../parts/Copy.tsx'
import { InfoIcon } from '../parts/icons.tsx'

type CreatedInvite = Schemas['InviteCreated']

/** The link that the server would mail. */
const linkOf = ({ id, signup_token }: CreatedInvite): string =>
  `${location.origin}/signup/${id}/?token=${signup_token ?? ''}`

/** Shows the links of invites once, on a server without mail. */
export function InviteLinks({ invites, close }: { invites: CreatedInvite[]; close: () => void }) {
  return (
    <Modal
      opened={invites.length > 0}
      onClose={close}
      title="Send these links yourself"
      size="lg"
      closeOnClickOutside={false}
    >
      <Stack>
        <Alert color="yellow" icon={<InfoIcon />} title="The links are shown only once">
          <Text size="sm">
            This server sends no email. Copy each link and send it to its recipient. Anyone who has the link can accept
            the invite. If a link is lost, create a new one in the list of invites.
          </Text>
        </Alert>
        <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
          {invites.map((invite) => (
            <li key={invite.id}>
              <Text size="sm" fw={500} className="wrap">
                {invite.target_email}
              </Text>
              <Copy value={linkOf(invite)} label={`link for ${invite.target_email}`} />
            </li>
          ))}
        </Stack>
        <Group justify="space-between">
          {invites.length > 1 ? (
            <Group gap={6}>
              <CopyIconButton
                value={invites.map((invite) => `${invite.target_email} ${linkOf(invite)}`).join('\n')}
                label="all links"
              />
              <Text size="sm">Copy all links with their addresses</Text>
            </Group>
          ) : (
            <span />
          )}
          <Button onClick={close}>I have copied the {invites.length > 1 ? 'links' : 'link'}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
