import { PageHeader } from '../parts/PageHeader.tsx'

export function SecurityPage() {
  return <PageHeader title="Security" />
}
