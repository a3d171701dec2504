import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

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
  SITE_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/]+',
      description: 'How the world reaches this server; links are built on it',
    }),
  ),
  TRUST_PROXY: Type.Boolean({ default: false, description: 'Believe X-Forwarded-* headers' }),
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].map((level) => Type.Literal(level)),
    { default: 'info', description: 'fatal, error, warn, info, debug, trace or silent' },
  ),
  RATE_LIMITS: Type.Boolean({ default: true, description: 'Limit requests per key and per address' }),
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
    Type.String({ minLength: 3, description: 'Who mail is from; by default workspace-admin@ the host of SITE_URL' }),
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
  SHUTDOWN_SECONDS: Type.Integer({
    default: 30,
    minimum: 1,
    maximum: 3600,
    description: 'How long a shutdown waits for what is in flight',
  }),
})

export type Config = Static<typeof Environment>

/** Reads the settings; throws one sentence that names the first wrong one and what it should be. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given: Record<string, unknown> = {}
  for (const name of Object.keys(Environment.properties))
    if (environment[name] !== undefined && environment[name] !== '') given[name] = environment[name]
  const config = Value.Default(Environment, Value.Convert(Environment, given))
  const wrong = Value.Errors(Environment, config).First()
  if (wrong) {
    const name = wrong.path.slice(1)
    const { description } = Environment.properties[name as keyof Config]
    throw new Error(`${name} is set to something it cannot be. ${description}.`)
  }
  const read = config as Config
  if (read.SMTP_URL && !read.SITE_URL)
    throw new Error('SMTP_URL needs SITE_URL: the links in mails are built on it. Set both.')
  return read
}

/** The settings as a table for people: name, default, meaning. */
export const settings = (): { name: string; default: string; description: string }[] =>
  Object.entries(Environment.properties).map(([name, { default: value, description }]) => ({
    name,
    default: value === undefined ? '' : String(value),
    description: description ?? '',
  }))
