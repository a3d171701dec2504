import { PageHeader } from '../parts/PageHeader.tsx'

export function ActivityPage() {
  return <PageHeader title="Activity" />
}
