/** The mails we send, as text and as HTML. */
import type { ExportPausedContent, MemberJoinedContent } from './outbox.ts'

type Words = { subject: string; text: string; html: string }

export interface InviteWords {
  inviter: string
  organization: string
  first_name: string
  message: string | null
  link: string
  /** ISO 8601. */
  expires_at: string
}

export function inviteMail({ inviter, organization, first_name, message, link, expires_at }: InviteWords): Words {
  const greeting = first_name ? `Hello ${first_name},` : 'Hello,'
  const invitation = `${inviter} invites you to join ${organization}.`
  const expiry = `The link works once, until ${expires_at.slice(0, 10)} (UTC). If you did not expect this mail, ignore it.`
  return {
    subject: oneLine(`${inviter} invites you to ${organization}`),
    text: [greeting, invitation, ...(message ? [message] : []), `To accept, open ${link}`, expiry].join('\n\n'),
    html: page([
      paragraph(greeting),
      paragraph(invitation),
      ...(message ? [`<blockquote style="white-space:pre-wrap">${escaped(message)}</blockquote>`] : []),
      `<p><a href="${escaped(link)}">Accept the invitation</a></p><p>${escaped(link)}</p>`,
      paragraph(expiry),
    ]),
  }
}

export function memberJoinedMail({ name, email, organization }: MemberJoinedContent): Words {
  const news = `${name ? `${name} (${email})` : email} has joined ${organization}.`
  return { subject: oneLine(`${name || email} joined ${organization}`), text: news, html: page([paragraph(news)]) }
}

export function exportPausedMail({ name, organization, failures }: ExportPausedContent): Words {
  const news = `The batch export "${name}" of ${organization} was paused because ${failures} of its last runs failed.`
  const remedy =
    'Its log shows the cause. Fix it and unpause the export. Unpause with "backfill": true to deliver the events that arrived during the pause.'
  return {
    subject: oneLine(`The export "${name}" was paused`),
    text: [news, remedy].join('\n\n'),
    html: page([paragraph(news), paragraph(remedy)]),
  }
}

const page = (paragraphs: string[]): string =>
  `<!doctype html><html><body style="font-family:sans-serif">${paragraphs.join('\n')}</body></html>`

const paragraph = (text: string): string => `<p>${escaped(text)}</p>`

/** Names come from users: keep line breaks out of headers and tags out of HTML. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
