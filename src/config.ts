import { isIP, isIPv4 } from 'node:net'
import { type Static, type TObject, type TSchema, type TUnion, Type, TypeGuard } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

const integer = (value: number, [minimum, maximum]: [minimum: number, maximum: number], description: string) =>
  Type.Integer({ default: value, minimum, maximum, description })

const host = (value: string, description: string) =>
  Type.String({ default: value, pattern: '^https?://[^/@\\s?#]+(/[^\\s?#]*)?$', description })

/** A text without a default. */
const optional = (description: string, pattern?: string) =>
  Type.Optional(Type.String({ ...(pattern && { pattern }), description }))

const endpoint = (description: string) => optional(description, '^https?://[^/\\s?#]+(/[^\\s#]*)?$')

const credential = (description: string) => optional(description, '^[\\x21-\\x7e]+$')

const token = (where: string) =>
  credential(
    `A token for ${where} that all organizations use for plugin URLs without a private_token. It should not grant access to private repositories`,
  )

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent'
export const LOG_LEVELS: readonly string[] = [
  'fatal',
  'error',
  'warn',
  'info',
  'debug',
  'trace',
  'silent',
] satisfies LogLevel[]
export const LOG_AREAS = ['requests', 'exports', 'plugins', 'mail', 'events', 'signin', 'sql', 'event_loop'] as const
export type LogArea = (typeof LOG_AREAS)[number]

