import type { Ids } from '../ids.ts'
import { exportPausedLetter, inviteLetter, memberJoinedLetter } from '../mail/letters.ts'
import type { Message } from '../mail/message.ts'
import type { Outbox } from '../mail/postman.ts'
import type { Db } from '../sql/db.ts'
import { INVITE_LIFETIME_MS, setToken } from '../store/invites.ts'
import * as letters from '../store/letters.ts'
import { hashOf } from './api_keys.ts'

/** A sender that has not finished by then is dead. */
const SENDING_LASTS_MS = 600_000

export interface InviteContent {
  invite_id: string
  inviter: string
  inviter_email: string
  organization: string
  first_name: string
  message: string | null
}

export interface MemberJoinedContent {
  name: string
  email: string
  organization: string
}

export interface ExportPausedContent {
  name: string
  organization: string
  failures: number
}

export function createOutbox(db: Db, ids: Ids, now: () => string, site_url: string): Outbox<letters.LetterRow> {
  const at = (milliseconds: number): string => new Date(Date.parse(now()) + milliseconds).toISOString()
  return {
    claim: () => letters.claim(db, now()),
    postpone: (letter, seconds) => letters.postpone(db, letter.id, at(seconds * 1000)),
    remove: (letter) => letters.remove(db, letter.id),
    removeAbandoned: () => letters.removeAbandoned(db, at(-SENDING_LASTS_MS)),
    compose: (letter) => compose(db, ids, site_url, letter),
  }
}

/**
 * An invite's secret is made here, when its mail is written, and only its hash is kept: nothing that waits in the
 * outbox opens anything. A mail that was refused gets another secret at its next try.
 */
async function compose(db: Db, ids: Ids, site_url: string, letter: letters.LetterRow): Promise<Message | undefined> {
  const envelope = { message_id: `<${letter.id}@${new URL(site_url).hostname}>`, to: letter.recipient }
  if (letter.kind === 'member_joined')
    return { ...envelope, ...memberJoinedLetter(JSON.parse(letter.content) as MemberJoinedContent) }
  if (letter.kind === 'export_paused')
    return { ...envelope, ...exportPausedLetter(JSON.parse(letter.content) as ExportPausedContent) }
  const { invite_id, inviter_email, ...words } = JSON.parse(letter.content) as InviteContent
  const token = ids.inviteToken()
  if (!(await setToken(db, invite_id, hashOf(token)))) return undefined
  const link = `${site_url}/signup/${invite_id}/?token=${token}`
  const until = new Date(Date.parse(letter.created_at) + INVITE_LIFETIME_MS).toISOString().slice(0, 10)
  return { ...envelope, reply_to: inviter_email, ...inviteLetter({ ...words, link, until }) }
}
