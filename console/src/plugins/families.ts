import type { Schemas } from '../api.ts'

export type Family = 'destinations' | 'frontend_apps' | 'import_apps'

interface FamilyInfo {
  label: string
  noun: string
  /** A sentence about the plugins of the family. */
  description: string
  /** The purpose of catalog entries that belong to the family. */
  purpose: Schemas['CatalogPlugin']['type']
}

export const FAMILIES: Record<Family, FamilyInfo> = {
  destinations: {
    label: 'Destinations',
    noun: 'destination',
    description: 'Destinations send events on to other services.',
    purpose: 'data_out',
  },
  frontend_apps: {
    label: 'Frontend apps',
    noun: 'frontend app',
    description: 'Frontend apps add code to your web pages.',
    purpose: 'site',
  },
  import_apps: {
    label: 'Import apps',
    noun: 'import app',
    description: 'Import apps bring events in from other services.',
    purpose: 'data_in',
  },
}

/** The plugins of all families that change events. The API has no such family. */
export const TRANSFORMATIONS = 'transformations'
export type Kind = Family | typeof TRANSFORMATIONS

export const FAMILY_NAMES = Object.keys(FAMILIES) as Family[]

/** The family that a catalog entry is installed into. Entries that filter events run in every family. */
export const familyFor = (purpose: FamilyInfo['purpose']): Family =>
  FAMILY_NAMES.find((name) => FAMILIES[name].purpose === purpose) ?? 'destinations'

export const kindOf = (value: unknown): Kind => (value === TRANSFORMATIONS ? TRANSFORMATIONS : familyOf(value))

export const familyOf = (value: unknown): Family => FAMILY_NAMES.find((name) => name === value) ?? 'destinations'
