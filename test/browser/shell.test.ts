/** The frame around all pages: switcher, search, navigation and themes. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { openConsole } from '../helpers/programs/console.ts'

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
  await page.waitForURL(`**/organizations/${other.id}/projects/${shop.id}/welcome`)
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
  const input = page.getByRole('combobox', { name: 'Search exports and pages' })

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
  const second = (await page.getByRole('option').nth(1).innerText()).replace(/\s*Exports$/, '')
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
