import t from 'tap'
import { OWNER, openConsole, PASSWORD } from '../helpers/console.ts'

t.test('signs in with a password and out again', async (t) => {
  const { open, inspect, home } = await openConsole(t)
  const page = await open('/', { email: null })
  await page.waitForURL(/\/login\?next=/)
  await inspect(page, 'login')
  await page.getByLabel('E-mail').fill(OWNER)
  await page.getByLabel('Password').first().fill('wrong password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Password').first().fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(new RegExp(home))
  await page.getByRole('button', { name: 'Account of Olivia Owner' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL(/\/login/)
})
