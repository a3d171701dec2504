import { isIP } from 'node:net'
import { type Static, type TObject, type TSchema, Type, TypeGuard } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

const host = (value: string, description: string) =>
  Type.String({ default: value, pattern: '^https?://[^/@\\s?#]+(/[^\\s?#]*)?$', description })

const credential = (description: string) => Type.Optional(Type.String({ pattern: '^[\\x21-\\x7e]+$', description }))

const token = (where: string) =>
  Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]+$',
      description: `A token for ${where}, used for plugin URLs without a private_token by all organizations. It should not grant access to private repositories`,
    }),
  )

/** Every setting of the server, with its default. Settings are environment variables. */
const Environment = Type.Object({
  HOST: Type.String({ default: '127.0.0.1', description: 'The address to listen on' }),
  PORT: Type.Integer({
    default: 8000,
    minimum: 0,
    maximum: 65535,
    description: 'The port to listen on; 0 picks a free one',
  }),
  DATABASE_URL: Type.String({ default: 'sqlite:./data', description: 'sqlite:<folder> or postgres://…' }),
  DIALECT: Type.Union([Type.Literal('standard'), Type.Literal('posthog')], {
    default: 'standard',
    description: 'The types of responses: standard, as in the contract, or posthog, as clients of that system expect',
  }),
  DATABASE_CONNECTIONS: Type.Integer({
    default: 10,
    minimum: 2,
    maximum: 1000,
    description: 'PostgreSQL: connections shared by requests and background work; event queries have 10 more',
  }),
  DATABASE_WAIT_MS: Type.Integer({
    default: 5000,
    minimum: 100,
    maximum: 60_000,
    description: 'PostgreSQL: how long a request waits for a free connection before it fails with 503',
  }),
  DATABASE_LOCK_MS: Type.Integer({
    default: 15_000,
    minimum: 100,
    maximum: 600_000,
    description: 'PostgreSQL: how long a statement waits for a lock before its request fails with 503',
  }),
  ROLE: Type.Union([Type.Literal('all'), Type.Literal('api'), Type.Literal('worker')], {
    default: 'all',
    description: 'The role of this node: all, api (requests) or worker (exports, mail, deletion)',
  }),
  SITE_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/@\\s?#]+(/[^\\s?#]*)?$',
      description: 'The public URL of this server, used in links',
    }),
  ),
  TRUST_PROXY: Type.Boolean({
    default: false,
    description: 'Trust the X-Forwarded-* and Forwarded headers of the proxy in front',
  }),
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => Type.Literal(level)),
    {
      default: 'info',
      description: 'The lowest level that is logged: fatal, error, warn, info, debug, trace or silent',
    },
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
    description: 'Memory for the bodies of all requests together; beyond it the slowest requests are rejected',
  }),
  RATE_LIMITS: Type.Boolean({
    default: true,
    description: 'Limit requests per user and per address, and invites per recipient',
  }),
  SESSION_LIFETIME_HOURS: Type.Integer({
    default: 336,
    minimum: 1,
    maximum: 8_760,
    description: 'How long a session lasts after the sign-in',
  }),
  SESSION_IDLE_HOURS: Type.Integer({
    default: 72,
    minimum: 1,
    maximum: 8_760,
    description: 'How long a session lasts without use',
  }),
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
  OIDC_ISSUER: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'The issuer of a further OpenID Connect provider, named `oidc`',
    }),
  ),
  OIDC_CLIENT_ID: credential('The client id at OIDC_ISSUER'),
  OIDC_CLIENT_SECRET: credential('The client secret at OIDC_ISSUER'),
  SAML_IDP_INITIATED: Type.Boolean({
    default: false,
    description: 'Accept SAML sign-ons that the identity provider starts',
  }),
  METRICS_TOKEN: Type.Optional(
    Type.String({ minLength: 16, description: 'The bearer token for /metrics from addresses other than loopback' }),
  ),
  SMTP_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://',
      description: 'The mail server: smtp://user:password@host:587, or smtps:// for implicit TLS. Requires SITE_URL',
    }),
  ),
  MAIL_FROM: Type.Optional(
    Type.String({
      pattern: '@',
      description: 'The sender of email; by default workspace-admin@ followed by the host of SITE_URL',
    }),
  ),
  DNS_SERVERS: Type.Optional(
    Type.String({
      description:
        'The name servers for domain verification, as address[:port], separated by commas; by default those of the machine',
    }),
  ),
  DNS_TIMEOUT_MS: Type.Integer({
    default: 5000,
    minimum: 100,
    maximum: 30000,
    description: 'How long domain verification waits for name servers',
  }),
  DOMAIN_CHALLENGE_LABEL: Type.String({
    default: '_workspace-challenge',
    pattern: '^[a-z0-9_-]+$',
    description: 'The label in front of a domain that has its TXT record',
  }),
  EVENTS_QUERY_TIMEOUT_MS: Type.Integer({
    default: 10_000,
    minimum: 100,
    maximum: 600_000,
    description: 'How long an event query may take, including the time in the queue',
  }),
  SECRET_KEY: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      description:
        'The key that encrypts stored secrets, 64 hexadecimal digits; by default the key in secret.key next to the data, created at the first start',
    }),
  ),
  SECRET_KEY_PREVIOUS: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      description:
        'The previous SECRET_KEY. The next start re-encrypts its secrets with SECRET_KEY; remove it afterwards',
    }),
  ),
  OUTBOUND_ALLOW: Type.Optional(
    Type.String({
      description:
        'Private hosts that exports and plugins may connect to: addresses, ranges or names with an optional port, separated by commas, such as 10.0.0.0/8,db.internal:5432',
    }),
  ),
  S3_ENDPOINT_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description:
        'The endpoint of Amazon S3 for exports without endpoint_url, such as a VPC endpoint; by default the public one of the region',
    }),
  ),
  S3_ROLE_BUCKETS: Type.Optional(
    Type.String({
      description:
        'The buckets that AwsS3 exports may access with the role of this machine, as organization id:bucket, separated by commas',
    }),
  ),
  EXPORT_FOLDER: Type.Optional(
    Type.String({
      description: 'The folder of File exports; by default exports/ next to the data, or ./exports with PostgreSQL',
    }),
  ),
  EXPORT_SLOTS: Type.Integer({
    default: 4,
    minimum: 1,
    maximum: 64,
    description: 'How many export runs this server processes concurrently, each in its own process',
  }),
  RUN_RETENTION_DAYS: Type.Integer({
    default: 90,
    minimum: 1,
    maximum: 36_500,
    description: 'How long export runs and their logs are stored',
  }),
  ACTIVITY_RETENTION_DAYS: Type.Integer({
    default: 400,
    minimum: 1,
    maximum: 36_500,
    description: 'How long entries of the activity log are stored',
  }),
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
  PLUGIN_FOLDER: Type.Optional(
    Type.String({
      description: 'The folder whose subfolders can be installed as plugins with file: URLs; none by default',
    }),
  ),
  PLUGIN_FETCH_TIMEOUT_MS: Type.Integer({
    default: 20_000,
    minimum: 100,
    maximum: 600_000,
    description: 'How long the download of a plugin may take in total',
  }),
  DRAIN_SECONDS: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 600,
      description:
        'How long the server keeps serving after SIGTERM while /health/ready fails, so that load balancers stop routing to it; by default 2 on PostgreSQL and 0 on SQLite',
    }),
  ),
  SHUTDOWN_SECONDS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3600,
    description: 'How long a shutdown then waits for requests and work in progress',
  }),
})

