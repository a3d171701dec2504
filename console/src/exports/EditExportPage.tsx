import { PageHeader } from '../parts/PageHeader.tsx'

export function EditExportPage() {
  return <PageHeader title="EditExport" />
}
