import { PageHeader } from '../parts/PageHeader.tsx'

export function SessionsPage() {
  return <PageHeader title="Sessions" />
}
