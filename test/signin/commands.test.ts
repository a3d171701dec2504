/** The `users` commands that work on the database, next to a running server. */
import t from 'tap'
import { ENGINES, openApp, type TestApp } from '../helpers/app.ts'
import { openBrowser } from '../helpers/browser.ts'
import { runCommand } from '../helpers/programs/process.ts'

t.setTimeout(10 * 60_000)

const EMAIL = 'owner@example.com'
const PASSWORD = 'correct horse battery staple'
const ME = '/api/users/@me/'
const environment = { SECRET_KEY: 'ab'.repeat(32) }

/** Runs a command with `--json` and returns its output. */
async function run({ deps }: TestApp, words: string[], input = '') {
  const { DATABASE_URL } = deps.config
  const command = ['users', ...words, '--json', '--database', DATABASE_URL]
  const { code, stdout, stderr } = await runCommand(command, environment, { input })
  return { code, stderr, output: code === 0 ? JSON.parse(stdout) : undefined }
}

const linkIn = ({ login_url }: { login_url: string }): string => login_url.split('#link=')[1] ?? ''

async function linkSignIn(app: TestApp, token: string) {
  const browser = openBrowser(app)
  const response = await browser.send('POST', '/api/login/link/', { body: { token } })
  return { browser, response }
}

for (const engine of ENGINES)
  t.test(`the commands for accounts work next to a running server (${engine})`, async (t) => {
    const app = await openApp(t, engine, { environment })

    t.match(await run(app, ['link', 'unknown@example.com']), { code: 5, stderr: /No user has this address/ })
    const first = await run(app, ['link', EMAIL, '--site-url', 'https://workspaces.example'])
    t.match(first.output, { email: EMAIL, login_url: /^https:\/\/workspaces\.example\/login#link=/ })
    const second = await run(app, ['link', EMAIL])
    const invalid = { status: 400, body: { code: 'invalid_token' } }
    t.match((await linkSignIn(app, linkIn(first.output))).response, invalid, 'a new link voids the old one')
    const { browser, response } = await linkSignIn(app, linkIn(second.output))
    t.equal(response.status, 200)
    t.match(await browser.send('GET', ME), { status: 200, body: { has_password: false } })
    t.match((await linkSignIn(app, linkIn(second.output))).response, invalid, 'a link works once')

    t.match(await run(app, ['set-password', EMAIL], 'short'), { code: 1, stderr: /at least 8 characters/ })
    t.match(await run(app, ['set-password', EMAIL], `${PASSWORD}\n`), { code: 0, output: { email: EMAIL } })
    t.equal((await browser.send('GET', ME)).status, 401, 'a new password ends the sessions')
    await browser.signIn(EMAIL, PASSWORD)

    t.equal((await run(app, ['reset-two-factor', EMAIL])).code, 0)
    t.equal((await browser.send('GET', ME)).status, 401, 'so does the reset of two-factor authentication')
    await browser.signIn(EMAIL, PASSWORD)

    const organization = '/api/organizations/@current/'
    t.equal((await browser.send('GET', organization)).body.member_count, '1')
    t.match(await run(app, ['deactivate', EMAIL]), { code: 0, output: { email: EMAIL, keys_revoked: 1 } })
    t.equal((await browser.send('GET', ME)).status, 401)
    t.equal((await app.send('GET', ME)).status, 401)
    t.match(await browser.send('POST', '/api/login/', { body: { email: EMAIL, password: PASSWORD } }), {
      status: 401,
      body: { code: 'invalid_credentials' },
    })
    t.equal((await run(app, ['deactivate', EMAIL])).code, 5)
    t.match(await run(app, ['activate', EMAIL]), { code: 0, output: { email: EMAIL } })
    t.equal((await run(app, ['activate', EMAIL])).code, 5)
    await browser.signIn(EMAIL, PASSWORD)
    t.equal((await browser.send('GET', organization)).body.member_count, '1')

    const log = (await browser.send('GET', `${organization}activity_log/`)).body.results
    const operations = log.filter(({ actor }) => actor === 'operator')
    t.strictSame(
      operations.map(({ area, activity, changes }) => [area, activity, ...changes.map(({ after }) => after)]),
      [
        ['users', 'activated'],
        ['sessions', 'ended', 'deactivated'],
        ['users', 'deactivated', 0],
        ['sessions', 'ended', 'two_factor_reset'],
        ['sessions', 'ended', 'password_changed'],
        ['users', 'password_changed', 'changed'],
        ['users', 'sign_in_link_created'],
        ['users', 'sign_in_link_created'],
      ],
    )
  })
