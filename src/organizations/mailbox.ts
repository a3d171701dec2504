import { sha256 } from '../auth/hash.ts'
import { emailKey } from '../store/users.ts'

/** Dots in the name have no meaning there. */
const GMAIL = ['gmail.com', 'googlemail.com']

/** An address without the part after a plus. A name that would be empty stays whole. */
function partsOf(email: string): { name: string; domain: string } {
  const key = emailKey(email)
  const at = key.lastIndexOf('@')
  const domain = key.slice(at + 1)
  const name = key.slice(0, at)
  const plus = name.indexOf('+')
  return { name: plus > 0 ? name.slice(0, plus) : name, domain: GMAIL.includes(domain) ? 'gmail.com' : domain }
}

/** The same for all addresses that may belong to one mailbox. Invites are counted by it. */
export function mailboxHash(email: string): string {
  const { name, domain } = partsOf(email)
  return sha256(`${name.replaceAll('.', '') || name}@${domain}`)
}

/**
 * Whether mail to both addresses reaches the same person. Outside of Gmail, `a.b` and `ab` may be two people, and neither may see
 * an invite of the other.
 */
export function isSameInbox(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)]
  if (a.domain !== b.domain) return false
  return a.name === b.name || (a.domain === 'gmail.com' && mailboxHash(one) === mailboxHash(other))
}
