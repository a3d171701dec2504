import { forbidden } from '../errors.ts'
import { ADMIN, OWNER } from '../store/members.ts'

/** Somebody in an organization. */
export interface Standing {
  id: number
  level: number
}

/** Whether one member may do anything to another: themselves always, others from level 8, nobody above. */
export function demandMayHandle(own: Standing, other: Standing): void {
  if (own.id === other.id) return
  if (own.level < ADMIN)
    throw forbidden(`Only members of level ${ADMIN} or above handle other members. Ask one of them.`)
  if (other.level > own.level) throw forbidden('That member stands above you. Ask somebody of their level.')
}

/** Nobody changes their own level, so the last owner stays; nobody gives more than they have. */
export function demandMayGrant(own: Standing, other: Standing, level: number): void {
  if (own.id === other.id) throw forbidden('Nobody changes their own level. Ask another administrator or owner.')
  if (level === OWNER && own.level < OWNER) throw forbidden('Only owners make owners. Ask one of them.')
  if (level > own.level) throw forbidden(`Your level is ${own.level}; you cannot give a higher one.`)
  demandMayHandle(own, other)
}
