import { forbidden } from '../errors.ts'
import { ADMIN, type Level, type MemberRow, OWNER } from '../store/members.ts'

type Member = Pick<MemberRow, 'id' | 'level'>

/** Members may manage themselves. Administrators and owners may manage members up to their own level. */
export function requireMayManage(caller: Member, target: Member): void {
  if (caller.id === target.id) return
  if (caller.level < ADMIN) throw forbidden(`Only members of level ${ADMIN} or higher manage members. Ask one of them.`)
  if (target.level > caller.level)
    throw forbidden('This member has a higher level than you. Ask a member of that level.')
}

/** Members cannot change their own level, so the last owner stays. They grant at most their own level. */
export function requireMayGrant(caller: Member, target: Member, level: Level): void {
  if (caller.id === target.id) throw forbidden('You cannot change your own level. Ask another administrator or owner.')
  if (level === OWNER && caller.level < OWNER) throw forbidden('Only owners can add owners. Ask one of them.')
  if (level > caller.level) throw forbidden(`Your level is ${caller.level}; you cannot grant a higher one.`)
  requireMayManage(caller, target)
}
