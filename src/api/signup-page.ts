import { htmlPage } from './html.ts'

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 32rem; margin: 4rem auto; padding: 0 1rem }
  input, button { font: inherit; padding: .4rem .6rem; width: 100%; box-sizing: border-box; margin: .3rem 0 }
  code { overflow-wrap: anywhere; background: #eee; padding: .2rem .4rem }
`

const SCRIPT = `
  const id = location.pathname.split('/')[2]
  const token = new URLSearchParams(location.search).get('token') ?? ''
  history.replaceState(null, '', location.pathname)
  const message = document.getElementById('message'), form = document.getElementById('form')
  const request = async (path, options) => {
    const response = await fetch('/api/signup/' + encodeURIComponent(id) + '/' + path, options)
    return [response.ok, await response.json()]
  }
  const show = (invite) => { message.textContent = 'Join ' + invite.organization_name + ' as ' + invite.target_email + '.'; if (invite.supersedes_account) message.append(' An account with this address exists, but its address was never verified. Enter its key to keep it. Without a key it is disabled, and you get a new account.'); form.first_name.value = invite.first_name; form.hidden = false }
  request('?token=' + encodeURIComponent(token)).then(([ok, body]) => {
    if (ok) return show(body)
    message.textContent = body.detail
    if (body.code === 'account_exists') form.hidden = false
  })
  form.onsubmit = async (event) => {
    event.preventDefault()
    const headers = { 'content-type': 'application/json' }
    if (form.key.value) headers.authorization = 'Bearer ' + form.key.value
    const [ok, body] = await request('', { method: 'POST', headers, body: JSON.stringify({ token, first_name: form.first_name.value }) })
    if (!ok) { message.textContent = body.detail; return }
    form.hidden = true
    message.textContent = 'You have joined. '
    if (!body.api_key) return
    const key = document.createElement('code')
    key.textContent = body.api_key
    message.append('This is your key. It is shown only once: ', key)
  }
`

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Accept an invitation</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Accept an invitation</h1>
<p id="message" aria-live="polite">Loading …</p>
<form id="form" hidden>
  <label>Your name <input name="first_name" maxlength="128" autocomplete="given-name"></label>
  <label>Your key, if your address already has an account <input name="key" type="password" autocomplete="off"></label>
  <button>Join</button>
</form>
<script>${SCRIPT}</script>
</body>
</html>
`

/** The page that a mailed link opens. Its script reads the secret from the URL and calls the API. */
export const SIGNUP_PAGE = htmlPage({ html: HTML, script: SCRIPT, style: STYLE })