/** Every setting of the server, with its default. Settings are environment variables. */
const Environment = Type.Object({
  HOST: Type.String({ default: '127.0.0.1', description: 'The address to listen on' }),
  PORT: integer(8000, [0, 65535], 'The port to listen on; 0 picks a free one'),
  DATABASE_URL: Type.String({ default: 'sqlite:./data', description: 'sqlite:<folder> or postgres://…' }),
  DIALECT: Type.Union([Type.Literal('standard'), Type.Literal('posthog')], {
    default: 'standard',
    description: 'The types of responses: standard, as in the contract, or posthog, as PostHog clients expect',
  }),
  DATABASE_CONNECTIONS: integer(
    10,
    [2, 1000],
    'PostgreSQL: connections shared by requests and background work. Lookups have 2 more, event queries 10, and each export run one',
  ),
  DATABASE_WAIT_MS: integer(
    5000,
    [100, 60_000],
    'PostgreSQL: how long a request waits for a free connection before it fails with 503',
  ),
  DATABASE_LOCK_MS: integer(
    15_000,
    [100, 600_000],
    'PostgreSQL: how long a statement waits for a lock before its request fails with 503',
  ),
  ROLE: Type.Union([Type.Literal('all'), Type.Literal('api'), Type.Literal('worker')], {
    default: 'all',
    description:
      'The role of this node: all, api (requests) or worker (background work such as exports, mail and deletion)',
  }),
  SITE_URL: optional(
    'The public URL of this server, used in links: scheme and host, without a path',
    '^https?://[^/@\\s?#]+(/[^\\s?#]*)?$',
  ),
  TRUST_PROXY: Type.Boolean({
    default: false,
    description: 'Trust the X-Forwarded-* and Forwarded headers of the proxy in front',
  }),
  LOG_LEVEL: Type.String({
    default: 'info',
    description: `The lowest level that is logged: ${LOG_LEVELS.join(', ')}. An area can have its own level, as in info,exports=debug,sql=warn. The areas are ${LOG_AREAS.join(', ')}`,
  }),
  LOG_FORMAT: Type.Optional(
    Type.Union([Type.Literal('pretty'), Type.Literal('json')], {
      description: 'The format of log lines: pretty or json; by default pretty in a terminal and json otherwise',
    }),
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint(
    'The base URL of an OpenTelemetry collector. Traces are sent to /v1/traces there. Without it and OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, nothing is traced',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint('The whole URL that traces are sent to, instead of the base URL'),
  OTEL_SERVICE_NAME: Type.String({ default: 'workspace-admin', description: 'The name of this service in traces' }),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    default: 1,
    minimum: 0,
    maximum: 1,
    description: 'The fraction of requests and export attempts that is traced, from 0 to 1',
  }),
  OTEL_BSP_SCHEDULE_DELAY: integer(
    5_000,
    [10, 600_000],
    'How many milliseconds spans wait at most to be sent together',
  ),
  HEADERS_TIMEOUT_MS: integer(10_000, [100, 600_000], 'How long the headers of a request may take to arrive'),
  REQUEST_TIMEOUT_MS: integer(30_000, [100, 3_600_000], 'How long a whole request may take to arrive'),
  BODY_MEMORY_MB: integer(
    128,
    [32, 65_536],
    'Memory for all request bodies above 16 KiB together. Beyond it, the bodies that have been arriving for the longest time are rejected with 503',
  ),
  RATE_LIMITS: Type.Boolean({
    default: true,
    description: 'Limit requests per user, address, project and plugin configuration, failed sign-ins, and invites',
  }),
  SESSION_LIFETIME_HOURS: integer(336, [1, 8_760], 'How long a session lasts after the sign-in'),
  SESSION_IDLE_HOURS: integer(72, [1, 8_760], 'How long a session lasts without use'),
  SOCIAL_AUTH_GOOGLE_OAUTH2_KEY: credential('The client id for sign-in with Google'),
  SOCIAL_AUTH_GOOGLE_OAUTH2_SECRET: credential('The client secret for sign-in with Google'),
  SOCIAL_AUTH_GOOGLE_OAUTH2_ISSUER: host('https://accounts.google.com', 'The OpenID issuer for sign-in with Google'),
  SOCIAL_AUTH_GITHUB_KEY: credential('The client id for sign-in with GitHub'),
  SOCIAL_AUTH_GITHUB_SECRET: credential('The client secret for sign-in with GitHub'),
  SOCIAL_AUTH_GITHUB_URL: host('https://github.com', 'The address of GitHub for sign-in'),
  SOCIAL_AUTH_GITHUB_API_URL: host('https://api.github.com', 'The address of the GitHub API for sign-in'),
  SOCIAL_AUTH_GITLAB_KEY: credential('The client id for sign-in with GitLab'),
  SOCIAL_AUTH_GITLAB_SECRET: credential('The client secret for sign-in with GitLab'),
  SOCIAL_AUTH_GITLAB_API_URL: host('https://gitlab.com', 'The address of GitLab for sign-in'),
  OIDC_ISSUER: optional(
    'The issuer of a further OpenID Connect provider, named `oidc`; https, except on loopback',
    '^https?://',
  ),
  OIDC_CLIENT_ID: credential('The client id at OIDC_ISSUER'),
  OIDC_CLIENT_SECRET: credential('The client secret at OIDC_ISSUER'),
  SAML_IDP_INITIATED: Type.Boolean({
    default: false,
    description: 'Accept SAML sign-ons that the identity provider starts',
  }),
  METRICS_TOKEN: Type.Optional(
    Type.String({
      minLength: 16,
      description:
        'The bearer token for /metrics, at least 16 characters. Without it, only requests from loopback get metrics',
    }),
  ),
  SMTP_URL: optional(
    'The mail server: smtp://user:password@host:587, or smtps:// for implicit TLS. Requires SITE_URL',
    '^smtps?://',
  ),
  MAIL_FROM: optional('The sender of email; by default workspace-admin@ followed by the host of SITE_URL', '@'),
  DNS_SERVERS: optional(
    'The name servers for domain verification, as address[:port], separated by commas; by default those of the machine',
  ),
  DNS_TIMEOUT_MS: integer(5000, [100, 30000], 'How long domain verification waits for name servers'),
  DOMAIN_CHALLENGE_LABEL: Type.String({
    default: '_workspace-challenge',
    pattern: '^[a-z0-9_-]+$',
    description: 'The label in front of a domain that has its TXT record',
  }),
  EVENTS_QUERY_TIMEOUT_MS: integer(
    10_000,
    [100, 600_000],
    'How long an event query may take, including the time in the queue',
  ),
  SECRET_KEY: optional(
    'The key that encrypts stored secrets, 64 hexadecimal digits. Without it, SQLite uses the key in secret.key next to the data, created at the first start, and PostgreSQL cannot store secrets',
    '^[0-9a-fA-F]{64}$',
  ),
  SECRET_KEY_PREVIOUS: optional(
    'The previous SECRET_KEY. The next start re-encrypts its secrets with SECRET_KEY; remove it afterwards',
    '^[0-9a-fA-F]{64}$',
  ),
  OUTBOUND_ALLOW: optional(
    'Private hosts that exports, alerts and plugins may connect to: addresses, ranges or names with an optional port, separated by commas, such as 10.0.0.0/8,db.internal:5432',
  ),
  S3_ENDPOINT_URL: optional(
    'The endpoint of Amazon S3 for exports without endpoint_url, such as a VPC endpoint; by default the public one of the region',
    '^https?://',
  ),
  S3_ROLE_BUCKETS: optional(
    'The buckets that AwsS3 exports may access with the role of this machine, as <organization id>:<bucket>, separated by commas',
  ),
  EVENT_MIRROR: Type.Boolean({
    default: false,
    description:
      'Keep a copy of the events of large projects in columns, which answers queries that aggregate properties many times faster. Needs the library @duckdb/node-api',
  }),
  EVENT_MIRROR_FOLDER: optional(
    'The folder of that copy; by default mirror/ next to the data, or ./mirror with PostgreSQL, where each node needs its own',
  ),
  EVENT_MIRROR_ERASE_HOURS: integer(24, [1, 720], 'After how many hours the files of that copy lack a deleted event'),
  EXPORT_FOLDER: optional(
    'The folder of File exports; by default exports/ next to the data, or ./exports with PostgreSQL',
  ),
  EXPORT_SLOTS: integer(4, [1, 64], 'How many export runs this server processes concurrently, each in its own process'),
  RUN_RETENTION_DAYS: integer(
    90,
    [1, 36_500],
    'How long export runs, their logs and the metrics of plugins are stored',
  ),
  ACTIVITY_RETENTION_DAYS: integer(400, [1, 36_500], 'How long entries of the activity log are stored'),
  BACKUP_EVERY: optional(
    'SQLite: how often the server makes a backup, such as 30m, 6h or 1d; none by default. Requires BACKUP_TO',
    '^[1-9][0-9]{0,3}[mhd]$',
  ),
  BACKUP_TO: optional(
    'Where scheduled backups are stored: a folder, or s3://bucket/prefix',
    '^(s3://[a-z0-9][a-z0-9.-]+(/.*)?|(?!s3:).+)$',
  ),
  BACKUP_KEEP: integer(
    7,
    [1, 10_000],
    'How many scheduled backups are kept; older ones are deleted after each success',
  ),
  BACKUP_S3_ENDPOINT: optional(
    'The URL of an S3-compatible store for backups; by default AWS',
    '^https?://[^/@\\s?#]+$',
  ),
  BACKUP_S3_REGION: Type.String({
    default: 'us-east-1',
    pattern: '^[a-zA-Z0-9-]+$',
    description: 'The region of the bucket for backups',
  }),
  BACKUP_S3_ACCESS_KEY_ID: credential(
    'The access key for the bucket; by default the credentials of the machine, as other AWS programs find them',
  ),
  BACKUP_S3_SECRET_ACCESS_KEY: credential('The secret of BACKUP_S3_ACCESS_KEY_ID'),
  PLUGIN_GITHUB_URL: host('https://github.com', 'The GitHub that plugins are installed from'),
  PLUGIN_GITHUB_API_URL: host(
    'https://api.github.com',
    'The API of that GitHub; https://<host>/api/v3 for GitHub Enterprise',
  ),
  PLUGIN_GITLAB_URL: host('https://gitlab.com', 'The GitLab that plugins are installed from'),
  PLUGIN_NPM_REGISTRY_URL: host('https://registry.npmjs.org', 'The npm registry that plugins are installed from'),
  PLUGIN_GITHUB_TOKEN: token('GitHub'),
  PLUGIN_GITLAB_TOKEN: token('GitLab'),
  PLUGIN_NPM_TOKEN: token('npm'),
  PLUGIN_FOLDER: optional('The folder whose subfolders can be installed as plugins with file: URLs; none by default'),
  GEOIP_DATABASE: optional(
    'The path of a database of locations in the MaxMind format (.mmdb), for `geoip` of plugins; none by default',
  ),
  PLUGIN_FETCH_TIMEOUT_MS: integer(20_000, [100, 600_000], 'How long the download of a plugin may take in total'),
  DRAIN_SECONDS: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 600,
      description:
        'How long the server keeps serving after SIGTERM while /health/ready fails, so that load balancers stop routing to it; by default 2 on PostgreSQL and 0 on SQLite. Workers do not wait',
    }),
  ),
  SHUTDOWN_SECONDS: integer(30, [1, 3600], 'How long a shutdown then waits for requests and work in progress'),
})

