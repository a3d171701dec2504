import { PageHeader } from '../parts/PageHeader.tsx'

export function PluginsPage() {
  return <PageHeader title="Plugins" />
}
