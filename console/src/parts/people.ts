import type { Schemas } from '../api.ts'
import { ADMINISTRATOR, levelName, MEMBER, OWNER } from './levels.ts'

export type Level = Schemas['Member']['level']

export const LEVELS: readonly Level[] = [MEMBER, ADMINISTRATOR, OWNER]

/** The full name, or the email address of a user without one. */
export const nameOf = ({
  first_name,
  last_name,
  email,
}: Pick<Schemas['Me'], 'first_name' | 'last_name' | 'email'>): string =>
  [first_name, last_name].filter(Boolean).join(' ') || email

export const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** The levels as options of a select. Levels above the user's own are disabled. */
export const levelOptions = (own: number | null) =>
  LEVELS.map((level) => ({
    value: String(level),
    label: `${capitalized(levelName(level))}${level > (own ?? 0) ? ' (above your level)' : ''}`,
    disabled: level > (own ?? 0),
  }))

export const parseLevel = (value: string): Level | undefined => LEVELS.find((level) => String(level) === value)
