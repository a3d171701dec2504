/** The frame around all pages: switcher, search, navigation and themes. */
import type { Page } from 'playwright-core'
import t from 'tap'
import { openConsole } from '../helpers/console.ts'

const focusedName = (page: Page): Promise<string | null> =>
  page.evaluate('document.activeElement.getAttribute("aria-label")')

const scheme = (page: Page): Promise<string | null> =>
  page.evaluate('document.documentElement.getAttribute("data-mantine-color-scheme")')

t.test('the switcher opens other projects and organizations and changes @current only on request', async (t) => {
  const { open, api, home, organization, project } = await openConsole(t)
  const second = await api('POST', '/api/projects/', { name: 'Website', organization })
  const other = await api('POST', '/api/organizations/', { name: 'Branch office' })
  await api('PATCH', '/api/users/@me/', { set_current_team: project })
  const current = async (): Promise<number> => (await api('GET', '/api/users/@me/')).team.id

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
  await page.waitForURL(`**/organizations/${other.id}/projects/${other.teams[0].id}/exports`)
  t.equal(await current(), second.id, 'opening another organization does not change @current')
  await page.goBack()
  await page.getByRole('button', { name: /\/ Website/ }).waitFor()

  await page.getByRole('button', { name: /\/ Website/ }).click()
  await page.getByRole('menuitem', { name: 'New organization' }).click()
  await page.waitForURL('**/organizations/new')
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
