/**
 * The configurations whose captured events led to an event, oldest first. No event is offered to a configuration in its own origin,
 * or after three generations: plugins cannot feed each other for ever.
 */
export type Origin = readonly number[]

const MAX_GENERATIONS = 3

export const parseOrigin = (text: string | null | undefined): Origin => (text ? text.split(',').map(Number) : [])
export const formatOrigin = (origin: Origin): string => origin.join(',')

export const mayBeOffered = (origin: Origin, configuration_id: number): boolean =>
  origin.length <= MAX_GENERATIONS && !origin.includes(configuration_id)
