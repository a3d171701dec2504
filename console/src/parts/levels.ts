export const MEMBER = 1
export const ADMINISTRATOR = 8
export const OWNER = 15

const NAMES: Record<number, string> = { [MEMBER]: 'member', [ADMINISTRATOR]: 'administrator', [OWNER]: 'owner' }

export const levelName = (level: number): string => NAMES[level] ?? `level ${level}`

/** For example "an owner". */
export const withArticle = (level: number): string => `${level === MEMBER ? 'a' : 'an'} ${levelName(level)}`

/** Why a level does not suffice; undefined if it does. */
export const needsLevel = (level: number | null | undefined, needed: number): string | undefined =>
  (level ?? 0) >= needed
    ? undefined
    : `This needs the level ${levelName(needed)}. You are ${level ? withArticle(level) : 'not a member'}. Ask an owner of the organization.`
