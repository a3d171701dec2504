import { htmlPage } from './html.ts'

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 4rem auto; padding: 0 1rem; color-scheme: light dark }
  input, button { font: inherit; padding: .4rem .6rem; width: 100%; box-sizing: border-box; margin: .3rem 0 }
  code { overflow-wrap: anywhere }
`

const SCRIPT = `
  const message = document.getElementById('message')
  const forms = Object.fromEntries([...document.forms].map((form) => [form.id, form]))
  const show = (name, text) => {
    for (const form of document.forms) form.hidden = form.id !== name
    message.textContent = text
  }
  const cookie = (name) => document.cookie.split('; ').map((one) => one.split('=')).find(([key]) => key.endsWith(name))?.[1]
  const call = async (method, path, body) => {
    const headers = { 'content-type': 'application/json' }
    const csrf = cookie('workspace_csrf')
    if (csrf) headers['x-csrf-token'] = csrf
    const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) })
    return [response.ok, response.status === 204 ? {} : await response.json()]
  }
  const signedIn = async () => {
    const [ok, me] = await call('GET', '/api/users/@me/')
    if (!ok) return show('password', 'Sign in.')
    if (me.has_password) return show('', 'Signed in as ' + me.email + '.')
    forms.profile.email.value = me.email
    forms.profile.first_name.value = me.first_name
    show('profile', 'Welcome. Set your name, address and password.')
  }
  const finish = ([ok, body]) => {
    if (ok) return signedIn()
    if (body.code === '2fa_required') return show('code', 'Enter the code of your authenticator app.')
    message.textContent = body.detail
  }
  const value = (form, name) => form.elements[name].value
  const on = (name, send) => { forms[name].onsubmit = async (event) => { event.preventDefault(); finish(await send(forms[name])) } }
  on('password', (form) => call('POST', '/api/login/', { email: value(form, 'email'), password: value(form, 'password') }))
  on('code', (form) => call('POST', '/api/login/token/', { token: value(form, 'token') }))
  on('profile', (form) => call('PATCH', '/api/users/@me/', { email: value(form, 'email'), first_name: value(form, 'first_name'), password: value(form, 'password') }))
  const link = new URLSearchParams(location.hash.slice(1)).get('link')
  const error = new URLSearchParams(location.search).get('error_code')
  history.replaceState(null, '', location.pathname)
  if (link) call('POST', '/api/login/link/', { token: link }).then(finish)
  else if (error) show('password', 'Single sign-on failed: ' + error + '.')
  else signedIn()
`

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Sign in</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Sign in</h1>
<p id="message" aria-live="polite">Loading …</p>
<form id="password" hidden>
  <label>Address <input name="email" type="email" autocomplete="username" required></label>
  <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
  <button>Sign in</button>
</form>
<form id="code" hidden>
  <label>Code <input name="token" autocomplete="one-time-code" required></label>
  <button>Continue</button>
</form>
<form id="profile" hidden>
  <label>Address <input name="email" type="email" autocomplete="username" required></label>
  <label>Name <input name="first_name" maxlength="150" autocomplete="given-name"></label>
  <label>New password <input name="password" type="password" autocomplete="new-password" required></label>
  <button>Save</button>
</form>
<script>${SCRIPT}</script>
</body>
</html>
`

/** The sign-in page. One-time links open it with their secret in the fragment. */
export const LOGIN_PAGE = htmlPage({ html: HTML, script: SCRIPT, style: STYLE })
