import { PageHeader } from '../parts/PageHeader.tsx'

export function ProfilePage() {
  return <PageHeader title="Profile" />
}