/** The settings of commands that call a server. */
const ClientEnvironment = Type.Object({
  WORKSPACE_URL: Type.String({
    default: 'http://127.0.0.1:8000',
    // Without credentials, which would end up in logs and process lists.
    pattern: '^https?://[^/@\\s]+(/[^\\s?#]*)?$',
    description: 'The URL of the server, such as https://workspaces.example.com, without user and password',
  }),
  WORKSPACE_KEY: Type.Optional(
    Type.String({ pattern: '^\\s*[\\x21-\\x7e]+\\s*$', description: 'The personal API key, without spaces' }),
  ),
})

export type Config = Static<typeof Environment>
export type ClientConfig = Static<typeof ClientEnvironment>
/** The environment variables of a process. */
export type Variables = Record<string, string | undefined>

export function readConfig(environment: Variables): Config {
  const config = read(Environment, environment)
  for (const { name, isValid } of CHECKS) {
    const value = config[name]
    if (value !== undefined && !isValid(value)) throw invalidSetting(Environment, name)
  }
  if (config.SMTP_URL && !config.SITE_URL)
    throw new Error('SMTP_URL requires SITE_URL for the links in emails. Set SITE_URL.')
  return config.SITE_URL ? { ...config, SITE_URL: config.SITE_URL.replace(/(?<!\/)\/+$/, '') } : config
}

const isUrl = (value: string): boolean => URL.canParse(value)

/** The id of an organization and the name of a bucket. */
const ROLE_BUCKET = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}:[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/

/** Checks that a pattern cannot express. */
const CHECKS = [
  { name: 'SITE_URL', isValid: isUrl },
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

/** Splits a setting at its commas. */
export const splitList = (value: string): string[] => value.split(',').map((entry) => entry.trim())

export const readClientConfig = (environment: Variables): ClientConfig => read(ClientEnvironment, environment)

/** Whether a failing command prints a stack trace. Works even when other settings are invalid. */
export const showsStacks = (environment: Variables): boolean => /^(debug|trace)$/.test(environment.LOG_LEVEL ?? '')

/** Throws an error that names the first invalid setting and its valid values. */
function read<Schema extends TObject>(schema: Schema, environment: Variables): Static<Schema> {
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(schema.properties))
    if (environment[name] !== undefined && environment[name] !== '') values[name] = environment[name]
  const config = Value.Default(schema, Value.Convert(schema, values))
  if (Value.Check(schema, config)) return config
  throw invalidSetting(schema, Value.Errors(schema, config).First()?.path.slice(1) ?? '')
}

function invalidSetting({ properties }: TObject, name: string): Error {
  const setting = properties[name]
  return new Error(`${name} ${setting ? validValues(setting) : 'is not valid.'} ${setting?.description}.`)
}

function validValues(setting: TSchema): string {
  if (TypeGuard.IsUnion(setting)) {
    const choices = setting.anyOf.map((choice) => (TypeGuard.IsLiteral(choice) ? choice.const : ''))
    return `must be one of: ${choices.join(', ')}.`
  }
  if (TypeGuard.IsInteger(setting)) return `must be an integer between ${setting.minimum} and ${setting.maximum}.`
  if (TypeGuard.IsBoolean(setting)) return 'must be true or false.'
  return 'is not valid.'
}

/** Every setting with its default and description. */
export const describeSettings = (): { name: string; default: string; description: string }[] =>
  Object.entries(Environment.properties).map(([name, { default: value, description }]) => ({
    name,
    default: value === undefined ? '' : String(value),
    description: description ?? '',
  }))
