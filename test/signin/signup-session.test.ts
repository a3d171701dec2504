/** Accepting invites with a session instead of a key, and the preflight request of the sign-in page. */
import t from 'tap'
import { onBothEngines, openApp } from '../helpers/app.ts'
import { openBrowser } from '../helpers/browser.ts'

const PASSWORD = 'correct horse battery staple'

onBothEngines(t, 'the recipient of an invite joins with a session', async (t, app) => {
  const { send, first } = app
  const mia = await app.stranger('mia@example.com')
  const noah = await app.stranger('noah@example.com')
  for (const { key } of [mia, noah]) await app.setPassword(PASSWORD, key)
  const invite = async (target_email: string) =>
    (
      await send('POST', `/api/organizations/${first.organization_id}/invites/`, {
        body: { target_email, message: 'Hello', first_name: 'Mia' },
      })
    ).body
  const { id, signup_token: token } = await invite('Mia@example.com')
  const path = `/api/signup/${id}/`

  t.match(await send('GET', `${path}?token=${token}`, { key: null }), {
    status: 400,
    body: { code: 'account_exists' },
  })
  const other = openBrowser(app)
  await other.signIn('noah@example.com', PASSWORD)
  t.match(
    await other.send('GET', `${path}?token=${token}`),
    { status: 400, body: { code: 'account_exists' } },
    'the session of another user is ignored',
  )
  const browser = openBrowser(app)
  await browser.signIn('mia@example.com', PASSWORD)
  t.match(await browser.send('GET', `${path}?token=${token}`), {
    status: 200,
    body: { target_email: 'Mia@example.com', message: 'Hello', first_name: 'Mia', supersedes_account: false },
  })
  t.match(
    await browser.send('POST', path, { body: { token }, headers: { 'x-csrf-token': 'wrong' } }),
    { status: 403, body: { code: 'permission_denied' } },
    'needs the CSRF token',
  )
  t.match(await browser.send('POST', path, { body: { token } }), {
    status: 201,
    body: { api_key: null, user: { email: 'mia@example.com' }, organization_id: first.organization_id },
  })
  t.equal((await browser.send('GET', `/api/organizations/${first.organization_id}/`)).status, 200)

  const named = await invite('new@example.com')
  await send('PATCH', '/api/users/@me/', { body: { first_name: 'Ada', last_name: 'Lovelace' } })
  t.match(await send('GET', `/api/signup/${named.id}/?token=${named.signup_token}`, { key: null }), {
    status: 200,
    body: { created_by_name: 'Ada Lovelace' },
  })
})

onBothEngines(t, 'the preflight lists the configured sign-in methods', async (t, { engine, send }) => {
  t.match(await send('GET', '/_preflight/', { key: null }), {
    status: 200,
    body: {
      available_social_auth_providers: { 'google-oauth2': false, github: false, gitlab: false, oidc: false },
      email_service_available: false,
    },
  })
  const environment = {
    SOCIAL_AUTH_GITHUB_KEY: 'client',
    SOCIAL_AUTH_GITHUB_SECRET: 'hidden-secret',
    SMTP_URL: 'smtp://127.0.0.1:1',
    SITE_URL: 'http://localhost',
  }
  const configured = await (await openApp(t, engine, { environment })).send('GET', '/_preflight/', { key: null })
  t.match(configured.body, {
    available_social_auth_providers: { github: true, gitlab: false },
    email_service_available: true,
  })
  t.notMatch(configured.text, /secret/)
})
