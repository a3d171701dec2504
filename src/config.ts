import { isIP } from 'node:net'
import { type Static, type TObject, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

const host = (value: string, description: string) =>
  Type.String({ default: value, pattern: '^https?://[^/@\\s?#]+(/[^\\s?#]*)?$', description })

/** Every organization's installs are made with it, so it should open nothing private. */
const token = (where: string) =>
  Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]+$',
      description: `A token for ${where}, used for URLs without a private_token. It should open nothing private`,
    }),
  )

/** Every setting, where it comes from (the environment), and what it is when nobody sets it. */
const Environment = Type.Object({
  HOST: Type.String({ default: '127.0.0.1', description: 'The address to listen on' }),
  PORT: Type.Integer({
    default: 8000,
    minimum: 0,
    maximum: 65535,
    description: 'The port to listen on; 0 takes a free one',
  }),
  DATABASE_URL: Type.String({ default: 'sqlite:./data', description: 'sqlite:<folder> or postgres://…' }),
  DIALECT: Type.Union([Type.Literal('standard'), Type.Literal('posthog')], {
    default: 'standard',
    description:
      'How answers are written: standard, as the contract says, or posthog, with the types that clients of that system expect',
  }),
  DATABASE_CONNECTIONS: Type.Integer({
    default: 10,
    minimum: 2,
    maximum: 1000,
    description:
      'PostgreSQL: how many connections requests and background work share; reading events has 10 of its own',
  }),
  DATABASE_WAIT_MS: Type.Integer({
    default: 5000,
    minimum: 100,
    maximum: 60_000,
    description: 'PostgreSQL: how long a request waits for one of these connections before it is answered with 503',
  }),
  DATABASE_LOCK_MS: Type.Integer({
    default: 15_000,
    minimum: 100,
    maximum: 600_000,
    description: 'PostgreSQL: how long a statement waits for a lock before its request is answered with 503',
  }),
  ROLE: Type.Union(
    ['all', 'api', 'worker'].map((role) => Type.Literal(role)),
    { default: 'all', description: 'What this node does: all, api (requests) or worker (exports, mail, removal)' },
  ),
  SITE_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/@\\s?#]+(/[^\\s?#]*)?$',
      description: 'How the world reaches this server; links are built on it',
    }),
  ),
  TRUST_PROXY: Type.Boolean({
    default: false,
    description: 'Believe what the proxy in front says in X-Forwarded-* or Forwarded headers',
  }),
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => Type.Literal(level)),
    { default: 'info', description: 'fatal, error, warn, info, debug, trace or silent' },
  ),
  HEADERS_TIMEOUT_MS: Type.Integer({
    default: 10_000,
    minimum: 100,
    maximum: 600_000,
    description: 'How long the headers of a request may take to arrive',
  }),
  REQUEST_TIMEOUT_MS: Type.Integer({
    default: 30_000,
    minimum: 100,
    maximum: 3_600_000,
    description: 'How long a whole request may take to arrive',
  }),
  BODY_MEMORY_MB: Type.Integer({
    default: 128,
    minimum: 32,
    maximum: 65_536,
    description: 'What the bodies of all requests may take in memory together; then the slowest are refused',
  }),
  RATE_LIMITS: Type.Boolean({
    default: true,
    description: 'Limit requests per user and per address, and invites per recipient',
  }),
  METRICS_TOKEN: Type.Optional(
    Type.String({ minLength: 16, description: 'Opens /metrics from elsewhere than loopback' }),
  ),
  SMTP_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://',
      description:
        'Where mail goes out: smtp://user:password@host:587, or smtps:// for TLS from the start. Needs SITE_URL',
    }),
  ),
  MAIL_FROM: Type.Optional(
    Type.String({ pattern: '@', description: 'Who mail is from; by default workspace-admin@ the host of SITE_URL' }),
  ),
  DNS_SERVERS: Type.Optional(
    Type.String({
      description:
        'The name servers that verify domains, as address[:port], by commas; by default those of the machine',
    }),
  ),
  DNS_TIMEOUT_MS: Type.Integer({
    default: 5000,
    minimum: 100,
    maximum: 30000,
    description: 'How long verifying a domain waits for an answer',
  }),
  DOMAIN_CHALLENGE_LABEL: Type.String({
    default: '_workspace-challenge',
    pattern: '^[a-z0-9_-]+$',
    description: 'The label before a domain where its TXT record is looked for',
  }),
  EVENTS_QUERY_TIMEOUT_MS: Type.Integer({
    default: 10_000,
    minimum: 100,
    maximum: 600_000,
    description: 'How long a question about events may take, waiting for its turn included',
  }),
  SECRET_KEY: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      description:
        'The key that stored secrets are encrypted with, 64 hexadecimal digits; by default the one in secret.key beside the data, made at the first start',
    }),
  ),
  SECRET_KEY_PREVIOUS: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      description: 'The key before that: a start encrypts anew what it encrypted. Leave it out afterwards',
    }),
  ),
  OUTBOUND_ALLOW: Type.Optional(
    Type.String({
      description:
        'Where connections that users name may go beyond public addresses: addresses, ranges or names, with a port or without, by commas, such as 10.0.0.0/8,db.internal:5432',
    }),
  ),
  EXPORT_FOLDER: Type.Optional(
    Type.String({
      description:
        'The folder that File exports are written under; by default exports/ beside the data, on PostgreSQL ./exports',
    }),
  ),
  EXPORT_SLOTS: Type.Integer({
    default: 4,
    minimum: 1,
    maximum: 64,
    description: 'How many export runs this server works on at once, each in a process of its own',
  }),
  RUN_RETENTION_DAYS: Type.Integer({
    default: 90,
    minimum: 1,
    maximum: 36_500,
    description: 'How long the runs of exports and their logs are kept',
  }),
  PLUGIN_GITHUB_URL: host('https://github.com', 'The GitHub that plugins are installed from'),
  PLUGIN_GITHUB_API_URL: host('https://api.github.com', 'Its API; https://<host>/api/v3 for one of your own'),
  PLUGIN_GITLAB_URL: host('https://gitlab.com', 'The GitLab that plugins are installed from'),
  PLUGIN_NPM_REGISTRY_URL: host('https://registry.npmjs.org', 'Where packages that are plugins come from'),
  PLUGIN_GITHUB_TOKEN: token('GitHub'),
  PLUGIN_GITLAB_TOKEN: token('GitLab'),
  PLUGIN_NPM_TOKEN: token('npm'),
  PLUGIN_FOLDER: Type.Optional(
    Type.String({ description: 'The folder whose folders may be installed as plugins by file: URLs; none by default' }),
  ),
  PLUGIN_FETCH_TIMEOUT_MS: Type.Integer({
    default: 20_000,
    minimum: 100,
    maximum: 600_000,
    description: 'How long fetching a plugin may take in all',
  }),
  DRAIN_SECONDS: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 600,
      description:
        'How long SIGTERM leaves a load balancer to notice that /health/ready fails, before the port is closed; by default 2 on PostgreSQL and 0 on SQLite',
    }),
  ),
  SHUTDOWN_SECONDS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3600,
    description: 'How long a shutdown then waits for what is in flight',
  }),
})

