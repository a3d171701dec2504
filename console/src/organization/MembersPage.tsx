import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { answer, client, type Schemas } from '../api.ts'
import { ConfirmButton } from '../parts/ConfirmButton.tsx'
import { EmptyState } from '../parts/EmptyState.tsx'
import { ErrorAlert } from '../parts/ErrorAlert.tsx'
import { InviteIcon, SearchIcon } from '../parts/icons.tsx'
import { OWNER } from '../parts/levels.ts'
import { ButtonLink } from '../parts/links.tsx'
import { PageHeader } from '../parts/PageHeader.tsx'
import { Pager } from '../parts/Pager.tsx'
import { useChange } from '../parts/use-change.ts'
import { useOrganization } from '../shell/workspace.ts'
import { openAnotherOrganization } from './leave.ts'
import { MemberTable } from './MemberTable.tsx'
import { membersQuery, PAGE_SIZE } from './queries.ts'

const route = getRouteApi('/signed-in/organizations/$organization/members')
const SEARCH_DELAY_MS = 250

export function MembersPage() {
  const organization = useOrganization()
  const navigate = route.useNavigate()
  const { page = 1, search } = route.useSearch()
  const members = useQuery(membersQuery(organization.id, page, search))
  return (
    <>
      <PageHeader
        title="Members"
        description="People who can sign in to this organization. Every member sees all of its projects."
        actions={
          <>
            <LeaveButton organization={organization} />
            <ButtonLink
              to="/organizations/$organization/invites"
              params={{ organization: organization.id }}
              search={{ create: true }}
              leftSection={<InviteIcon />}
            >
              Invite people
            </ButtonLink>
          </>
        }
      />
      <SearchField />
      {members.error ? (
        <ErrorAlert
          error={members.error}
          title="The members could not be loaded"
          retry={() => void members.refetch()}
        />
      ) : members.data?.results.length === 0 ? (
        <EmptyState
          title="No member found"
          action={
            <Button variant="default" onClick={() => void navigate({ search: {} })}>
              Show all members
            </Button>
          }
        >
          {search === undefined
            ? 'This page of the list is empty.'
            : `No name or email address contains "${search}". Check the spelling, or look for a pending invite.`}
        </EmptyState>
      ) : (
        <>
          <MemberTable organization={organization} members={members.data?.results} />
          {members.data && (
            <Pager
              count={members.data.count}
              limit={PAGE_SIZE}
              page={page}
              noun="member"
              onChange={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
            />
          )}
        </>
      )}
    </>
  )
}

/** The text is in the URL shortly after the user stops typing. */
function SearchField() {
  const navigate = route.useNavigate()
  const { search = '' } = route.useSearch()
  const [text, setText] = useState(search)
  useEffect(() => setText(search), [search])
  useEffect(() => {
    if (text === search) return
    const timer = setTimeout(
      () => void navigate({ search: { search: text || undefined }, replace: true }),
      SEARCH_DELAY_MS,
    )
    return () => clearTimeout(timer)
  }, [text, search, navigate])
  return (
    <TextInput
      type="search"
      aria-label="Search members"
      placeholder="Search by name or email"
      leftSection={<SearchIcon />}
      maxLength={200}
      maw={360}
      mb="md"
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  )
}

function LeaveButton({ organization }: { organization: Schemas['Organization'] }) {
  const navigate = useNavigate()
  const path = { organization_id: organization.id, user__uuid: '@me' }
  const leave = useChange({
    send: () =>
      answer(client.DELETE('/api/organizations/{organization_id}/members/{user__uuid}/', { params: { path } })),
    done: `You left ${organization.name}.`,
    after: () => openAnotherOrganization(navigate, organization.id),
  })
  return (
    <ConfirmButton
      variant="default"
      title={`Leave ${organization.name}?`}
      effect="You lose access to the organization and its projects at once. To come back, you need a new invite."
      confirm="Leave organization"
      danger
      disabledReason={
        organization.membership_level === OWNER
          ? 'An owner cannot leave. Another owner must lower your level first.'
          : undefined
      }
      onConfirm={() => leave.mutateAsync()}
    >
      Leave organization
    </ConfirmButton>
  )
}
