import { PageHeader } from '../parts/PageHeader.tsx'

export function InvitesPage() {
  return <PageHeader title="Invites" />
}
