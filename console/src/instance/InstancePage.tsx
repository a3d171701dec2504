import { PageHeader } from '../parts/PageHeader.tsx'

export function InstancePage() {
  return <PageHeader title="Instance" />
}
