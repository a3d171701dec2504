import { PageHeader } from '../parts/PageHeader.tsx'

export function EventsPage() {
  return <PageHeader title="Events" />
}
