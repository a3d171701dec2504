/** The frame around all pages: switcher, search, navigation and themes. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { ENGINES } from '../helpers/app.ts'
import { only } from '../helpers/assertions/items.ts'
import { openConsole } from '../helpers/programs/console.ts'

t.setTimeout(15 * 60_000)

const focusedName = (page: Page): Promise<string | null> =>
  page.evaluate('document.activeElement.getAttribute("aria-label")')

const scheme = (page: Page): Promise<string | null> =>
  page.evaluate('document.documentElement.getAttribute("data-mantine-color-scheme")')

t.test('the switcher opens other projects and organizations and changes @current only on request', async (t) => {
  const { open, api, home, organization, project } = await openConsole(t)
  const second = await api('POST', '/api/projects/', { name: 'Website', organization })
  const other = await api('POST', '/api/organizations/', { name: 'Branch office' })
  await api('PATCH', '/api/users/@me/', { set_current_team: project })
  const current = async () => (await api('GET', '/api/users/@me/')).team?.id

  const page = await open(`${home}/exports`)
  const button = page.getByRole('button', { name: /\/ Default project/ })
  await button.click()
  t.equal(await page.getByRole('menuitem', { name: 'Use this project as @current' }).count(), 0)
  await page.getByRole('menuitem', { name: 'Website' }).click()
  await page.waitForURL(`**/organizations/${organization}/projects/${second.id}/exports`)
  await page.reload()
  await page.getByRole('button', { name: /\/ Website/ }).click()
  t.equal(await current(), project, 'opening another project does not change @current')
  await page.getByRole('menuitem', { name: 'Use this project as @current' }).click()
  await page.getByText('"@current" now refers to Website.').waitFor()
  t.equal(await current(), second.id)

  await page.getByRole('button', { name: /\/ Website/ }).click()
  await page.getByRole('menuitem', { name: 'Branch office' }).click()
  await page.waitForURL(`**/organizations/${other.id}/projects/${other.teams[0]?.id}/exports`)
  t.equal(await current(), second.id, 'opening another organization does not change @current')
  await page.goBack()
  await page.getByRole('button', { name: /\/ Website/ }).waitFor()

  await page.getByRole('button', { name: /\/ Website/ }).click()
  await page.getByRole('menuitem', { name: 'New organization' }).click()
  await page.waitForURL('**/organizations/new')
})

t.test('a tab keeps its organization and project on every page, in both directions', async (t) => {
  const { open, api, home, organization, project } = await openConsole(t)
  const other = await api('POST', '/api/organizations/', { name: 'Branch office' })
  const shop = await api('POST', '/api/projects/', { name: 'Shop', organization: other.id })
  await api('PATCH', '/api/users/@me/', { set_current_team: project })
  const place = (page: Page) => page.getByRole('banner').getByRole('button', { name: /\// })
  const shown = async (page: Page, name: string): Promise<void> => {
    await place(page).filter({ hasText: name }).waitFor()
    const [expected] = name === 'Shop' ? [`/organizations/${other.id}/projects/${shop.id}`] : [home]
    const events = page.getByRole('navigation').getByRole('link', { name: 'Events' })
    t.equal(await events.getAttribute('href'), `${expected}/events`, `${new URL(page.url()).pathname} shows ${name}`)
  }

  const second = await open(`${home}/exports`)
  const page = await open(`${home}/exports`)
  await place(page).click()
  await page.getByRole('menuitem', { name: 'Branch office' }).click()
  await page.waitForURL(`**/organizations/${other.id}/projects/*/exports`)
  await place(page).click()
  await page.getByRole('menuitem', { name: 'Shop' }).click()
  await page.waitForURL(`**/projects/${shop.id}/exports`)

  const links = page.getByRole('navigation').getByRole('link')
  const names = await links.allInnerTexts()
  t.ok(names.length >= 15, `the navigation has ${names.length} pages`)
  for (const name of [...names, ...names.toReversed()]) {
    await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
    await page.locator('[aria-current=page]').filter({ hasText: name }).waitFor()
    await shown(page, 'Shop')
  }
  for (const path of ['/instance', '/account/keys', '/organizations/new', '/no-such-page']) {
    await page.goto(path)
    if (path === '/no-such-page') await page.getByRole('link', { name: 'Go to your project' }).click()
    await shown(page, 'Shop')
    await page.reload()
    await shown(page, 'Shop')
    await second.goto(path)
    if (path === '/no-such-page') await second.getByRole('link', { name: 'Go to your project' }).click()
    await shown(second, 'Default project')
  }
  await page.goto('/')
  await page.waitForURL(`**/organizations/${other.id}/projects/${shop.id}/home`)
  t.equal((await api('GET', '/api/users/@me/')).team?.id, project, '@current has not changed')

  await page.goto('/account/keys')
  await api('DELETE', `/api/projects/${shop.id}/`)
  await page.reload()
  await place(page).filter({ hasText: 'Branch office' }).waitFor()
  t.notMatch(await place(page).innerText(), /Shop/, 'a deleted project is replaced by another one')
  await api('DELETE', `/api/organizations/${other.id}/`)
  await page.reload()
  await shown(page, 'Default project')
  t.not(organization, other.id)
})

t.test('a deep link opens its page after the sign-in, and another organization does not exist', async (t) => {
  const { open, api, member, organization, home } = await openConsole(t)
  await member('mia@example.com', 1)
  const other = await api('POST', '/api/organizations/', { name: 'Secret' })
  const page = await open(`/organizations/${organization}/members`, { email: 'mia@example.com' })
  await page.getByRole('heading', { name: 'Members' }).waitFor()
  t.equal(await page.getByRole('link', { name: 'Members' }).getAttribute('aria-current'), 'page')
  await page.goto(`/organizations/${other.id}/members`)
  await page
    .getByText(/not found|does not exist/i)
    .first()
    .waitFor()
  t.notMatch(await page.locator('body').innerText(), /Secret/)

  const anonymous = await open(`${home}/events`, { email: null })
  await anonymous.waitForURL(/\/login\?next=/)
  t.equal(new URL(anonymous.url()).searchParams.get('next'), `${home}/events`)
})

t.test('the search opens by keyboard, finds exports and pages and returns the focus', async (t) => {
  const { open, api, home, project, inspect } = await openConsole(t)
  const names = ['Nightly archive', 'Hourly archive', 'Warehouse']
  const ids = new Map<string, string>()
  for (const name of names) {
    const { id } = await api('POST', `/api/projects/${project}/batch_exports/`, {
      name,
      interval: 'day',
      paused: true,
      destination: { type: 'File', config: {} },
    })
    ids.set(name, id)
  }
  const page = await open(`${home}/events`)
  const theme = page.getByRole('button', { name: /Use the (light|dark) theme/ })
  await theme.focus()
  const input = page.getByRole('combobox', { name: 'Search' })

  await page.keyboard.press('Control+k')
  await input.waitFor()
  await inspect(page, 'search')
  await page.keyboard.press('Escape')
  await input.waitFor({ state: 'detached' })
  t.match(await focusedName(page), /theme/, 'Escape returns the focus')

  await page.keyboard.press('Control+k')
  await input.fill('archive')
  await page.getByRole('option', { name: 'Warehouse' }).waitFor({ state: 'detached' })
  t.equal(await page.getByRole('option').count(), 2)
  const second = await page.getByRole('option').nth(1).innerText()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**${home}/exports/${ids.get(second)}**`)

  await page.keyboard.press('Control+k')
  await input.fill('activity')
  await page.getByRole('option', { name: /Activity log/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Activity log' }).waitFor()

  await page.keyboard.press('Control+k')
  await input.fill('no such page')
  await page.getByText('No results for "no such page".').waitFor()
  await page.getByText(/persons by distinct id, email or id, events and runs by id/).waitFor()
  await inspect(page, 'search-none')
})

