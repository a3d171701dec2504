import { PageHeader } from '../parts/PageHeader.tsx'

export function DomainPage() {
  return <PageHeader title="Domain" />
}
