/** The time until a page of the console shows its first content, on a small and on a large installation. */
import { execFileSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import type { BrowserContext } from 'playwright-core'
import { v7 } from 'uuid'
import { personIdOf } from '../../src/events/persons.ts'
import { ADMINISTRATION } from '../../src/sql/migrate.ts'
import { launchChromium } from '../../test/helpers/programs/chromium.ts'
import type { Benchmark, Variant } from '../benchmark.ts'
import { copyToPostgres } from '../postgres.ts'
import { fetchBody, insertEvents, postJson, shared, startWorkspace, type Workspace } from '../workspace.ts'
import { copier } from './growth.ts'

interface Size {
  members: number
  exports: number
  events: number
  persons: number
}

const SMALL: Size = { members: 10, exports: 10, events: 10, persons: 10 }
const LARGE: Size = { members: 10_000, exports: 500, events: 1_000_000, persons: 10_000 }
const AT_MOST = 1.5
const ROUNDS = 5
const PASSWORD = 'correct horse battery staple 42'

interface Site {
  workspace: Workspace
  context: BrowserContext
}

const sqliteSite = shared(async ({ members, exports, events, persons }: Size): Promise<Site> => {
  const workspace = await startWorkspace()
  const { organization_id, project_id } = workspace
  const body = { name: 'To files', interval: 'day', paused: true, destination: { type: 'NoOp', config: {} } }
  await postJson(workspace, `/api/projects/${project_id}/batch_exports/`, body)
  fillAdministration(workspace, organization_id, members, exports)
  insertEvents(workspace, [project_id], events, { persons })
  setPassword(workspace)
  return signIn(workspace)
})

const postgresSite = shared(async (size: Size) => signIn(await copyToPostgres((await sqliteSite(size)).workspace)))

function setPassword({ database }: Workspace): void {
  const words = ['users', 'set-password', 'owner@example.com', '--database', database]
  execFileSync(process.execPath, ['dist/workspace-admin.js', ...words], { input: PASSWORD })
}

async function signIn(workspace: Workspace): Promise<Site> {
  const { url } = workspace
  const { email } = JSON.parse(await fetchBody(workspace, '/api/users/@me/'))
  const browser = await launchChromium()
  process.once('exit', () => void browser.close())
  const context = await browser.newContext({ baseURL: url, reducedMotion: 'reduce' })
  const response = await context.request.post('/api/login/', {
    data: { email, password: PASSWORD },
    headers: { origin: url },
  })
  if (!response.ok()) throw new Error(`signing in responded with ${response.status()}`)
  return { workspace, context }
}

function fillAdministration({ file }: Workspace, organization_id: string, members: number, exports: number): void {
  const db = new Sqlite(join(dirname(file), ADMINISTRATION.file))
  db.pragma('synchronous = off')
  const now = new Date().toISOString()
  const member = db.prepare('insert into members values (?, ?, ?, ?, ?, ?, ?)')
  const user = db.prepare(
    `insert into users (uuid, distinct_id, email, email_key, first_name, last_name, is_active, created_at)
     values (?, ?, ?, ?, 'Ada', '', 1, ?) returning id`,
  )
  const copyExport = copier(db, 'batch_exports')
  db.transaction(() => {
    for (let i = 1; i < members; i++) {
      const email = `member-${i}@example.com`
      const { id } = user.get(v7(), v7(), email, email, now) as { id: number }
      member.run(v7(), organization_id, id, 1, now, now, now)
    }
    for (let i = 1; i < exports; i++) copyExport(i)
    db.prepare('update organizations set member_count = ? where id = ?').run(members, organization_id)
  })()
  db.exec('analyze')
  db.close()
}

/** The address of a page. */
type PathOf = (workspace: Workspace) => string | Promise<string>

/** Opens the page in a new tab. The files of the console come from the browser's cache. */
const opening =
  (site: () => Promise<Site>, path: PathOf, content: string): Variant =>
  async () => {
    const { workspace, context } = await site()
    const url = await path(workspace)
    const page = await context.newPage()
    const start = performance.now()
    await page.goto(url, { waitUntil: 'commit' })
    await page.locator(content).first().waitFor()
    const ms = performance.now() - start
    await page.close()
    return ms
  }

const inOrganization =
  (page: string) =>
  ({ organization_id }: Workspace): string =>
    `/organizations/${organization_id}/${page}`
const inProject =
  (page: string) =>
  (workspace: Workspace): string =>
    inOrganization(`projects/${workspace.project_id}/${page}`)(workspace)

async function exportPage(workspace: Workspace): Promise<string> {
  const { results } = JSON.parse(await fetchBody(workspace, `/api/projects/${workspace.project_id}/batch_exports/`))
  return inProject(`exports/${results[0].id}`)(workspace)
}

const personPage = (workspace: Workspace): string =>
  inProject(`persons/${personIdOf(workspace.project_id, 'person-0')}`)(workspace)

const ROWS = 'main tbody tr'
const TITLE = 'main h1'

const PAGES: [name: string, path: PathOf, content: string][] = [
  ['home', inProject('home'), ROWS],
  ['events', inProject('events?after=-30d'), 'main tbody[data-index] tr'],
  ['histogram', inProject('events?after=-30d'), 'main [role=img]'],
  ['persons', inProject('persons'), ROWS],
  ['person', personPage, 'main table[aria-label="Latest events"] tbody tr'],
  ['query', inProject('query'), 'main .cm-content'],
  ['exports', inProject('exports'), ROWS],
  ['export', exportPage, 'main :text("Latest runs")'],
  ['new-export', inProject('exports/new'), 'main input'],
  ['plugins', inProject('plugins'), 'main .link-tab'],
  ['members', inOrganization('members'), ROWS],
  ['invites', inOrganization('invites'), 'main :text("No pending invites")'],
  ['domains', inOrganization('domains'), 'main :text("No domains")'],
  ['credentials', inOrganization('credentials'), 'main :text("No stored credentials")'],
  ['alerts', inOrganization('alerts'), 'main :text("No alerts")'],
  ['projects', inOrganization('projects'), ROWS],
  ['activity', inOrganization('activity'), TITLE],
  ['settings', inOrganization('settings'), 'main form'],
  ['keys', () => '/account/keys', 'main :text("First key")'],
  ['sessions', () => '/account/sessions', TITLE],
  ['instance', () => '/instance', TITLE],
]

const ENGINES = [
  { suffix: '', siteOf: sqliteSite },
  { suffix: ' on PostgreSQL', siteOf: postgresSite },
]

export const consolePages: Benchmark[] = PAGES.map(([name, path, content]) => ({
  name: `console.${name}`,
  description: `First content of the page "${name}" in Chromium: 10 members, exports, persons and events against 10,000 members, 500 exports, 10,000 persons and 1,000,000 events.`,
  unit: 'ms',
  rounds: ROUNDS,
  setup: async () => {
    for (const { siteOf } of ENGINES) for (const size of [SMALL, LARGE]) await siteOf(size)
    return undefined
  },
  variants: Object.fromEntries(
    ENGINES.flatMap(({ suffix, siteOf }) => [
      [`small${suffix}`, opening(() => siteOf(SMALL), path, content)],
      [`large${suffix}`, opening(() => siteOf(LARGE), path, content)],
    ]),
  ),
  limits: ENGINES.map(({ suffix }) => ({ subject: `large${suffix}`, against: `small${suffix}`, atMost: AT_MOST })),
}))
