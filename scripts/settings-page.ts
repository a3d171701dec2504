/** The page docs/settings.md, generated from src/config.ts. */
import { describeClientSettings, describeSettings, type SettingDescription } from '../src/config.ts'

/** Has the settings that match no other section. */
const FIRST_SECTION = 'Server'
const SECTIONS: [title: string, names: RegExp][] = [
  ['Database', /^DATABASE_/],
  ['Sign-in', /^(SESSION|SOCIAL_AUTH|OIDC|SAML)_/],
  ['Mail and DNS', /^(SMTP|MAIL|DNS|DOMAIN)_/],
  ['Secrets and outgoing connections', /^(SECRET_KEY|OUTBOUND_)/],
  ['Events and exports', /^(EVENTS?|EXPORT|RUN|S3)_/],
  ['Plugins', /^(PLUGIN|GEOIP)_/],
  ['Backups', /^BACKUP_/],
  ['Logs, metrics and tracing', /^(LOG|METRICS|TRAC|OTEL)/],
]

const INTRODUCTION = `# Settings

<!-- Generated from src/config.ts by \`npm run contract\`. Do not edit. -->

Settings are environment variables that a process reads once at its start. An empty value counts as unset. An invalid value
stops the start with a message that names the setting and its valid values.

\`\`\`sh
PORT=9000 DATABASE_URL=postgres://workspace@db.example.com/workspace workspace-admin serve
\`\`\`

The flags of \`workspace-admin serve\` override the environment: \`--port\`, \`--host\`, \`--database\`, \`--dialect\`
and \`--role\`.`

const COMPILE_CACHE = `Every command caches its compiled code in \`workspace-admin\` below \`XDG_CACHE_HOME\` (default: \`~/.cache\`), which makes
the next start faster. \`NODE_COMPILE_CACHE\` names another folder, and \`NODE_DISABLE_COMPILE_CACHE=1\` turns the cache off.
`

/** A pipe would end the cell; an angle bracket would start an HTML tag. */
const escapeCell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '\\<')

const row = ({ name, type, default: value, description, since = 'next release' }: SettingDescription): string =>
  `| \`${name}\` | ${type} | ${value && `\`${value}\``} | ${escapeCell(description)} | ${since} |`

const section = (title: string, settings: SettingDescription[]): string =>
  [
    `## ${title}`,
    '',
    '| name | value | default | meaning | since |',
    '|---|---|---|---|---|',
    ...settings.map(row),
  ].join('\n')

const sectionOf = ({ name }: SettingDescription): string =>
  SECTIONS.find(([, names]) => names.test(name))?.[0] ?? FIRST_SECTION

export function settingsPage(): string {
  const settings = Map.groupBy(describeSettings(), sectionOf)
  const titles = [FIRST_SECTION, ...SECTIONS.map(([title]) => title)].filter((title) => settings.has(title))
  return [
    INTRODUCTION,
    ...titles.map((title) => section(title, settings.get(title) ?? [])),
    section('Command line', describeClientSettings()),
    COMPILE_CACHE,
  ].join('\n\n')
}
