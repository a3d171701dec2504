/** The words of our mails, as text and as HTML. */
type Words = { subject: string; text: string; html: string }

export interface InviteWords {
  inviter: string
  organization: string
  first_name: string
  message: string | null
  link: string
  /** The day it expires, as in 2026-11-05. */
  until: string
}

export function inviteLetter({ inviter, organization, first_name, message, link, until }: InviteWords): Words {
  const greeting = first_name ? `Hello ${first_name},` : 'Hello,'
  const invitation = `${inviter} invites you to join ${organization}.`
  const expiry = `The link works once, until ${until} (UTC). If you did not expect this mail, ignore it.`
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

export function memberJoinedLetter({
  name,
  email,
  organization,
}: {
  name: string
  email: string
  organization: string
}): Words {
  const news = `${name ? `${name} (${email})` : email} has joined ${organization}.`
  return { subject: oneLine(`${name || email} joined ${organization}`), text: news, html: page([paragraph(news)]) }
}

export function exportPausedLetter({
  name,
  organization,
  failures,
}: {
  name: string
  organization: string
  failures: number
}): Words {
  const news = `The batch export "${name}" of ${organization} was paused, because ${failures} of its last runs failed.`
  const remedy =
    'Its log says what went wrong. Mend the cause and unpause it; with "backfill": true nothing that came meanwhile is missed.'
  return {
    subject: oneLine(`The export "${name}" was paused`),
    text: [news, remedy].join('\n\n'),
    html: page([paragraph(news), paragraph(remedy)]),
  }
}

const page = (paragraphs: string[]): string =>
  `<!doctype html><html><body style="font-family:sans-serif">${paragraphs.join('\n')}</body></html>`

const paragraph = (text: string): string => `<p>${escaped(text)}</p>`

/** Names are what people typed: no line breaks into headers, no tags into HTML. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
