import { PageHeader } from '../parts/PageHeader.tsx'

export function PluginPage() {
  return <PageHeader title="Plugin" />
}