for (const engine of ENGINES)
  t.test(`the search finds persons, events, runs and settings on ${engine}`, async (t) => {
    const { open, api, capture, home, project, organization, inspect } = await openConsole(t, engine)
    const uuid = '0192b71c-8e40-7d35-9a6b-3f2e1d0c9b8a'
    await capture([
      {
        event: 'order placed',
        uuid,
        distinct_id: 'user-17',
        timestamp: new Date(Date.now() - 3 * 86_400_000).toISOString(),
        properties: { $set: { email: 'ada@example.com' } },
      },
      { event: '$pageview', distinct_id: 'user-18' },
    ])
    const { results } = await api('GET', `/api/projects/${project}/persons/?distinct_id=user-17`)
    const ada = only(results).id
    const { id } = await api('POST', `/api/projects/${project}/batch_exports/`, {
      name: 'User archive',
      interval: 'day',
      paused: false,
      destination: { type: 'File', config: {} },
    })
    const run = await api('POST', `/api/projects/${project}/batch_exports/${id}/run/`)
    const page = await open(`${home}/exports`)
    await page.getByRole('heading', { name: 'Exports', exact: true }).waitFor()
    const input = page.getByRole('combobox', { name: 'Search' })
    const options = page.getByRole('option')
    const find = async (text: string): Promise<void> => {
      await page.keyboard.press('Control+k')
      await input.fill(text)
    }
    const person = page.getByRole('heading', { level: 1, name: 'ada@example.com' })

    for (const text of ['ada@ex', 'user-17', ada, ada.toUpperCase()]) {
      await find(text)
      await options.filter({ hasText: 'ada@example.com' }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(`**${home}/persons/${ada}`)
      await person.waitFor()
    }

    await find('user')
    await page.getByRole('group', { name: 'Persons' }).getByRole('option').nth(1).waitFor()
    await page.getByRole('group', { name: 'Exports' }).getByRole('option', { name: 'User archive' }).waitFor()
    if (engine === 'sqlite') await inspect(page, 'search-groups')
    await page.keyboard.press('Escape')

    await find(uuid)
    await page
      .getByRole('group', { name: 'Events' })
      .getByRole('option', { name: /^order placed/ })
      .waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('group', { name: 'Event order placed' }).waitFor()

    await find(run.id)
    await page.getByRole('group', { name: 'Runs' }).getByRole('option', { name: 'Run of User archive' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/exports/${id}?*run=${run.id}*`)

    for (const [text, label, path] of [
      ['two factor', /^Two-factor authentication/, '/account/security'],
      ['domains', /^Domains and sign-in/, `/organizations/${organization}/domains`],
      ['invites', /^Invites/, `/organizations/${organization}/invites`],
      ['keys', /^API keys/, '/account/keys'],
      ['retention', /^Retention of events/, `/organizations/${organization}/projects?edit=*`],
    ] as const) {
      await find(text)
      await options.filter({ hasText: label }).first().waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(`**${path}`)
      if (text === 'retention') await page.getByRole('dialog').getByText('Keep events').waitFor()
    }
  })

t.test('the search sends ids only, shows what it still waits for, and keeps what is chosen', async (t) => {
  const { open, capture, home } = await openConsole(t)
  await capture([{ event: 'seen', distinct_id: 'alerting' }])
  const page = await open(`${home}/exports`)
  await page.getByRole('heading', { name: 'Exports', exact: true }).waitFor()
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (/\/(events\/[^/]+|persons|batch_exports)\/$/.test(pathname)) asked.push(pathname + search)
  })
  let answerPersons = (): void => undefined
  const held = new Promise<void>((resolve) => {
    answerPersons = resolve
  })
  await page.route('**/persons/?*', async (route) => {
    await held
    await route.continue()
  })
  await page.keyboard.press('Control+k')
  const input = page.getByRole('combobox', { name: 'Search' })
  await input.fill('alert')
  await page.getByText('Searching persons').waitFor()
  const chosen = page.locator('[data-combobox-selected]')
  t.match(await chosen.innerText(), /^Alerts/)
  answerPersons()
  await page.getByRole('option', { name: /^alerting/ }).waitFor()
  t.match(await chosen.innerText(), /^Alerts/, 'results that come later do not change the choice')
  t.equal(asked.filter((url) => url.includes('/persons/')).length, 1, 'typing sends one request')
  t.equal(asked.filter((url) => url.includes('/events/') || url.includes('run=')).length, 0, asked.join(' '))
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'alerting' }).waitFor()

  await page.unroute('**/persons/?*')
  await page.route('**/persons/?*', (route) =>
    route.fulfill({ status: 400, json: { type: 'validation_error', code: 'invalid', detail: 'Broken.', attr: null } }),
  )
  await page.keyboard.press('Control+k')
  await input.fill('x'.repeat(1_000))
  await page.getByRole('dialog').getByText('Broken.').waitFor()
  t.equal((await input.inputValue()).length, 400)
})

t.test('the theme follows the system until the user chooses one, and the choice is kept', async (t) => {
  const { open, home } = await openConsole(t)
  const page = await open(`${home}/exports`)
  await page.getByRole('button', { name: 'Use the dark theme' }).waitFor()
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.getByRole('button', { name: 'Use the light theme' }).waitFor()
  t.equal(await scheme(page), 'dark')
  await page.getByRole('button', { name: 'Use the light theme' }).click()
  await page.reload()
  await page.getByRole('button', { name: 'Use the dark theme' }).waitFor()
  t.equal(await scheme(page), 'light')
})

t.test('the navigation opens on a phone, and the first Tab skips it', async (t) => {
  const { open, home } = await openConsole(t)
  const page = await open(`${home}/exports`, { width: 'phone' })
  await page.getByRole('button', { name: 'Open navigation' }).click()
  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByRole('heading', { name: 'Members' }).waitFor()
  await page.getByRole('button', { name: 'Open navigation' }).waitFor()

  const wide = await open(`${home}/exports`)
  await wide.getByRole('heading', { name: 'Exports', exact: true }).waitFor()
  await wide.keyboard.press('Tab')
  await wide.keyboard.press('Enter')
  t.match(wide.url(), /#content$/)
})

t.test('the reference page shows the operations until its script has rendered the contract', async (t) => {
  const { open, server } = await openConsole(t)
  // Errors of this page are allowed: a library tests whether it may evaluate text.
  const page = await (await open('/account/profile')).context().newPage()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/docs/reference.js', async (route) => {
    await released
    await route.continue()
  })
  await page.goto(`${server.url}/docs`, { waitUntil: 'commit' })
  const overview = page.locator('#overview')
  await overview.getByText('GET /api/organizations/', { exact: true }).waitFor()
  release()
  await page.locator('#reference').getByRole('heading', { name: 'Workspace administration' }).first().waitFor()
  t.notOk(await overview.isVisible())
})
