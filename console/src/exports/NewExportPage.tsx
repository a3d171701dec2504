import { PageHeader } from '../parts/PageHeader.tsx'

export function NewExportPage() {
  return <PageHeader title="NewExport" />
}
