import { PageHeader } from '../parts/PageHeader.tsx'

export function ProjectsPage() {
  return <PageHeader title="Projects" />
}
