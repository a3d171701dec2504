import { PageHeader } from '../parts/PageHeader.tsx'

export function ExportPage() {
  return <PageHeader title="Export" />
}
