/** The pages of plugins: lists, installation, settings, source, upgrades, runs and access levels. */
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { freshFolder } from '../helpers/folders.ts'
import { openPluginHosts } from '../helpers/peers/plugin-hosts.ts'
import { type Console, layoutShift, openConsole } from '../helpers/programs/console.ts'
import { command, ended } from '../helpers/programs/process.ts'

t.setTimeout(15 * 60_000)

const ENGINES = ['sqlite', 'postgres'] as const
const SHA = '5b1f0c7d2e9a4863b7c05d1e8f2a6b394c7d0e15'
const NEXT = '0a1b2c3d4e5f60718293a4b5c6d7e8f901234567'
/** The largest size of a page with its scripts, compressed. */
const MAX_BYTES = 330_000
const SECRET = 'a very secret token'

const CONFIG = [
  { markdown: 'Read the [guide](https://example.com/guide) **first**.' },
  { key: 'address', name: 'Address', type: 'string', required: true, hint: 'Where events are sent.' },
  { key: 'token', name: 'Token', type: 'string', secret: true, required: true },
  { key: 'mode', name: 'Mode', type: 'choice', choices: ['fast', 'safe'], default: 'safe' },
  { key: 'extra', name: 'Extra', type: 'json' },
  { key: 'mapping', name: 'Mapping', type: 'attachment' },
  { key: 'pause', name: 'Pause in seconds', type: 'string', visible_if: [['mode', 'safe']], default: '5' },
]
const filesOf = (config: object[], code = 'export function onEvent(event) {}'): Record<string, string> => ({
  'plugin.json': JSON.stringify({ name: 'Webhooks', description: 'Sends events to a webhook.', config }),
  'index.ts': code,
})

const hosts = await openPluginHosts(t)

/** The pages look the same on both engines. */
const onceInspected = (engine: string, opened: Console): Console =>
  engine === 'sqlite' ? opened : { ...opened, inspect: async () => {} }

const chooseFamily = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Kinds of plugins' }).getByRole('link', { name }).click()

/** Replaces the text of an editor as a user does. */
async function write(editor: Locator, text: string): Promise<void> {
  await editor.click()
  await editor.page().keyboard.press('ControlOrMeta+A')
  await editor.page().keyboard.insertText(text)
}

