/** The templates of all emails, as text and as HTML. */
import type {
  AccountEvent,
  AccountNoticeContent,
  AlertContent,
  MemberJoinedContent,
  PluginDisabledContent,
} from './outbox.ts'

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

/** A paragraph, or a block whose text and HTML differ. */
type Block = string | { text: string; html: string }

const render = (subject: string, blocks: readonly Block[]): RenderedMail => ({
  subject: oneLine(subject),
  text: blocks.map((block) => (typeof block === 'string' ? block : block.text)).join('\n\n'),
  html: `<!doctype html><html><body style="font-family:sans-serif">${blocks
    .map((block) => (typeof block === 'string' ? `<p>${escaped(block)}</p>` : block.html))
    .join('\n')}</body></html>`,
})

/** A link on a page, and a sentence with it in the text. */
const linkBlock = (link: string, label: string, text: string): Block => ({
  text: `${text} ${link}`,
  html: `<p><a href="${escaped(link)}">${escaped(label)}</a></p><p>${escaped(link)}</p>`,
})

const quoteBlock = (text: string): Block => ({
  text,
  html: `<blockquote style="white-space:pre-wrap">${escaped(text)}</blockquote>`,
})

/** Names come from users: keep line breaks out of headers and tags out of HTML. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const greet = (first_name: string | undefined): string => (first_name ? `Hello ${first_name},` : 'Hello,')

/** One email for all invites of an organization to one mailbox. */
export function inviteMail(organization: string, invites: readonly InviteMailInput[]): RenderedMail {
  const [first] = invites
  const isOne = invites.length === 1
  return render(isOne ? `${first?.inviter} invites you to ${organization}` : `Invites to ${organization}`, [
    greet(isOne ? first?.first_name : undefined),
    ...invites.flatMap(({ inviter, target_email, message, link, expires_at }) => [
      `${inviter} invites ${isOne ? 'you' : target_email} to join ${organization}.`,
      ...(message ? [quoteBlock(message)] : []),
      linkBlock(link, 'Accept the invitation', 'To accept, open'),
      `The link works once, until ${expires_at.slice(0, 10)} (UTC).`,
    ]),
    'If you did not expect this email, ignore it.',
  ])
}

export const memberJoinedMail = ({ name, email, organization }: MemberJoinedContent): RenderedMail =>
  render(`${name || email} joined ${organization}`, [
    `${name ? `${name} (${email})` : email} has joined ${organization}.`,
  ])

export const alertMail = ({ subject, sentences, path }: AlertContent, site_url: string): RenderedMail =>
  render(subject, [
    ...sentences,
    ...(path === null ? [] : [linkBlock(site_url + path, 'Open the console', 'Open the console:')]),
  ])

export const pluginDisabledMail = ({ name, organization, reason }: PluginDisabledContent): RenderedMail =>
  render(`The plugin "${name}" was switched off`, [
    `The plugin "${name}" of ${organization} was switched off. ${reason}`,
    'Its log shows the errors. Fix the cause and enable the configuration. It continues with the events that arrived in the meantime.',
  ])

export type AccountLinkKind = 'password_reset' | 'email_verification'

const LINKS: Record<AccountLinkKind, { subject: string; label: string; text: string }> = {
  password_reset: {
    subject: 'Reset your password',
    label: 'Set a new password',
    text: 'To set a new password, open',
  },
  email_verification: {
    subject: 'Verify your address',
    label: 'Verify this address',
    text: 'To verify this address, open',
  },
}

export function accountLinkMail(kind: AccountLinkKind, first_name: string, link: string): RenderedMail {
  const { subject, label, text } = LINKS[kind]
  return render(subject, [
    greet(first_name),
    linkBlock(link, label, text),
    'The link works once, for one hour. If you did not request it, ignore this email.',
  ])
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
  const { subject, sentence } = NOTICES[event](detail ?? '')
  return render(subject, [
    greet(first_name),
    sentence,
    `Time: ${at.slice(0, 16).replace('T', ' ')} UTC.`,
    'If this was not you, change your password, end your sessions and delete keys that you do not know.',
  ])
}
