import type { Schemas } from '../api.ts'

type Scope = Schemas['Scope']
export type Access = 'none' | 'read' | 'write'

export interface Area {
  name: string
  label: string
  description: string
  read: Scope
  /** Undefined if the area can only be read. */
  write?: Scope
}

export const AREAS: readonly Area[] = [
  {
    name: 'organization',
    label: 'Organizations',
    description: 'Organizations, projects, domains and the activity log.',
    read: 'organization:read',
    write: 'organization:write',
  },
  {
    name: 'organization_member',
    label: 'Members',
    description: 'Members and invites.',
    read: 'organization_member:read',
    write: 'organization_member:write',
  },
  {
    name: 'batch_export',
    label: 'Exports',
    description: 'Batch exports, their runs and logs, stored credentials, and alerts.',
    read: 'batch_export:read',
    write: 'batch_export:write',
  },
  {
    name: 'plugin',
    label: 'Plugins',
    description: 'Plugins and their configurations.',
    read: 'plugin:read',
    write: 'plugin:write',
  },
  { name: 'query', label: 'Events', description: 'Reading the events of projects.', read: 'query:read' },
]

export const grantsAll = (scopes: readonly Scope[]): boolean => scopes.includes('*')

export function accessOf({ read, write }: Area, scopes: readonly Scope[]): Access {
  if (write && scopes.includes(write)) return 'write'
  return scopes.includes(read) ? 'read' : 'none'
}

/** A write scope includes the read scope, so one scope per area is enough. */
export const scopesOf = (access: Readonly<Record<string, Access>>): Scope[] =>
  AREAS.flatMap(({ name, read, write }) => {
    if (access[name] === 'write' && write) return [write]
    return access[name] === 'read' ? [read] : []
  })

/** For example "Members: read". */
export const describeScopes = (scopes: readonly Scope[]): string[] =>
  AREAS.flatMap((area) => {
    const access = accessOf(area, scopes)
    return access === 'none' ? [] : [`${area.label}: ${access}`]
  })