for (const engine of ENGINES)
  t.test(`installs a plugin by URL, configures, enables, upgrades and uninstalls it (${engine})`, async (t) => {
    hosts.reset()
    hosts.published['github hedgerow/webhook'] = { newest: { '': SHA }, revisions: { [SHA]: filesOf(CONFIG) } }
    const opened = await openConsole(t, engine, hosts.environment)
    const { open, inspect, api, home, organization, project } = onceInspected(engine, opened)
    const page = await open(`${home}/plugins`)
    await page.getByText('No destinations are installed').waitFor()
    await inspect(page, 'plugins-empty')
    await page.getByRole('button', { name: 'Install destination' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'URL' }).fill(`${hosts.urls.github}/hedgerow/nothing`)
    await dialog.getByRole('button', { name: 'Install plugin' }).click()
    await dialog
      .getByText(/not found|does not exist|Check the/i)
      .first()
      .waitFor()
    await inspect(page, 'plugins-install')
    await dialog.getByRole('textbox', { name: 'URL' }).fill(`${hosts.urls.github}/hedgerow/webhook`)
    await dialog.getByRole('button', { name: 'Install plugin' }).click()
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
    t.match(page.url(), /\/plugins\/destinations\/\d+$/)

    const toggle = page.getByRole('switch', { name: /^Webhooks is/ })
    t.ok(await toggle.isDisabled(), 'a plugin without its required settings cannot be enabled')
    await page.getByText('Fill in first: Address, Token.').waitFor()
    await page.getByText('Read the guide (https://example.com/guide) first.').waitFor()
    await page.getByLabel('Address').fill('https://hooks.example.com')
    await page.getByLabel('Token').fill(SECRET)
    await page.getByRole('combobox', { name: 'Mode' }).click()
    t.ok(await page.getByLabel('Pause in seconds').isVisible())
    await page.getByRole('option', { name: 'fast' }).click()
    t.equal(await page.getByLabel('Pause in seconds').count(), 0, 'a field that does not apply is hidden')
    await page.getByLabel('Extra').fill('{"a": 1}')
    await page.locator('input[type=file]').setInputFiles({
      name: 'mapping.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('a,b'),
    })
    await page.getByLabel('Order').fill('3')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await page.getByText('The settings are saved. The plugin is off.').waitFor()
    const { results } = await api('GET', `/api/projects/${project}/plugin_configs/`)
    t.match(results, [
      {
        enabled: false,
        order: 3,
        config: {
          address: 'https://hooks.example.com',
          token: '********',
          mode: 'fast',
          mapping: { file_name: 'mapping.csv', content_type: 'text/csv', size: 3 },
        },
      },
    ])
    t.match(JSON.parse(String(results[0]?.config.extra)), { a: 1 })
    await page.getByText('Set', { exact: true }).waitFor()
    t.notOk((await page.content()).includes(SECRET), 'a saved secret is not in the page')
    await inspect(page, 'plugin-settings')

    // Another field is saved, and the secret stays.
    await page.getByLabel('Order').fill('4')
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await page.getByRole('button', { name: 'Save settings' }).click()
    t.equal((await saved).status(), 200)
    await page.reload()
    await page.getByText('Set', { exact: true }).waitFor()
    t.equal(await page.getByLabel('Order').inputValue(), '4')
    await page.getByLabel('Address').fill('https://other.example.com')
    await toggle.click({ force: true })
    await page.getByRole('switch', { name: 'Webhooks is on' }).waitFor()
    t.equal(await page.getByLabel('Address').inputValue(), 'https://other.example.com', 'typed text stays')
    // An administrator changes settings without sending the secret again.
    const changed = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await page.getByRole('button', { name: 'Save settings' }).click()
    t.equal((await changed).status(), 200)

    // A failed change is reverted and reported.
    await page.route('**/plugin_configs/*/', (route) =>
      route.request().method() === 'PATCH'
        ? route.fulfill({
            status: 503,
            json: { type: 'server_error', code: 'unavailable', detail: 'The database is busy.', attr: null },
          })
        : route.continue(),
    )
    await toggle.click({ force: true })
    await page.getByText('"Webhooks" is still on').waitFor()
    await page.getByRole('switch', { name: 'Webhooks is on' }).waitFor()
    await page.unroute('**/plugin_configs/*/')

    hosts.published['github hedgerow/webhook'] = {
      newest: { '': NEXT },
      revisions: { [NEXT]: filesOf([...CONFIG, { key: 'added', name: 'Added', type: 'string' }]) },
    }
    await page.getByRole('button', { name: 'Check for updates' }).click()
    await page.getByText('5b1f0c7 → 0a1b2c3').waitFor()
    await inspect(page, 'plugin-update')
    await page.goto(`${home}/plugins`)
    const row = page.getByRole('listitem', { name: 'Webhooks' })
    await row.getByText('Update available: 5b1f0c7 → 0a1b2c3').waitFor()
    await row.getByText('order 4').waitFor()
    await row.getByRole('switch', { name: 'Webhooks is on' }).waitFor()
    await inspect(page, 'plugins')
    await row.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('button', { name: 'Upgrade plugin' }).click()
    await dialog.getByText('Revision 0a1b2c3 replaces revision 5b1f0c7').waitFor()
    await dialog.getByRole('button', { name: 'Upgrade plugin' }).click()
    await page.getByLabel('Added').waitFor()
    t.equal(await page.getByText('Update available').count(), 0)

    await page.getByRole('link', { name: 'Activity', exact: true }).click()
    const activity = page.getByRole('list', { name: 'Activity' })
    await activity.getByText('upgraded the plugin').waitFor()
    await activity.getByText('turned the plugin on').waitFor()
    t.match(page.url(), /tab=activity/)
    await inspect(page, 'plugin-activity')

    await page.getByRole('button', { name: 'Uninstall' }).click()
    await page.getByRole('dialog', { name: 'Uninstall "Webhooks"?' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Uninstall' }).click()
    await dialog.getByRole('button', { name: 'Uninstall plugin' }).click()
    await page.getByText('No destinations are installed').waitFor()
    t.match(await api('GET', `/api/organizations/${organization}/pipeline_destinations/`), { count: 0 })
    await chooseFamily(page, 'Activity')
    await page.getByText('uninstalled the plugin').waitFor()
    t.match(page.url(), /view=activity/)
  })

t.test('writes the source of a plugin and shows its errors at their line', async (t) => {
  const { open, inspect, api, home, organization } = await openConsole(t)
  const page = await open(`${home}/plugins`)
  await chooseFamily(page, 'Import apps')
  await page.waitForURL(/family=import_apps/)
  await page.getByRole('button', { name: 'Install import app' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Install an import app' })
  await dialog.getByText('From source').click()
  await dialog.getByLabel('Name').fill('Counter')
  await dialog.getByRole('button', { name: 'Create plugin' }).click()
  await page.waitForURL(/\/plugins\/import_apps\/\d+\?tab=source/)
  const id = /import_apps\/(\d+)/.exec(page.url())?.[1]
  const url = `/api/organizations/${organization}/pipeline_import_apps/${id}` as const
  const editor = page.getByRole('textbox', { name: 'Source of index.ts' })
  await editor.waitFor()
  await inspect(page, 'plugin-source')
  // A fresh page, without the parts that the list of plugins loaded.
  await page.reload()
  await editor.waitFor()
  const sizes = `performance.getEntriesByType('resource')
    .filter(({ name }) => name.includes('/assets/')).map((entry) => entry.encodedBodySize)`
  const total = (await page.evaluate<number[]>(sizes)).reduce((sum, size) => sum + size, 0)
  t.ok(total < MAX_BYTES, `the page with the editor has ${total} bytes, compressed`)

  await write(editor, 'export function onEvent(event) {\n  return event.event +\n}\n')
  await page.getByText('1 file changed').waitFor()
  await page.getByRole('button', { name: 'Save source' }).click()
  await page.getByText('The source is saved. It has errors.').waitFor()
  await page
    .getByRole('alert')
    .filter({ hasText: 'Error in index.ts' })
    .getByText(/^Line 3, column 1:/)
    .waitFor()
  t.match(
    await page.locator('.cm-error-line').textContent(),
    /^\}Line 3, column 1: Unexpected token/,
    'the error is at its line',
  )
  await inspect(page, 'plugin-source-error')

  await write(editor, 'export function onEvent(event) {}\nexport const jobs = { go() {} }\n')
  await page.getByRole('button', { name: 'Save source' }).click()
  await page.getByText('The source is saved without errors.').waitFor()
  t.equal(await page.locator('.cm-error-line').count(), 0)
  t.match((await api('GET', `${url}/`)).capabilities, { methods: ['onEvent'], jobs: ['go'] })

  await page.getByRole('button', { name: 'plugin.json' }).click()
  await page.waitForURL(/file=plugin\.json/)
  const manifest = page.getByRole('textbox', { name: 'Source of plugin.json' })
  await write(manifest, '{"name": ')
  await page.getByRole('button', { name: 'Save source' }).click()
  await page.getByRole('alert').getByText('plugin.json is not valid JSON.').waitFor()
  await write(manifest, '{"name": "Renamed", "config": [{"key": "limit", "name": "Limit", "type": "number"}]}')
  await page.getByRole('button', { name: 'Save source' }).click()
  await page.getByRole('heading', { name: 'Renamed' }).waitFor()

  await page.getByLabel('New file').fill('helpers.ts')
  await page.getByRole('button', { name: 'Add file' }).click()
  await write(page.getByRole('textbox', { name: 'Source of helpers.ts' }), 'export const one = 1\n')
  await page.getByRole('button', { name: 'Save source' }).click()
  await page.getByText('1 file changed').waitFor({ state: 'detached' })
  t.equal((await api('GET', `${url}/source/`)).source['helpers.ts'], 'export const one = 1\n')
  await page.reload()
  await page.getByRole('textbox', { name: 'Source of helpers.ts' }).waitFor()
  await page.getByRole('button', { name: 'Delete file' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete file' }).click()
  await page.getByRole('button', { name: 'Save source' }).click()
  await page.getByRole('button', { name: 'helpers.ts' }).waitFor({ state: 'detached' })
  await page.getByText('The source is saved without errors.').first().waitFor()
  t.notOk('helpers.ts' in (await api('GET', `${url}/source/`)).source)

  await page.getByRole('link', { name: 'Settings', exact: true }).nth(1).click()
  await page.getByLabel('Limit').fill('12')
  await page.getByRole('button', { name: 'Save settings' }).click()
  await page.getByText('The settings are saved.').waitFor()
})

const RUNNING = {
  'plugin.json': JSON.stringify({
    name: 'Greeter',
    description: 'Greets people.',
    config: [
      { key: 'word', name: 'Word', type: 'string', default: 'hello' },
      { key: 'token', name: 'Token', type: 'string', secret: true },
    ],
    publicJobs: {
      refill: {
        payload: {
          since: { title: 'First day', type: 'date', required: true },
          options: { type: 'json' },
          size: { title: 'Size', type: 'number', default: 5, staff_only: true },
        },
      },
      clear: {},
    },
  }),
  'index.ts': `
    export const jobs = {
      refill: (payload) => console.info('refilled', JSON.stringify(payload)),
      clear: () => {},
      later: () => {},
    }
    export function processEvent(event, { config }) {
      if (event.event === 'noise') return null
      event.properties.greeting = config.word
      return event
    }
    export async function onEvent(event, { config, jobs }) {
      console.log('saw', event.event)
      if (event.event === 'odd') console.warn('this is odd')
      if (event.event === 'bad') throw new TypeError('no greeting for bad events')
      if (event.event === 'sample') {
        posthog.capture('greeted', { word: config.word })
        await jobs.later({ a: 1 }).runIn(1, 'minute')
      }
    }`,
}

/** Reloads the log until it has the line. */
async function reloadUntil(page: Page, line: Locator): Promise<void> {
  while ((await line.count()) === 0) {
    const loaded = page.waitForResponse(/\/logs\//)
    await page.getByRole('button', { name: 'Reload log' }).click()
    await loaded
    // The response is shown when the button is ready again.
    await page.locator('button[data-loading]').waitFor({ state: 'detached' })
  }
}

for (const engine of ENGINES)
  t.test(
    `shows the log, metrics and errors of a running plugin, tests it and starts its jobs (${engine})`,
    async (t) => {
      const opened = await openConsole(t, engine, hosts.environment)
      const { open, inspect, api, capture, member, home, organization, project } = onceInspected(engine, opened)
      const base = `/api/organizations/${organization}/pipeline_destinations/` as const
      const plugin = await api('POST', base, { plugin_type: 'source', source: RUNNING })
      const configs = `/api/projects/${project}/plugin_configs/` as const
      const url = `${home}/plugins/destinations/${plugin.id}`
      const page = await open(`${url}?tab=logs`)
      await page.getByText('The plugin is not configured in this project').waitFor()
      const config = await api('POST', configs, { plugin: plugin.id, enabled: false, config: { token: SECRET } })
      await page.reload()
      await page.getByText('The log is empty').waitFor()
      await api('PATCH', `${configs}${config.id}/`, { enabled: true })
      await page.reload()
      await page.getByText('No calls in 24 hours').waitFor()
      const log = page.getByRole('log', { name: 'Log lines, newest first' })
      await reloadUntil(page, log.getByText('The plugin was loaded.'))

      await capture([{ event: 'good' }, { event: 'odd' }, { event: 'noise' }])
      await reloadUntil(page, log.getByText('this is odd'))
      await capture([{ event: 'bad' }])
      await reloadUntil(page, log.getByText(/no greeting for bad events/))
      t.equal(await log.getByText('saw noise').count(), 0, 'dropped events do not arrive')
      const lines = (await log.locator('.log-line').allTextContents()).map((text) =>
        text.replace(/^.*?\d\d:\d\d:\d\d/, ''),
      )
      t.ok(lines.indexOf('LOGsaw good') > lines.indexOf('WARNthis is odd'), 'the newest line is first')
      await inspect(page, 'plugin-logs')
      await page.getByRole('combobox', { name: 'Level' }).click()
      await page.getByRole('option', { name: 'Warnings and errors' }).click()
      await page.waitForURL(/level=WARN/)
      await log.getByText('saw good').waitFor({ state: 'detached' })
      await page.getByLabel('Text').fill('odd')
      await page.waitForURL(/text=odd/)
      await page.getByText('1 line', { exact: true }).waitFor()
      await page.getByRole('combobox', { name: 'Time' }).click()
      await page.getByRole('option', { name: 'Last hour' }).click()
      await page.waitForURL(/since=1h/)
      await page.reload()
      await log.getByText('this is odd').waitFor()
      t.equal(await log.locator('.log-line').count(), 1, 'the filter survives a reload')
      await page.getByLabel('Text').fill('nothing has this')
      await page.getByText('No log lines match').waitFor()

      const alert = page.getByRole('alert').filter({ hasText: 'Last error: TypeError in onEvent' })
      await alert.getByText('no greeting for bad events', { exact: true }).waitFor()
      await page.getByText('Failing', { exact: true }).waitFor()
      t.notOk(await alert.locator('pre').isVisible())
      await alert.getByText('Stack').click()
      await alert
        .locator('pre')
        .getByText(/at onEvent/)
        .waitFor()
      await inspect(page, 'plugin-error')

      await page.goto(`${home}/plugins`)
      const row = page.getByRole('listitem', { name: 'Greeter' })
      await row.getByText('Failing', { exact: true }).waitFor()
      await row.getByText('TypeError: no greeting for bad events').waitFor()
      await row.getByText(/% of calls succeeded in 24 hours/).waitFor()
      await inspect(page, 'plugins-failing')
      for (const [rate, word] of [
        [0.5, 'Some failures'],
        [0, 'All calls failed'],
      ] as const) {
        await page.route(/\/plugin_configs\/\?/, async (route) => {
          const response = await route.fetch()
          const json = await response.json()
          for (const one of json.results) Object.assign(one, { enabled: true, error: null, delivery_rate_24h: rate })
          await route.fulfill({ response, json })
        })
        await page.reload()
        await row.getByText(word, { exact: true }).waitFor()
        await page.unroute(/\/plugin_configs\/\?/)
      }
      await page.reload()
      await row.getByText('Failing', { exact: true }).waitFor()

      // Turned on again, the plugin gets or skips the events of the pause. The question does not wait for the list.
      const list = Promise.withResolvers<void>()
      await page.route(/\/plugin_configs\//, async (route) => {
        if (route.request().method() === 'GET') await list.promise
        await route.continue()
      })
      await row.getByRole('switch', { name: 'Greeter is on' }).click({ force: true })
      await row.getByRole('switch', { name: 'Greeter is off' }).waitFor()
      await row.getByText('Off after an error').waitFor()
      await capture([{ event: 'paused' }])
      await row.getByRole('switch', { name: 'Greeter is off' }).click({ force: true })
      const dialog = page.getByRole('dialog', { name: 'Turn "Greeter" on?' })
      await dialog.getByText('Choose what happens').waitFor()
      list.resolve()
      await page.unrouteAll({ behavior: 'wait' })
      await inspect(page, 'plugin-resume')
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })
      await row.getByRole('switch', { name: 'Greeter is off' }).click({ force: true })
      const skips = engine === 'sqlite'
      await dialog.getByRole('radio', { name: skips ? 'Skip them' : 'Deliver them' }).click()
      await dialog.getByRole('button', { name: 'Turn plugin on' }).click()
      await row.getByRole('switch', { name: 'Greeter is on' }).waitFor()
      await capture([{ event: 'resumed' }])
      await page.goto(`${url}?tab=logs`)
      await reloadUntil(page, log.getByText('saw resumed'))
      t.equal(await log.getByText('saw paused').count(), skips ? 0 : 1)

      await page.getByRole('link', { name: 'Metrics' }).click()
      const totals = page.locator('dl').filter({ hasText: 'Dropped events' })
      await totals.waitFor()
      const kinds = page.getByRole('table', { name: 'Calls by hour and kind' })
      t.ok((await kinds.getByRole('cell', { name: 'processEvent' }).count()) > 0)
      t.ok((await kinds.getByRole('cell', { name: 'onEvent' }).count()) > 0)
      await page.getByRole('img', { name: /at most \d+ in one hour/ }).waitFor()
      await inspect(page, 'plugin-metrics')
      await page.getByText('7 days', { exact: true }).click()
      await page.waitForURL(/range=7d/)
      await kinds.waitFor()

      await page.getByRole('link', { name: 'Failed deliveries' }).click()
      const failed = page.getByRole('table', { name: 'Failed deliveries, newest first' })
      await failed.getByText('TypeError: no greeting for bad events').waitFor()
      await failed.getByRole('cell', { name: '1', exact: true }).waitFor()
      await inspect(page, 'plugin-failed-deliveries')
      await failed.getByRole('button', { name: 'Replay' }).click()
      await failed.getByRole('cell', { name: '2', exact: true }).waitFor()
      const mended = RUNNING['index.ts'].replace("event.event === 'bad'", 'false')
      await api('PATCH', `${base}${plugin.id}/update_source/`, { source: { 'index.ts': mended } })
      await page.getByRole('button', { name: 'Replay all' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Replay all' }).click()
      await page.getByText('1 delivery will be replayed.').waitFor()
      await page.getByText('No delivery has failed for good').waitFor()
      await api('PATCH', `${base}${plugin.id}/update_source/`, { source: { 'index.ts': RUNNING['index.ts'] } })

      await page.getByRole('link', { name: 'Jobs 2' }).click()
      const start = page.getByRole('button', { name: 'Start refill' })
      await page.getByLabel('options').fill('{"a": ')
      await page.getByLabel('First day').fill('2026-01-31')
      await start.click()
      await page.getByText('This is not valid JSON.').waitFor()
      await page.getByLabel('options').fill('{"a": 1}')
      await start.click()
      await page.getByRole('status').getByText('The job is queued').waitFor()
      await inspect(page, 'plugin-jobs')
      await page.getByRole('link', { name: 'the log' }).click()
      await page.waitForURL(/tab=logs/)
      const refilled = log.getByText(/^refilled/)
      await reloadUntil(page, refilled)
      t.match(JSON.parse((await refilled.textContent())?.replace('refilled ', '') ?? ''), {
        since: '2026-01-31',
        options: { a: 1 },
        size: 5,
      })

      await page.getByRole('link', { name: 'Test', exact: true }).click()
      const editor = page.getByRole('textbox', { name: 'Sample event' })
      await editor.getByText('$pageview').waitFor()
      const run = page.getByRole('button', { name: 'Run test' })
      await write(editor, '{\n  "event": "sample"\n  "distinct_id": "ada"\n}')
      await run.click()
      await page.getByRole('alert').getByText('Line 3, column 3: This is not valid JSON.').waitFor()
      t.match(await page.locator('.cm-error-line').textContent(), /distinct_id/, 'the error is at its line')
      await write(editor, '{\n  "event": "sample"\n}')
      await run.click()
      await page
        .getByRole('alert')
        .getByText(/distinct_id/)
        .waitFor()
      await write(editor, '[{"event": "sample", "distinct_id": "ada"}, {"event": "bad", "distinct_id": "ada"}]')
      await run.click()
      const first = page.getByRole('region', { name: 'Call 1: processEvent' })
      await first.getByText('Changed the event').waitFor()
      await first
        .getByRole('group', { name: 'Output of processEvent' })
        .getByText(/"greeting": "hello"/)
        .waitFor()
      await page.getByRole('region', { name: 'Call 4: onEvent' }).getByText('TypeError: no greeting').waitFor()
      await page.getByRole('log', { name: 'Log of the test' }).getByText('saw sample').waitFor()
      await page.getByRole('group', { name: 'Captured events' }).getByText('"event": "greeted"').waitFor()
      await page.getByRole('group', { name: 'Queued jobs' }).getByText('"type": "later"').waitFor()
      await inspect(page, 'plugin-test')

      await write(editor, '{"event": "paid", "distinct_id": "ada", "properties": {"plan": "team"}}')
      await run.click()
      await page.getByRole('textbox', { name: 'Name of the test event' }).fill('Greets')
      await page.getByRole('button', { name: 'Save as test event' }).click()
      const saved = page.getByRole('listitem', { name: 'Greets' })
      await saved.waitFor()
      await page.getByRole('button', { name: 'Run all' }).click()
      await saved.getByText('Passed').waitFor()
      await page.getByRole('link', { name: 'Source', exact: true }).click()
      await write(
        page.getByRole('textbox', { name: 'Source of index.ts' }),
        RUNNING['index.ts'].replace('= config.word', "= 'good day'"),
      )
      await page.getByRole('button', { name: 'Save source' }).click()
      await page.getByRole('button', { name: 'Run 1 test event' }).click()
      await page.getByText('1 of 1 failed').waitFor()
      await page
        .getByRole('table', { name: 'Differences of Greets' })
        .getByRole('row', { name: 'events[0].properties.greeting "hello" "good day"' })
        .waitFor()
      await inspect(page, 'plugin-source-tests')
      await page.getByRole('link', { name: 'Test', exact: true }).click()
      await page.getByRole('button', { name: 'Run all' }).click()
      await saved.getByText('Failed').waitFor()
      await inspect(page, 'plugin-test-events')
      await saved.getByRole('button', { name: 'Expect this result' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Replace expected result' }).click()
      await saved.getByText('Passed').waitFor()
      await saved.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete test event' }).click()
      await saved.waitFor({ state: 'detached' })

      // The secret of the configuration is for administrators.
      await member('mia@example.com', 1)
      const other = await open(`${url}?tab=test`, { email: 'mia@example.com' })
      const forbidden = other.getByRole('button', { name: 'Run test' })
      await forbidden.focus()
      await other.getByRole('tooltip').getByText('This needs the level administrator.').waitFor()
      await other.getByRole('link', { name: 'Jobs 2' }).click()
      await other.getByText('Only administrators can set Size.').waitFor()
      t.equal(await other.getByRole('textbox', { name: 'Size' }).count(), 0)
      await api('PATCH', `${configs}${config.id}/`, { enabled: false })
      await other.reload()
      t.equal(await other.getByRole('button', { name: 'Start clear' }).getAttribute('aria-disabled'), 'true')
    },
  )

t.test('shows the transformations of all families and changes their order', async (t) => {
  const { open, inspect, api, home, organization, project } = await openConsole(t)
  const configs = `/api/projects/${project}/plugin_configs/` as const
  const page = await open(`${home}/plugins?family=transformations`)
  await page.getByText('No transformations are installed').waitFor()
  const codes = { First: 'processEvent', Second: 'processEvent', Third: 'processEvent', Sender: 'onEvent' }
  for (const [index, [name, method]] of Object.entries(codes).entries()) {
    const family = index === 1 ? 'pipeline_import_apps' : 'pipeline_destinations'
    const source = { 'index.ts': `export const ${method} = (event) => event`, 'plugin.json': JSON.stringify({ name }) }
    const plugin = await api('POST', `/api/organizations/${organization}/${family}/`, { plugin_type: 'source', source })
    await api('POST', configs, { plugin: plugin.id, enabled: index !== 1, order: index })
  }
  const source = { 'index.ts': 'export const processEvent = (event) => event', 'plugin.json': '{"name": "Unused"}' }
  await api('POST', `/api/organizations/${organization}/pipeline_destinations/`, { plugin_type: 'source', source })
  await page.reload()
  await page.getByRole('link', { name: 'Transformations 3' }).waitFor()
  const list = page.getByRole('list', { name: 'Transformations in their order' })
  const names = async () => (await list.getByRole('link').allTextContents()).join()
  await list.getByRole('listitem').nth(2).waitFor()
  t.equal(await names(), 'First,Second,Third')
  await page.getByText('Unused').waitFor()
  await inspect(page, 'plugins-transformations')

  const stored = async () =>
    (await api('GET', configs)).results
      .filter(({ name }) => name !== 'Sender')
      .map(({ name }) => name)
      .join()
  const saved = () => page.waitForResponse((response) => response.url().endsWith('/plugin_configs/?limit=1000'))
  const handle = list.getByRole('button', { name: /^Move First/ })
  await handle.focus()
  const changed = saved()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('status').getByText('First is now number 2 of 3.').waitFor()
  await changed
  t.equal(await names(), 'Second,First,Third')
  t.equal(await stored(), 'Second,First,Third')
  const focused = await page.evaluate<string>('document.activeElement.getAttribute("aria-label")')
  t.match(focused, /^Move First/, 'the handle keeps the focus')

  const dropped = saved()
  await list.getByRole('listitem', { name: 'Third' }).dragTo(list.getByRole('listitem', { name: 'Second' }))
  await dropped
  t.equal(await names(), 'Third,Second,First')
  t.equal(await stored(), 'Third,Second,First')

  await page.route('**/plugin_configs/*/', (route) =>
    route.fulfill({
      status: 503,
      json: { type: 'server_error', code: 'unavailable', detail: 'The database is busy.', attr: null },
    }),
  )
  await handle.focus()
  await page.keyboard.press('ArrowUp')
  await page.getByText('The order did not change').waitFor()
  t.equal(await names(), 'Third,Second,First', 'a failed change is reverted')
  await page.unrouteAll({ behavior: 'wait' })

  // Broken source of an enabled plugin is saved only on request.
  await list.getByRole('link', { name: 'First' }).click()
  await page.getByRole('link', { name: 'Source', exact: true }).click()
  await write(page.getByRole('textbox', { name: 'Source of index.ts' }), 'export function (')
  await page.getByRole('button', { name: 'Save source' }).click()
  await page
    .getByRole('alert')
    .getByText(/The code does not load, and the plugin is enabled. Line 1/)
    .waitFor()
  await inspect(page, 'plugin-source-refused')
  await page.getByRole('button', { name: 'Save anyway' }).click()
  await page.getByText('The source is saved, and the plugin was switched off.').waitFor()
  await page.getByText('Off after an error').waitFor()
  await page.getByRole('switch', { name: 'First is off' }).waitFor()
})

t.test('shows the catalog and the number of plugins by family, and explains disabled actions', async (t) => {
  const DATABASE_URL = `sqlite:${freshFolder(t)}`
  const { open, inspect, api, home, organization } = await openConsole(t, 'sqlite', { DATABASE_URL })
  const base = `/api/organizations/${organization}/pipeline_frontend_apps/` as const
  for (const name of ['Banner', 'Survey']) await api('POST', base, { plugin_type: 'source', name })
  const page = await open(`${home}/plugins`)
  await chooseFamily(page, 'Catalog')
  const list = page.getByRole('list', { name: 'Catalog' })
  await list.getByText('BigQuery Export').waitFor()
  await inspect(page, 'plugins-catalog')
  t.equal(await page.getByRole('radio').count(), 0, 'one level of tabs')
  await page.getByRole('combobox', { name: 'Purpose' }).click()
  await page.getByRole('option', { name: 'Bring events in' }).click()
  await page.waitForURL(/purpose=data_in/)
  await list.getByText('BigQuery Export').waitFor({ state: 'detached' })
  await page.goBack()
  await list.getByText('BigQuery Export').waitFor()
  const search = page.getByRole('searchbox', { name: 'Search the catalog' })
  await search.fill('bigquery')
  await page.waitForURL(/search=bigquery/)
  await page.getByText('1 plugin', { exact: true }).waitFor()
  await page.reload()
  await page.getByText('1 plugin', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Install BigQuery Export as destination' }).waitFor()
  await search.fill('no such plugin')
  await page.getByRole('heading', { name: 'No plugin found' }).waitFor()
  await inspect(page, 'plugins-catalog-empty')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await list.getByText('BigQuery Export').waitFor()
  const phone = await open(`${home}/plugins?view=catalog`, { width: 'phone' })
  await phone.getByText('BigQuery Export').waitFor()
  const shift = await layoutShift(phone)
  t.ok(shift <= 0.05, `a layout shift of ${shift}`)
  await phone.close()
  const families = page.getByRole('navigation', { name: 'Kinds of plugins' })
  await families.getByRole('link', { name: 'Frontend apps 2' }).click()
  await page.getByRole('listitem', { name: 'Survey' }).waitFor()
  t.equal(await page.getByRole('list', { name: 'Frontend apps' }).getByRole('listitem').count(), 2)

  const allow = async (level: number): Promise<void> => {
    const { code, stderr } = await ended(
      command(['organizations', 'set-plugin-access', organization, String(level)], { DATABASE_URL }),
    )
    t.equal(code, 0, stderr)
    await page.reload()
  }
  await allow(3)
  const install = page.getByRole('button', { name: 'Install frontend app' })
  await install.waitFor()
  t.equal(await install.getAttribute('aria-disabled'), 'true')
  await install.focus()
  await page.getByRole('tooltip').getByText('this needs 6 (install plugins)').waitFor()
  await page.getByRole('link', { name: 'Banner' }).click()
  t.equal(await page.getByRole('button', { name: 'Uninstall' }).getAttribute('aria-disabled'), 'true')
  await page.getByRole('switch', { name: 'Banner is off' }).click({ force: true })
  await page.getByRole('switch', { name: 'Banner is on' }).waitFor()
  await page.getByRole('link', { name: 'Source', exact: true }).click()
  await page.getByText('You cannot see the source').waitFor()
  await allow(0)
  await page.goto(`${home}/plugins`)
  await page.getByText('Plugins are off for this organization').waitFor()
  await inspect(page, 'plugins-off')
})