/** The settings of commands that call a server. */
const ClientEnvironment = Type.Object({
  WORKSPACE_URL: Type.String({
    default: 'http://127.0.0.1:8000',
    // Without credentials, which would end up in logs and process lists.
    pattern: '^https?://[^/@\\s]+(/[^\\s?#]*)?$',
    description:
      'The URL of the server, such as https://workspaces.example.com, without user and password. A stored profile replaces the default',
  }),
  WORKSPACE_KEY: Type.Optional(
    Type.String({
      maxLength: 500,
      pattern: '^\\s*[\\x21-\\x7e]+\\s*$',
      description: 'The personal API key, without spaces',
    }),
  ),
  WORKSPACE_PROFILE: optional('The profile that `workspace-admin login` stored; by default the one named default'),
  WORKSPACE_ORGANIZATION: optional(
    'The id or name of the organization that commands use; by default that of the profile, then @current',
  ),
  WORKSPACE_PROJECT: optional(
    'The id or name of the project that commands use; by default that of the profile, then @current',
  ),
})

export type Config = Static<typeof Environment>
export type ClientConfig = Static<typeof ClientEnvironment>
/** The environment variables of a process. */
export type Variables = Record<string, string | undefined>

export function readConfig(environment: Variables): Config {
  const config = read(Environment, environment)
  requireValid(config)
  return config.SITE_URL ? { ...config, SITE_URL: siteOrigin(config.SITE_URL) } : config
}