/** The settings of the command where it speaks to a server. */
const ClientEnvironment = Type.Object({
  WORKSPACE_URL: Type.String({
    default: 'http://127.0.0.1:8000',
    // Credentials in a URL end up in logs and process lists; the key has a setting of its own.
    pattern: '^https?://[^/@\\s]+(/[^\\s?#]*)?$',
    description: 'The server to speak to, such as https://workspaces.example.com, without a name or password in it',
  }),
  WORKSPACE_KEY: Type.Optional(
    Type.String({ pattern: '^\\s*[\\x21-\\x7e]+\\s*$', description: 'The personal API key to speak with, one word' }),
  ),
})

export type Config = Static<typeof Environment>
export type ClientConfig = Static<typeof ClientEnvironment>
/** The variables of a process, as it was started with them. */
export type Variables = Record<string, string | undefined>

export function readConfig(environment: Variables): Config {
  const config = read(Environment, environment)
  for (const name of Object.keys(USABLE) as (keyof typeof USABLE)[])
    if (config[name] !== undefined && !USABLE[name](config[name])) throw wrong(Environment, name)
  if (config.SMTP_URL && !config.SITE_URL)
    throw new Error('SMTP_URL needs SITE_URL: the links in mails are built on it. Set both.')
  return config.SITE_URL ? { ...config, SITE_URL: config.SITE_URL.replace(/(?<!\/)\/+$/, '') } : config
}

