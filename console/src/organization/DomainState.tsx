import type { Schemas } from '../api.ts'
import { StateBadge } from '../parts/StateBadge.tsx'

export function DomainState({ domain: { is_verified } }: { domain: Schemas['Domain'] }) {
  return <StateBadge color={is_verified ? 'green' : 'yellow'}>{is_verified ? 'Verified' : 'Not verified'}</StateBadge>
}
