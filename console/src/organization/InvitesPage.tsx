import { Button, Modal } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../api.ts'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { PlusIcon } from '../parts/icons.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Pager } from '../parts/Pager.tsx'
import { useOrganization } from '../shell/workspace.ts'
import { InviteForm } from './InviteForm.tsx'
import { InviteLinks } from './InviteLinks.tsx'
import { InviteTable } from './InviteTable.tsx'
import { invitesQuery, PAGE_SIZE } from './queries.ts'

type CreatedInvite = Schemas['InviteCreated']

const route = getRouteApi('/signed-in/organizations/$organization/invites')

export function InvitesPage() {
  const organization = useOrganization()
  const navigate = route.useNavigate()
  const { page = 1, create } = route.useSearch()
  const invites = useQuery(invitesQuery(organization.id, page))
  const isEmpty = invites.data?.results.length === 0
  const [links, setLinks] = useState<CreatedInvite[]>([])
  const setCreate = (create: true | undefined): void =>
    void navigate({ search: (before) => ({ ...before, create }), replace: create === undefined })

  /** Links are in the responses of a server without mail, and nowhere else. */
  const show = (created: CreatedInvite[]): void => {
    const withLinks = created.filter(({ signup_token }) => signup_token !== undefined)
    if (withLinks.length) setLinks((before) => [...before, ...withLinks])
  }

  const inviteButton = (
    <Button leftSection={<PlusIcon />} onClick={() => setCreate(true)}>
      Invite people
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Invites"
        description="Invites that nobody has accepted yet. They are valid for three days."
        actions={isEmpty ? undefined : inviteButton}
      />
      {invites.error ? (
        <ErrorAlert
          error={invites.error}
          title="The invites could not be loaded"
          retry={() => void invites.refetch()}
        />
      ) : isEmpty ? (
        <EmptyState title="No pending invites" action={inviteButton}>
          {page > 1
            ? 'This page of the list is empty.'
            : 'Everyone you invited has joined, or nobody was invited yet. Invite people by their email address.'}
        </EmptyState>
      ) : (
        <>
          <InviteTable organization={organization} invites={invites.data?.results} onCreated={show} />
          {invites.data && (
            <Pager
              count={invites.data.count}
              limit={PAGE_SIZE}
              page={page}
              noun="invite"
              onChange={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
            />
          )}
        </>
      )}
      <Modal opened={create === true} onClose={() => setCreate(undefined)} title="Invite people" size="lg">
        {create && <InviteForm organization={organization} onCreated={show} close={() => setCreate(undefined)} />}
      </Modal>
      <InviteLinks invites={links} close={() => setLinks([])} />
    </>
  )
}
