import { PageHeader } from '../parts/PageHeader.tsx'

export function DomainsPage() {
  return <PageHeader title="Domains" />
}