/** Throws an error with the remedy unless the value could be a result of `readConfig`. */
export function requireConfig(value: object): void {
  const names = Object.keys(Environment.properties)
  const unknown = Object.keys(value).find((name) => !names.includes(name))
  if (unknown !== undefined)
    throw new Error(
      `"config" has no setting "${unknown}". Remove it, or correct it to one of those in docs/settings.md.`,
    )
  const [missing, ...others] = Environment.required?.filter((name) => !(name in value)) ?? []
  if (missing !== undefined)
    throw new Error(
      `"config" lacks ${missing}${others.length ? ` and ${others.length} other settings` : ''}. Use readConfig, which adds the defaults: \`config: readConfig({ PORT: '0' })\`.`,
    )
  if (!Value.Check(Environment, value))
    throw invalidSetting(Environment, Value.Errors(Environment, value).First()?.path.slice(1) ?? '', 'config.')
  requireValid(value)
}

function requireValid(config: Config): void {
  if (config.SITE_URL && isUrl(config.SITE_URL)) siteOrigin(config.SITE_URL)
  for (const { name, isValid } of CHECKS) {
    const value = config[name]
    if (value !== undefined && !isValid(value)) throw invalidSetting(Environment, name)
  }
  for (const name of PROVIDER_URLS) {
    const value = config[name]
    if (value !== undefined && !isSecureUrl(new URL(value)))
      throw new Error(`${name} must use https, except on loopback. Change it to the https address of the provider.`)
  }
  if (config.SMTP_URL && !config.SITE_URL)
    throw new Error('SMTP_URL requires SITE_URL for the links in emails. Set SITE_URL.')
  if (config.BACKUP_EVERY && !config.BACKUP_TO)
    throw new Error('BACKUP_EVERY requires BACKUP_TO. Set it to a folder or to s3://bucket/prefix.')
  if (config.BACKUP_EVERY && /^postgres/.test(config.DATABASE_URL))
    throw new Error(
      'BACKUP_EVERY works with SQLite only. On PostgreSQL, unset it, schedule pg_dump and run `workspace-admin backup --record` after it.',
    )
}

/** The origin of SITE_URL. Throws if the URL has a path: cookies, the console and callbacks of providers use the root. */
export function siteOrigin(site_url: string): string {
  const { origin, pathname } = new URL(site_url)
  if (pathname !== '/')
    throw new Error(
      `SITE_URL must not have a path, but has ${pathname}. Give the server a host of its own, such as https://workspaces.example.com.`,
    )
  return origin
}

/** The level of the log, and the levels of areas that have their own. */
export interface LogLevels {
  base: string
  areas: Map<string, string>
}

/** Parses `info,exports=debug,sql=warn`. Undefined for anything else. */
export function parseLevels(text: string): LogLevels | undefined {
  const areas = new Map<string, string>()
  let base: string | undefined
  for (const entry of splitList(text)) {
    const [name = '', level, ...rest] = entry.split('=')
    if (!LOG_LEVELS.includes(level ?? name) || rest.length > 0) return undefined
    if (level !== undefined && LOG_AREAS.some((known) => known === name)) areas.set(name, level)
    else if (level === undefined && base === undefined) base = name
    else return undefined
  }
  return { base: base ?? 'info', areas }
}

