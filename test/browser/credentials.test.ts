/** The pages of stored credentials, and their choice in the form of an export. */
import t from 'tap'
import { ENGINES } from '../helpers/app.ts'
import { only } from '../helpers/assertions/items.ts'
import { openConsole } from '../helpers/programs/console.ts'
import { createExport, dialog, ENVIRONMENT, openPeer } from '../helpers/seeds/console-exports.ts'

t.setTimeout(15 * 60_000)

const SECRET_KEY = '5e'.repeat(32)

for (const engine of ENGINES)
  t.test(`stores, tests, uses, rotates and deletes credentials (${engine})`, async (t) => {
    const console = await openConsole(t, engine, { ...ENVIRONMENT, SECRET_KEY })
    const { open, api, inspect, home, organization } = console
    const peer = await openPeer(t)
    peer.release(100)
    const credentials = `/organizations/${organization}/credentials` as const
    const path = `/api/organizations/${organization}/integrations/` as const

    const page = await open(home)
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Credentials' }).click()
    await page.getByRole('heading', { level: 2, name: 'No stored credentials' }).waitFor()
    await page.mouse.move(640, 700)
    if (engine === 'sqlite') await inspect(page, 'credentials-empty')
    await page.getByRole('button', { name: 'Add credentials' }).click()
    await page.getByRole('link', { name: 'HTTP endpoint' }).waitFor()
    t.equal(await page.getByRole('link', { name: 'Files on the server' }).count(), 0, 'files need no credentials')
    if (engine === 'sqlite') await inspect(page, 'credentials-kinds')
    await page.getByRole('link', { name: 'HTTP endpoint' }).click()
    await page.waitForURL(/kind=HTTP/)
    await page.getByRole('textbox', { name: 'Name' }).fill('Second site')
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill('http://10.0.0.1/batch/')
    await page.getByLabel('Token').fill('phc_first')
    await page.getByRole('button', { name: 'Store credentials' }).click()
    await page.getByText(/does not connect to "10.0.0.1"/).waitFor()
    t.equal(await page.locator(':focus').getAttribute('name'), 'url', 'the field with the error has the focus')
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill(peer.url)
    await page.getByRole('button', { name: 'Store credentials' }).click()
    await page.getByRole('heading', { level: 1, name: 'Second site' }).waitFor()

    await page.getByRole('button', { name: 'Test credentials' }).click()
    await page.getByText('The connection works').waitFor()
    await page.getByText('No export uses them yet.').waitFor()
    const { id, secrets_changed_at } = only((await api('GET', path)).results)

    await page.goto(`${home}/exports/new?type=HTTP`)
    await page.getByLabel('Token').waitFor()
    await page.getByRole('combobox', { name: 'Credentials' }).click()
    await page.getByRole('option', { name: /^Second site/ }).click()
    await page.getByLabel('Token').waitFor({ state: 'detached' })
    t.equal(
      await page.getByRole('textbox', { name: 'URL', exact: true }).count(),
      0,
      'the credentials decide the address',
    )
    await page.getByRole('button', { name: 'Test connection' }).click()
    await page.getByText('The connection works').waitFor()
    if (engine === 'sqlite') await inspect(page, 'credentials-in-export')
    for (const step of ['what', 'when']) {
      await page.getByRole('button', { name: 'Continue', exact: true }).click()
      await page.waitForURL(new RegExp(`step=${step}`))
    }
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('With stored credentials')
    await page.getByRole('button', { name: 'Create export' }).click()
    await page.getByRole('heading', { level: 1, name: 'With stored credentials' }).waitFor()
    await page.getByRole('link', { name: 'Settings', exact: true }).last().click()
    await page.getByRole('cell', { name: 'In the stored credentials' }).waitFor()
    await page.getByRole('cell', { name: 'Second site' }).getByRole('link').click()

    await page.getByRole('link', { name: 'With stored credentials' }).waitFor()
    t.equal(
      await page.getByRole('button', { name: 'Delete credentials' }).getAttribute('aria-disabled'),
      'true',
      'credentials in use cannot be deleted',
    )
    if (engine === 'sqlite') await inspect(page, 'credentials-one')
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill(`${peer.url}other/`)
    await page.getByRole('button', { name: 'Save credentials' }).click()
    await page.getByText('Enter the token. If the address changes, enter it again.').waitFor()
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill(peer.url)
    await page.getByLabel('Token').fill('phc_second')
    await page.getByRole('button', { name: 'Save credentials' }).click()
    await page.getByText(/Saved the credentials "Second site"/).waitFor()
    t.not((await api('GET', `${path}${id}/`)).secrets_changed_at, secrets_changed_at)

    await page.getByRole('link', { name: 'With stored credentials' }).click()
    await page.getByRole('link', { name: 'Edit', exact: true }).click()
    await page.getByRole('combobox', { name: 'Credentials' }).click()
    await page.getByRole('option', { name: 'Enter credentials for this export' }).click()
    t.equal(await page.getByRole('textbox', { name: 'URL', exact: true }).inputValue(), peer.url)
    await page.getByLabel('Token').fill('phc_own')
    await page.getByRole('button', { name: 'Save export' }).click()
    await page.getByRole('heading', { level: 1, name: 'With stored credentials', exact: true }).waitFor()
    t.match(await api('GET', `/api/organizations/${organization}/batch_exports/`), {
      results: [{ destination: { integration: null, config: { url: peer.url } } }],
    })

    await page.goto(`${credentials}/${id}`)
    await page.getByRole('button', { name: 'Delete credentials' }).click()
    await dialog(page).getByRole('button', { name: 'Delete credentials' }).click()
    await page.getByRole('heading', { level: 2, name: 'No stored credentials' }).waitFor()
    await page.goto(`/organizations/${organization}/activity`)
    await page.getByText('deleted the credentials Second site').waitFor()
  })

t.test('members see credentials, and why they cannot change them', async (t) => {
  const console = await openConsole(t, 'sqlite', { ...ENVIRONMENT, SECRET_KEY })
  const { open, api, inspect, organization, member } = console
  const path = `/api/organizations/${organization}/integrations/` as const
  const config = { host: '8.8.8.8', user: 'exporter', password: 'hush' }
  const { id } = await api('POST', path, { name: 'Warehouse', kind: 'Postgres', config })
  const keys = { aws_access_key_id: 'AKIA', aws_secret_access_key: 'hush' }
  await api('POST', path, { name: 'Lake', kind: 'AwsS3', config: { ...keys, region: 'eu-central-1' } })
  await createExport(console, 'Nightly', {
    destination: { type: 'Postgres', integration: id, config: { database: 'analytics' } },
  })
  await member('member@example.com', 1)
  const page = await open(`/organizations/${organization}/credentials`, { email: 'member@example.com' })
  await page.getByRole('row', { name: /Warehouse PostgreSQL 8\.8\.8\.8 1 export/ }).waitFor()
  await page.getByRole('row', { name: /Lake Amazon S3 eu-central-1 No export/ }).waitFor()
  await inspect(page, 'credentials-list')
  const add = page.getByRole('button', { name: 'Add credentials' })
  t.equal(await add.getAttribute('aria-disabled'), 'true')
  await page.getByRole('link', { name: 'Warehouse' }).click()
  await page.getByText('You can use these credentials, but not change them').waitFor()
  await page.getByRole('definition').filter({ hasText: '8.8.8.8' }).waitFor()
  t.equal(await page.getByRole('button', { name: 'Save credentials' }).count(), 0)
  await page.getByRole('link', { name: 'Nightly' }).waitFor()
  t.notMatch(await page.content(), /hush|exporter/)
  await inspect(page, 'credentials-member')
})