/** What no pattern tells. Found out at the start, or else the first mail or domain would. */
const USABLE = {
  SITE_URL: (value: string) => URL.canParse(value),
  SMTP_URL: (value: string) =>
    succeeds(() => decodeURIComponent(value) && new URL(value)) && new URL(value).hostname !== '',
  DNS_SERVERS: (value: string) => splitList(value).every(isNameServer),
  OUTBOUND_ALLOW: (value: string) => splitList(value).every((entry) => parseOutboundRule(entry) !== undefined),
  PLUGIN_GITHUB_URL: (value: string) => URL.canParse(value),
  PLUGIN_GITHUB_API_URL: (value: string) => URL.canParse(value),
  PLUGIN_GITLAB_URL: (value: string) => URL.canParse(value),
  PLUGIN_NPM_REGISTRY_URL: (value: string) => URL.canParse(value),
}

const succeeds = (work: () => unknown): boolean => {
  try {
    work()
    return true
  } catch {
    return false
  }
}

/** Asked here because Node's resolver ends the process for some wrong ports. */
const isNameServer = (server: string): boolean => {
  const [, bracketed, plain, port = '53'] = /^(?:\[(.+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(server) ?? []
  return isIP(server) > 0 || (isIP(bracketed ?? plain ?? '') > 0 && Number(port) > 0 && Number(port) < 65536)
}

/** One entry of OUTBOUND_ALLOW. Without a port it opens every port. */
export type OutboundRule = { port: number | undefined } & (
  | { address: string; prefix: number; family: 'ipv4' | 'ipv6' }
  | { name: string }
)

/** `10.0.0.0/8`, `127.0.0.1:9000`, `fd00::/8`, `[::1]:9000`, `db.internal:5432`; undefined for anything else. */
export function parseOutboundRule(entry: string): OutboundRule | undefined {
  const bare = isIP(entry.split('/', 1)[0]!) === 6
  const [, bracketed, plain, digits] = /^(?:\[(.+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(entry) ?? []
  const target = bare ? entry : (bracketed ?? plain ?? '')
  const port = digits === undefined ? undefined : Number(digits)
  if (port !== undefined && (port < 1 || port > 65535)) return undefined
  const [address, length, ...rest] = target.split('/')
  const version = isIP(address!)
  if (version) {
    const bits = version === 4 ? 32 : 128
    const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : bits + 1
    if (prefix > bits || rest.length || address!.includes('%')) return undefined
    return { address: address!, prefix, family: version === 4 ? 'ipv4' : 'ipv6', port }
  }
  const name = plain?.toLowerCase()
  // What has only digits and dots is an address with a slip in it.
  if (!name || !/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(name) || /^[\d.]+$/.test(name)) return undefined
  return { name, port }
}

/** The entries of a setting that names several, by commas. */
export const splitList = (value: string): string[] => value.split(',').map((entry) => entry.trim())

export const readClientConfig = (environment: Variables): ClientConfig => read(ClientEnvironment, environment)

/** Whether a failing command shows where in the program it failed. Readable even when other settings are wrong. */
export const showsStacks = (environment: Variables): boolean => /^(debug|trace)$/.test(environment.LOG_LEVEL ?? '')

/** Throws one sentence that names the first wrong setting and what it should be. */
function read<Schema extends TObject>(schema: Schema, environment: Variables): Static<Schema> {
  const given: Record<string, unknown> = {}
  for (const name of Object.keys(schema.properties))
    if (environment[name] !== undefined && environment[name] !== '') given[name] = environment[name]
  const config = Value.Default(schema, Value.Convert(schema, given))
  const error = Value.Errors(schema, config).First()
  if (error) throw wrong(schema, error.path.slice(1))
  return config as Static<Schema>
}

const wrong = (schema: TObject, name: string): Error =>
  new Error(`${name} is set to something it cannot be. ${schema.properties[name]?.description}.`)

/** The settings as a table for people: name, default, meaning. */
export const describeSettings = (): { name: string; default: string; description: string }[] =>
  Object.entries(Environment.properties).map(([name, { default: value, description }]) => ({
    name,
    default: value === undefined ? '' : String(value),
    description: description ?? '',
  }))