export const isLoopback = (host: string): boolean =>
  /^(\[?::1\]?|localhost)$/.test(host) || (isIPv4(host) && host.startsWith('127.'))

/** Identities and secrets are sent only over connections that nobody else can read or change. */
export const isSecureUrl = ({ protocol, hostname }: URL): boolean => protocol === 'https:' || isLoopback(hostname)

/** The addresses of single sign-on providers. */
const PROVIDER_URLS = [
  'SOCIAL_AUTH_GOOGLE_OAUTH2_ISSUER',
  'SOCIAL_AUTH_GITHUB_URL',
  'SOCIAL_AUTH_GITHUB_API_URL',
  'SOCIAL_AUTH_GITLAB_API_URL',
  'OIDC_ISSUER',
] as const

const isUrl = (value: string): boolean => URL.canParse(value)

/** The id of an organization and the name of a bucket. */
const ROLE_BUCKET = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}:[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

/** Checks that a pattern cannot express. */
const CHECKS = [
  { name: 'LOG_LEVEL', isValid: (value: string) => parseLevels(value) !== undefined },
  { name: 'SITE_URL', isValid: isUrl },
  { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', isValid: isUrl },
  { name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', isValid: isUrl },
  {
    name: 'SMTP_URL',
    isValid: (value: string) =>
      succeeds(() => decodeURIComponent(value) && new URL(value)) && new URL(value).hostname !== '',
  },
  { name: 'DNS_SERVERS', isValid: (value: string) => splitList(value).every(isNameServer) },
  {
    name: 'OUTBOUND_ALLOW',
    isValid: (value: string) => splitList(value).every((entry) => parseOutboundRule(entry) !== undefined),
  },
  { name: 'S3_ENDPOINT_URL', isValid: isUrl },
  { name: 'S3_ROLE_BUCKETS', isValid: (value: string) => splitList(value).every((entry) => ROLE_BUCKET.test(entry)) },
  ...PROVIDER_URLS.map((name) => ({ name, isValid: isUrl })),
  { name: 'PLUGIN_GITHUB_URL', isValid: isUrl },
  { name: 'PLUGIN_GITHUB_API_URL', isValid: isUrl },
  { name: 'PLUGIN_GITLAB_URL', isValid: isUrl },
  { name: 'PLUGIN_NPM_REGISTRY_URL', isValid: isUrl },
] as const

const succeeds = (work: () => unknown): boolean => {
  try {
    work()
    return true
  } catch {
    return false
  }
}

/** Node's resolver ends the process for some invalid ports. */
const isNameServer = (server: string): boolean => {
  const [, bracketed, plain, port = '53'] = /^(?:\[(.+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(server) ?? []
  return isIP(server) > 0 || (isIP(bracketed ?? plain ?? '') > 0 && Number(port) > 0 && Number(port) < 65536)
}

/** One entry of OUTBOUND_ALLOW. Without a port it allows every port. */
export type OutboundRule = { port: number | undefined } & (
  | { address: string; prefix: number; family: 'ipv4' | 'ipv6' }
  | { name: string }
)

/** `10.0.0.0/8`, `127.0.0.1:9000`, `fd00::/8`, `[::1]:9000`, `db.internal:5432`; undefined for anything else. */
export function parseOutboundRule(entry: string): OutboundRule | undefined {
  const [start = ''] = entry.split('/', 1)
  const [, bracketed, plain, digits] = /^(?:\[(.+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(entry) ?? []
  const target = isIP(start) === 6 ? entry : (bracketed ?? plain ?? '')
  const port = digits === undefined ? undefined : Number(digits)
  if (port !== undefined && (port < 1 || port > 65535)) return undefined
  const [address = '', length, ...rest] = target.split('/')
  const version = isIP(address)
  if (version) {
    const bits = version === 4 ? 32 : 128
    const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : bits + 1
    if (prefix > bits || rest.length || address.includes('%')) return undefined
    return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6', port }
  }
  const name = plain?.toLowerCase()
  // Digits and dots alone are a mistyped address.
  if (!name || !/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(name) || /^[\d.]+$/.test(name)) return undefined
  return { name, port }
}

const UNITS_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The milliseconds of a duration such as `30m`, `6h` or `1d`. */
export const durationMs = (text: string): number => Number(text.slice(0, -1)) * (UNITS_MS[text.slice(-1)] ?? 0)

/** Splits a setting at its commas. */
export const splitList = (value: string): string[] => value.split(',').map((entry) => entry.trim())

export const readClientConfig = (environment: Variables): ClientConfig => read(ClientEnvironment, environment)

/** Whether a failing command prints a stack trace. Works even when other settings are invalid. */
export const showsStacks = (environment: Variables): boolean => /^(debug|trace)\b/.test(environment.LOG_LEVEL ?? '')

/** Throws an error that names the first invalid setting and its valid values. */
function read<Schema extends TObject>(schema: Schema, environment: Variables): Static<Schema> {
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(schema.properties))
    if (environment[name] !== undefined && environment[name] !== '') values[name] = environment[name]
  const config = Value.Default(schema, Value.Convert(schema, values))
  if (Value.Check(schema, config)) return config
  throw invalidSetting(schema, Value.Errors(schema, config).First()?.path.slice(1) ?? '')
}

function invalidSetting({ properties }: TObject, name: string, prefix = ''): Error {
  const setting = properties[name]
  return new Error(`${prefix}${name} ${setting ? validValues(setting) : 'is not valid.'} ${setting?.description}.`)
}

function validValues(setting: TSchema): string {
  if (TypeGuard.IsUnion(setting)) return `must be one of: ${choicesOf(setting).join(', ')}.`
  if (TypeGuard.IsInteger(setting)) return `must be an integer between ${setting.minimum} and ${setting.maximum}.`
  if (TypeGuard.IsBoolean(setting)) return 'must be true or false.'
  return 'is not valid.'
}

const choicesOf = ({ anyOf }: TUnion): string[] =>
  anyOf.map((choice) => (TypeGuard.IsLiteral(choice) ? String(choice.const) : ''))

/** The settings that each release introduced. A setting that is missing here is new in the next release. */
const INTRODUCED: Record<string, string> = {
  '0.1.0': `HOST PORT DATABASE_URL DIALECT DATABASE_CONNECTIONS DATABASE_WAIT_MS DATABASE_LOCK_MS ROLE SITE_URL TRUST_PROXY
   LOG_LEVEL HEADERS_TIMEOUT_MS REQUEST_TIMEOUT_MS BODY_MEMORY_MB RATE_LIMITS METRICS_TOKEN SMTP_URL MAIL_FROM
   DNS_SERVERS DNS_TIMEOUT_MS DOMAIN_CHALLENGE_LABEL EVENTS_QUERY_TIMEOUT_MS SECRET_KEY SECRET_KEY_PREVIOUS
   OUTBOUND_ALLOW EXPORT_FOLDER EXPORT_SLOTS RUN_RETENTION_DAYS PLUGIN_GITHUB_URL PLUGIN_GITHUB_API_URL
   PLUGIN_GITLAB_URL PLUGIN_NPM_REGISTRY_URL PLUGIN_GITHUB_TOKEN PLUGIN_GITLAB_TOKEN PLUGIN_NPM_TOKEN PLUGIN_FOLDER
   PLUGIN_FETCH_TIMEOUT_MS DRAIN_SECONDS SHUTDOWN_SECONDS WORKSPACE_URL WORKSPACE_KEY`,
}

export interface SettingDescription {
  name: string
  /** The valid values. */
  type: string
  /** Empty for settings without a default. */
  default: string
  description: string
  /** The first release with this setting; undefined for the next release. */
  since: string | undefined
}

const describe = ({ properties }: TObject): SettingDescription[] =>
  Object.entries(properties).map(([name, setting]) => ({
    name,
    type: describeType(setting),
    default: setting.default === undefined ? '' : String(setting.default),
    description: setting.description ?? '',
    since: Object.keys(INTRODUCED).find((version) => INTRODUCED[version]?.split(/\s+/).includes(name)),
  }))

function describeType(setting: TSchema): string {
  if (TypeGuard.IsUnion(setting)) return choicesOf(setting).join(', ')
  if (TypeGuard.IsInteger(setting) || TypeGuard.IsNumber(setting)) return `${setting.minimum} to ${setting.maximum}`
  if (TypeGuard.IsBoolean(setting)) return 'true, false'
  return TypeGuard.IsString(setting) && setting.pattern?.startsWith('^https?://') ? 'URL' : 'text'
}

/** The settings of the server. */
export const describeSettings = (): SettingDescription[] => describe(Environment)

/** The settings of commands that call a server. */
export const describeClientSettings = (): SettingDescription[] => describe(ClientEnvironment)
