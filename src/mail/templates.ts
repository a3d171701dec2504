/** The templates of all emails, as text and as HTML. */
import type { AccountEvent, AccountNoticeContent, MemberJoinedContent, PluginDisabledContent } from './outbox.ts'

type RenderedMail = { subject: string; text: string; html: string }

export interface InviteMailInput {
  inviter: string
  target_email: string
  first_name: string
  message: string | null
  link: string
  /** ISO 8601. */
  expires_at: string
}

/** One email for all invites of an organization to one mailbox. */
export function inviteMail(organization: string, invites: readonly InviteMailInput[]): RenderedMail {
  const [first] = invites
  const isOne = invites.length === 1
  const greeting = isOne && first?.first_name ? `Hello ${first.first_name},` : 'Hello,'
  const sections = invites.map(({ inviter, target_email, message, link, expires_at }) => ({
    invitation: `${inviter} invites ${isOne ? 'you' : target_email} to join ${organization}.`,
    message,
    link,
    expiry: `The link works once, until ${expires_at.slice(0, 10)} (UTC).`,
  }))
  const note = 'If you did not expect this email, ignore it.'
  return {
    subject: oneLine(isOne ? `${first?.inviter} invites you to ${organization}` : `Invites to ${organization}`),
    text: [
      greeting,
      ...sections.flatMap(({ invitation, message, link, expiry }) => [
        invitation,
        ...(message ? [message] : []),
        `To accept, open ${link}`,
        expiry,
      ]),
      note,
    ].join('\n\n'),
    html: page([
      paragraph(greeting),
      ...sections.flatMap(({ invitation, message, link, expiry }) => [
        paragraph(invitation),
        ...(message ? [`<blockquote style="white-space:pre-wrap">${escaped(message)}</blockquote>`] : []),
        anchor(link, 'Accept the invitation'),
        paragraph(expiry),
      ]),
      paragraph(note),
    ]),
  }
}

export function memberJoinedMail({ name, email, organization }: MemberJoinedContent): RenderedMail {
  const sentence = `${name ? `${name} (${email})` : email} has joined ${organization}.`
  return {
    subject: oneLine(`${name || email} joined ${organization}`),
    text: sentence,
    html: page([paragraph(sentence)]),
  }
}

export function alertMail({
  subject,
  sentences,
  link,
}: {
  subject: string
  sentences: readonly string[]
  link: string | null
}): RenderedMail {
  return {
    subject: oneLine(subject),
    text: [...sentences, ...(link ? [`Open the console: ${link}`] : [])].join('\n\n'),
    html: page([...sentences.map(paragraph), ...(link ? [anchor(link, 'Open the console')] : [])]),
  }
}

export function pluginDisabledMail({ name, organization, reason }: PluginDisabledContent): RenderedMail {
  const sentence = `The plugin "${name}" of ${organization} was switched off. ${reason}`
  const remedy =
    'Its log shows the errors. Fix the cause and enable the configuration. It continues with the events that arrived in the meantime.'
  return {
    subject: oneLine(`The plugin "${name}" was switched off`),
    text: [sentence, remedy].join('\n\n'),
    html: page([paragraph(sentence), paragraph(remedy)]),
  }
}

const greet = (first_name: string): string => (first_name ? `Hello ${first_name},` : 'Hello,')

export interface LinkMailInput {
  first_name: string
  link: string
}

export function passwordResetMail({ first_name, link }: LinkMailInput): RenderedMail {
  const note = 'The link works once, for one hour. If you did not request it, ignore this email.'
  return {
    subject: 'Reset your password',
    text: [greet(first_name), `To set a new password, open ${link}`, note].join('\n\n'),
    html: page([paragraph(greet(first_name)), anchor(link, 'Set a new password'), paragraph(note)]),
  }
}

export function emailVerificationMail({ first_name, link }: LinkMailInput): RenderedMail {
  const note = 'The link works once, for one hour. If you did not request it, ignore this email.'
  return {
    subject: 'Verify your address',
    text: [greet(first_name), `To verify this address, open ${link}`, note].join('\n\n'),
    html: page([paragraph(greet(first_name)), anchor(link, 'Verify this address'), paragraph(note)]),
  }
}

const NOTICES: Record<AccountEvent, (detail: string) => { subject: string; sentence: string }> = {
  password_changed: () => ({
    subject: 'Your password was changed',
    sentence: 'The password of your account was changed.',
  }),
  email_change_requested: (email) => ({
    subject: 'A new address was entered',
    sentence: `The address of your account will change to ${email} once it is verified.`,
  }),
  email_changed: (email) => ({
    subject: 'Your address was changed',
    sentence: `The address of your account is now ${email}.`,
  }),
  two_factor_enabled: () => ({
    subject: 'Two-factor authentication is on',
    sentence: 'Two-factor authentication was turned on for your account.',
  }),
  two_factor_disabled: () => ({
    subject: 'Two-factor authentication is off',
    sentence: 'Two-factor authentication was turned off for your account.',
  }),
  backup_code_used: () => ({
    subject: 'A backup code was used',
    sentence: 'A backup code was used to sign in to your account.',
  }),
  key_created: (label) => ({
    subject: 'A personal API key was created',
    sentence: `The personal API key "${label}" was created for your account.`,
  }),
  new_sign_in: (client) => ({
    subject: 'New sign-in to your account',
    sentence: `Your account was signed in to from ${client}.`,
  }),
}

export function accountNoticeMail({ event, first_name, detail, at }: AccountNoticeContent): RenderedMail {
  const { subject, sentence: news } = NOTICES[event](detail ?? '')
  const time = `Time: ${at.slice(0, 16).replace('T', ' ')} UTC.`
  const remedy = 'If this was not you, change your password, end your sessions and delete keys that you do not know.'
  return {
    subject,
    text: [greet(first_name), news, time, remedy].join('\n\n'),
    html: page([paragraph(greet(first_name)), paragraph(news), paragraph(time), paragraph(remedy)]),
  }
}

const anchor = (link: string, label: string): string =>
  `<p><a href="${escaped(link)}">${escaped(label)}</a></p><p>${escaped(link)}</p>`

const page = (paragraphs: string[]): string =>
  `<!doctype html><html><body style="font-family:sans-serif">${paragraphs.join('\n')}</body></html>`

const paragraph = (text: string): string => `<p>${escaped(text)}</p>`

/** Names come from users: keep line breaks out of headers and tags out of HTML. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
