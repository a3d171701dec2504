import { PageHeader } from '../parts/PageHeader.tsx'

export function ExportsPage() {
  return <PageHeader title="Exports" />
}
