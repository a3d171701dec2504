/** The pages and settings that the search finds by their words. */
import type { NavigateOptions } from '@tanstack/react-router'

export interface Target {
  /** Tells targets apart. */
  key: string
  label: string
  /** Where it is, or what else is known about it. */
  hint: string
  link: NavigateOptions
}

interface Page extends Target {
  /** Other words that find it. */
  words: string
  /** Whether it is a part of a page. Parts are found, but not listed without a text. */
  isPart?: boolean
}

/** Letters and digits in lower case, so "2FA" and "two factor" find what "2fa" and "two-factor" do. */
const normalized = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** The pages that have every word of the text. Without a text, all pages. */
export function findPages(place: Place, text: string): Target[] {
  const words = normalized(text).split(' ').filter(Boolean)
  if (words.length === 0) return text.trim() === '' ? pagesAt(place).filter(({ isPart }) => !isPart) : []
  const rankOf = ({ label }: Page): number => Number(!normalized(label).startsWith(words[0] ?? ''))
  return pagesAt(place)
    .filter((page) => {
      const known = ` ${normalized(`${page.label} ${page.words} ${page.hint}`)}`
      return words.every((word) => known.includes(` ${word}`))
    })
    .sort((a, b) => rankOf(a) - rankOf(b))
}

interface Place {
  organization: string | undefined
  project: string | undefined
}

function pagesAt({ organization, project }: Place): Page[] {
  return [
    ...(organization && project ? projectPages({ organization, project }) : []),
    ...(organization ? organizationPages({ organization, project }) : []),
    ...ACCOUNT_PAGES,
  ]
}

const page = (label: string, hint: string, words: string, link: NavigateOptions): Page => ({
  key: `${hint}/${label}`,
  label,
  hint,
  words,
  link,
})

const part = (...args: Parameters<typeof page>): Page => ({ ...page(...args), isPart: true })

function projectPages(params: { organization: string; project: string }): Page[] {
  const at = '/organizations/$organization/projects/$project'
  return [
    page('Home', 'Project', 'overview start send first event install snippet token welcome', {
      to: `${at}/home`,
      params,
    }),
    page('Exports', 'Project', 'batch destinations', { to: `${at}/exports`, params }),
    page('New export', 'Project', 'create destination s3 bigquery postgres', { to: `${at}/exports/new`, params }),
    page('Events', 'Project', 'live trends', { to: `${at}/events`, params }),
    page('Persons', 'Project', 'people users profiles', { to: `${at}/persons`, params }),
    page('Query', 'Project', 'hogql sql select', { to: `${at}/query`, params }),
    page('Plugins', 'Project', 'apps transformations', { to: `${at}/plugins`, params }),
  ]
}

function organizationPages({ organization, project }: { organization: string; project: string | undefined }): Page[] {
  const at = '/organizations/$organization'
  const params = { organization }
  const settings = { to: `${at}/settings`, params } as const
  const domains = { to: `${at}/domains`, params } as const
  return [
    page('Members', 'Organization', 'people users levels roles owner administrator', { to: `${at}/members`, params }),
    page('Invites', 'Organization', 'people pending', { to: `${at}/invites`, params }),
    part('Invite people', 'Invites', 'members new', { to: `${at}/invites`, params, search: { create: true } }),
    page('Domains and sign-in', 'Organization', 'sso dns verify', domains),
    part('Single sign-on', 'Domains and sign-in', 'sso saml oidc enforce google github provider', domains),
    part('Joining by email domain', 'Domains and sign-in', 'jit just in time provisioning', domains),
    page('Projects', 'Organization', 'tokens new', { to: `${at}/projects`, params }),
    part('Project token', 'Projects', 'api key reset', { to: `${at}/projects`, params }),
    part('Retention of events', 'Projects', 'keep delete old days', {
      to: `${at}/projects`,
      params,
      search: { edit: project },
    }),
    page('Credentials', 'Organization', 'integrations secrets accounts', { to: `${at}/credentials`, params }),
    page('Alerts', 'Organization', 'notifications slack webhook email', { to: `${at}/alerts`, params }),
    page('Activity log', 'Organization', 'audit history changes', { to: `${at}/activity`, params }),
    page('Settings', 'Organization', 'general', settings),
    part('Name of the organization', 'Settings', 'rename slug id', settings),
    part('Require two-factor authentication', 'Settings', 'enforce 2fa security', settings),
    part('Email about new members', 'Settings', 'mail join notifications', settings),
    part('Delete the organization', 'Settings', 'remove', settings),
  ]
}

const PROFILE = { to: '/account/profile' } as const
const SECURITY = { to: '/account/security' } as const

const ACCOUNT_PAGES: Page[] = [
  page('Profile', 'Account', 'me', PROFILE),
  part('Your name', 'Profile', 'first last', PROFILE),
  part('Your email address', 'Profile', 'mail verify change', PROFILE),
  page('Security', 'Account', 'sign in', SECURITY),
  part('Password', 'Security', 'change', SECURITY),
  part('Two-factor authentication', 'Security', '2fa totp authenticator', SECURITY),
  part('Backup codes', 'Security', 'recovery two-factor 2fa', SECURITY),
  page('Sessions', 'Account', 'devices browsers sign out', { to: '/account/sessions' }),
  page('API keys', 'Account', 'personal tokens scopes access', { to: '/account/keys' }),
  page('Instance status', 'Server', 'version backups queues health', { to: '/instance' }),
]
