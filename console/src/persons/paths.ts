/** The route paths of this area. */
export const PERSONS = '/organizations/$organization/projects/$project/persons'
export const PERSON = `${PERSONS}/$person` as const
/** Leads to the person with a distinct id. */
export const FIND_PERSON = `${PERSONS}/find` as const

/** The ids of the same routes. Their parent has no path, but adds a segment to the ids. */
export const PERSONS_ID = `/signed-in${PERSONS}` as const
export const PERSON_ID = `/signed-in${PERSON}` as const
export const FIND_PERSON_ID = `/signed-in${FIND_PERSON}` as const
