import t from 'tap'
import { sql } from '../../src/sql/template.ts'
import { verify } from '../../src/store/domains.ts'
import { nextEngines, onBothEngines, openApp, type TestApp } from '../helpers/app.ts'
import { openBrowser } from '../helpers/browser.ts'
import { IDENTITY_PROVIDER, SELF_SIGNED } from '../helpers/peers/certificate.ts'
import { openNameserver, type Zone } from '../helpers/peers/nameserver.ts'

t.setTimeout(10 * 60_000)

const domainsOf = ({ first }: TestApp) => `/api/organizations/${first.organization_id}/domains/` as const

onBothEngines(t, 'creates, reads, updates and deletes domains', async (t, app) => {
  const { call, send, member } = app
  const url = domainsOf(app)
  const created = await call('domains.create', {
    body: {
      domain: 'hedgerow.example',
      jit_provisioning_enabled: true,
      sso_enforcement: 'saml',
      saml_entity_id: 'e',
      verified_at: 'now',
      verification_challenge: 'mine',
    },
  })
  t.match(created, {
    status: 201,
    body: {
      domain: 'hedgerow.example',
      is_verified: false,
      verified_at: null,
      verification_challenge: /^[\w-]{43}$/,
      jit_provisioning_enabled: false,
      sso_enforcement: '',
      has_saml: false,
      saml_entity_id: 'e',
      saml_acs_url: null,
      saml_x509_cert: null,
    },
  })
  const item = `${url}${created.body.id}/` as const
  t.same((await call('domains.retrieve', { params: { id: created.body.id } })).body, created.body)
  await call('domains.create', { body: { domain: 'a.example' } })
  t.strictSame(
    (await call('domains.list')).body.results.map((d) => d.domain),
    ['a.example', 'hedgerow.example'],
    'sorted by name',
  )

  const plain = await member('plain@example.com', 1)
  t.equal((await call('domains.list', { key: plain.key })).status, 200)
  for (const [method, path] of [
    ['POST', url],
    ['PATCH', item],
    ['DELETE', item],
    ['POST', `${item}verify/`],
  ] as const)
    t.equal((await send(method, path, { key: plain.key, body: { domain: 'b.example' } })).status, 403, method)

  const changed = await call('domains.update', {
    params: { id: created.body.id },
    body: { domain: 'other.example', saml_acs_url: 'u', saml_x509_cert: IDENTITY_PROVIDER.cert, verified_at: 'x' },
  })
  t.match(changed, {
    status: 200,
    body: {
      domain: 'hedgerow.example',
      has_saml: true,
      verified_at: null,
      verification_challenge: created.body.verification_challenge,
    },
  })
  t.equal(
    (await call('domains.update', { params: { id: created.body.id }, body: { saml_acs_url: null } })).body.has_saml,
    false,
  )
  t.equal((await call('domains.update', { params: { id: created.body.id } })).status, 200)
  for (const [field, value] of [
    ['jit_provisioning_enabled', true],
    ['sso_enforcement', 'github'],
  ] as const) {
    t.match(await call('domains.update', { params: { id: created.body.id }, body: { [field]: value } }), {
      status: 400,
      body: { code: 'verification_required', attr: field },
    })
    t.equal(
      (await call('domains.update', { params: { id: created.body.id }, body: { [field]: created.body[field] } }))
        .status,
      200,
      'the current value is accepted',
    )
  }
  const before = await call('domains.retrieve', { params: { id: created.body.id } })
  t.match(
    await call('domains.update', { params: { id: created.body.id }, body: before.body }),
    { status: 200, text: before.text },
    'a domain can be sent back unchanged',
  )
  t.match(
    await call('domains.update', {
      params: { id: created.body.id },
      body: { ...before.body, saml_entity_id: 'x', sso_enforcement: 'saml' },
    }),
    {
      status: 400,
    },
  )
  t.equal(
    (await call('domains.retrieve', { params: { id: created.body.id } })).text,
    before.text,
    'a rejected update changes nothing',
  )
  const empty = { raw: { type: 'application/json', payload: '[]' } }
  t.match(
    await call('domains.verify', { params: { id: created.body.id }, ...empty }),
    { status: 200, body: { is_verified: false } },
    'an empty array, as PHP clients send it, is an empty body',
  )

  t.match(await call('domains.create', { body: { domain: 'hedgerow.example' } }), {
    status: 400,
    body: { code: 'unique', attr: 'domain' },
  })
  const outsider = await app.stranger('outsider@example.com')
  t.equal(
    (
      await call('domains.create', {
        params: { organization_id: '@current' },
        key: outsider.key,
        body: { domain: 'hedgerow.example' },
      })
    ).status,
    201,
    'an unverified domain does not block other organizations',
  )
  t.match(await call('domains.delete', { params: { id: created.body.id } }), { status: 204, text: '' })
  t.equal((await call('domains.retrieve', { params: { id: created.body.id } })).status, 404)
})

onBothEngines(t, 'rejects invalid domains', async (t, app) => {
  for (const domain of [
    '',
    ' ',
    'localhost',
    'UPPER.example',
    'a_b.example',
    '-a.example',
    'a-.example',
    'a--b.example',
    'a.b-',
    'a.e1',
    'x@y.example',
    'a b.example',
    '🦔.example',
    '.example',
    'a..example',
    'a.example.',
    'a.example\n',
    `${'x'.repeat(129)}.example`,
  ]) {
    const response = await app.call('domains.create', { body: { domain } })
    t.match(
      response,
      {
        status: 400,
        body: { attr: 'domain', code: domain === '' ? 'blank' : domain.length > 128 ? 'max_length' : 'invalid_input' },
      },
      JSON.stringify(domain).slice(0, 30),
    )
  }
  for (const [body, error] of [
    [{}, { code: 'required', attr: 'domain' }],
    [{ domain: null }, { code: 'null', attr: 'domain' }],
    [
      { domain: 'a.example', sso_enforcement: 'okta' },
      { code: 'invalid_choice', attr: 'sso_enforcement' },
    ],
    [
      { domain: 'a.example', sso_enforcement: null },
      { code: 'null', attr: 'sso_enforcement' },
    ],
    [
      { domain: 'a.example', saml_entity_id: 'x'.repeat(513) },
      { code: 'max_length', attr: 'saml_entity_id' },
    ],
  ] as const)
    t.match(await app.call('domains.create', { body }), { status: 400, body: error })
  t.equal((await app.call('domains.list')).body.count, 0)
})

for (const engine of nextEngines())
  t.test(`verifies a domain by its TXT record (${engine})`, async (t) => {
    const zone: Zone = {}
    const app = await openApp(t, engine, {
      environment: {
        DNS_SERVERS: await openNameserver(t, zone),
        DNS_TIMEOUT_MS: '300',
        SOCIAL_AUTH_GOOGLE_OAUTH2_KEY: 'id',
        SOCIAL_AUTH_GOOGLE_OAUTH2_SECRET: 'secret',
      },
    })
    const { call } = app
    const { body: created } = await call('domains.create', { body: { domain: 'hedgerow.example' } })
    const challenge: string = created.verification_challenge
    const name = '_workspace-challenge.hedgerow.example'
    const verify = (body?: object) => call('domains.verify', { params: { id: created.id }, ...(body && { body }) })

    for (const [title, entry] of [
      ['an unknown name', { code: 'NXDOMAIN' }],
      ['no record', { txt: [] }],
      ['a failing server', { code: 'SERVFAIL' }],
      ['a server that refuses', { code: 'REFUSED' }],
      ['a server that does not reply', { silent: true }],
      ['another text', { txt: [['something else']] }],
      ['surrounding white space', { txt: [[` ${challenge}`]] }],
      ['another case', { txt: [[challenge.toUpperCase()]] }],
      ['the challenge split over two records', { txt: [[challenge.slice(0, 20)], [challenge.slice(20)]] }],
      ['an alias of a name without records', { cname: 'nowhere.example' }],
    ] as const) {
      zone[name] = entry as Zone[string]
      t.match(await verify(), { status: 200, body: { is_verified: false, verified_at: null } }, title)
    }

    zone[name] = { txt: [...Array(12).keys()].map((number) => [`${number}`, 'a'.repeat(254), 'b']) }
    const { found_records } = (await verify()).body
    t.equal(found_records.length, 10, 'the response has at most 10 of the records')
    t.ok(found_records.every((record: string) => /^\d+a+$/.test(record) && record.length === 255))

    zone[name] = { txt: [['unrelated'], [challenge.slice(0, 10), challenge.slice(10)]] }
    const verified = await verify({ domain: 'other.example', sso_enforcement: 'saml' })
    t.match(
      verified,
      {
        status: 200,
        body: {
          domain: 'hedgerow.example',
          is_verified: true,
          verification_record_name: name,
          sso_enforcement: '',
          found_records: Array,
        },
      },
      'several records, one in chunks',
    )
    t.equal(verified.body.verified_at?.length, 24)
    t.match(await verify(), { status: 400, body: { type: 'validation_error', code: 'already_verified', attr: null } })
    t.match(
      await call('domains.update', {
        params: { id: created.id },
        body: { sso_enforcement: 'google-oauth2', jit_provisioning_enabled: true },
      }),
      { status: 200, body: { sso_enforcement: 'google-oauth2', jit_provisioning_enabled: true } },
    )

    const rival = await app.stranger('rival@example.com')
    const theirs = (
      await call('domains.create', {
        params: { organization_id: '@current' },
        key: rival.key,
        body: { domain: 'hedgerow.example' },
      })
    ).body
    zone[name] = { txt: [[theirs.verification_challenge]] }
    t.match(await call('domains.verify', { params: { organization_id: '@current', id: theirs.id }, key: rival.key }), {
      status: 400,
      body: { code: 'already_claimed', attr: null },
    })
    await call('domains.delete', { params: { id: created.id } })
    t.match(
      await call('domains.verify', { params: { organization_id: '@current', id: theirs.id }, key: rival.key }),
      { status: 200, body: { is_verified: true } },
      'the domain is available after its deletion',
    )

    const { body: alias } = await call('domains.create', { body: { domain: 'alias.example' } })
    zone['_workspace-challenge.alias.example'] = { cname: 'txt.elsewhere.example' }
    zone['txt.elsewhere.example'] = { txt: [[alias.verification_challenge]] }
    t.match(
      (await call('domains.verify', { params: { id: alias.id } })).body,
      { is_verified: true },
      'aliases are followed',
    )
  })

for (const engine of nextEngines())
  t.test(`one of two organizations that verify a domain concurrently gets it (${engine})`, async (t) => {
    const zone: Zone = {}
    const app = await openApp(t, engine, { environment: { DNS_SERVERS: await openNameserver(t, zone) } })
    const rival = await app.stranger('rival@example.com')
    const make = async (key: string) =>
      (
        await app.call('domains.create', {
          params: { organization_id: '@current' },
          key,
          body: { domain: 'one.example' },
        })
      ).body
    const [a, b] = [await make(app.first.api_key), await make(rival.key)]
    zone['_workspace-challenge.one.example'] = { txt: [[a.verification_challenge], [b.verification_challenge]] }
    const responses = await Promise.all([
      app.call('domains.verify', { params: { organization_id: '@current', id: a.id } }),
      app.call('domains.verify', { params: { organization_id: '@current', id: b.id }, key: rival.key }),
    ])
    t.strictSame(responses.map(({ status }) => status).sort(), [200, 400])
    t.ok(responses.some(({ error }) => error?.code === 'already_claimed'))
  })

for (const engine of nextEngines())
  t.test(`records a verification once, also when two requests verify the domain (${engine})`, async (t) => {
    const zone: Zone = {}
    const app = await openApp(t, engine, { environment: { DNS_SERVERS: await openNameserver(t, zone) } })
    const { body: created } = await app.call('domains.create', { body: { domain: 'one.example' } })
    zone['_workspace-challenge.one.example'] = { txt: [[created.verification_challenge]] }
    const verify = () => app.call('domains.verify', { params: { id: created.id } })
    const [first, second] = await Promise.all([verify(), verify()])
    t.match(first, { status: 200, body: { is_verified: true } })
    t.match(second, { status: 200, body: { verified_at: first.body.verified_at } })
    const { results } = (await app.call('activity_log.list')).body
    t.equal(results.filter(({ activity }) => activity === 'verified').length, 1)
  })

onBothEngines(t, 'checks certificates when they are stored', async (t, { call }) => {
  const { cert } = IDENTITY_PROVIDER
  const bare = cert.replace(/-----[A-Z ]+-----/g, '').trim()
  const { body: created } = await call('domains.create', { body: { domain: 'hedgerow.example', saml_x509_cert: cert } })
  t.equal(created.saml_x509_cert, cert, 'stored as sent')
  const params = { id: created.id }
  const accepted = [bare, bare.replaceAll('\n', ''), bare.replaceAll('\n', '\r\n'), ` ${cert}\n`, '', null]
  for (const saml_x509_cert of accepted)
    t.match(await call('domains.update', { params, body: { saml_x509_cert } }), {
      status: 200,
      body: { saml_x509_cert },
    })
  const key = IDENTITY_PROVIDER.key
  for (const saml_x509_cert of ['c', 'AAAA', '<xml/>', bare.slice(0, 400), key, SELF_SIGNED.cert]) {
    const error = { status: 400, body: { code: 'invalid_input', attr: 'saml_x509_cert' } }
    t.match(await call('domains.update', { params, body: { saml_x509_cert } }), error)
    t.match(await call('domains.create', { body: { domain: 'other.example', saml_x509_cert } }), error)
  }
  t.equal((await call('domains.list')).body.count, 1)
})

const PASSWORD = 'correct horse battery staple'

for (const engine of nextEngines())
  t.test(`enforces only providers that can sign users in (${engine})`, async (t) => {
    const zone: Zone = {}
    const environment = {
      DNS_SERVERS: await openNameserver(t, zone),
      SITE_URL: 'http://localhost',
      SOCIAL_AUTH_GITHUB_KEY: 'id',
      SOCIAL_AUTH_GITHUB_SECRET: 'secret',
      SOCIAL_AUTH_GITLAB_KEY: 'id',
    }
    const app = await openApp(t, engine, { environment })
    const { call } = app
    const { body: created } = await call('domains.create', { body: { domain: 'hedgerow.example' } })
    zone['_workspace-challenge.hedgerow.example'] = { txt: [[created.verification_challenge]] }
    t.match(await call('domains.verify', { params: { id: created.id } }), { body: { is_verified: true } })
    const update = (body: object) => call('domains.update', { params: { id: created.id }, body })

    const browsers = new Map<string, ReturnType<typeof openBrowser>>()
    for (const email of [
      'in@hedgerow.example',
      'IN2@Hedgerow.Example',
      'out@xhedgerow.example',
      'sub@a.hedgerow.example',
    ]) {
      const { key } = await app.member(email, 1)
      await app.setPassword(PASSWORD, key)
      const browser = openBrowser(app)
      await browser.signIn(email, PASSWORD)
      browsers.set(email, browser)
    }
    const signedIn = async () => {
      const found: string[] = []
      for (const [email, browser] of browsers)
        if ((await browser.send('GET', '/api/users/@me/')).status === 200) found.push(email)
      return found
    }

    const refused = { status: 400, body: { code: 'invalid_input', attr: 'sso_enforcement' } }
    t.match(await update({ sso_enforcement: 'google-oauth2' }), refused)
    t.match(await update({ sso_enforcement: 'gitlab' }), refused, 'without a client secret')
    const saml = {
      saml_entity_id: 'https://idp.example',
      saml_acs_url: 'https://idp.example/sso',
      saml_x509_cert: IDENTITY_PROVIDER.cert,
    }
    for (const missing of ['saml_entity_id', 'saml_acs_url', 'saml_x509_cert'])
      for (const value of [null, ''])
        t.match(await update({ ...saml, [missing]: value, sso_enforcement: 'saml' }), refused, `no ${missing}`)
    for (const saml_acs_url of ['u', 'javascript:alert(1)', 'https://'])
      t.match(await update({ ...saml, saml_acs_url, sso_enforcement: 'saml' }), refused, saml_acs_url)
    t.match(
      await call('domains.retrieve', { params: { id: created.id } }),
      { body: { sso_enforcement: '', saml_entity_id: null } },
      'a rejected update changes nothing',
    )
    t.equal((await signedIn()).length, 4, 'and ends no session')

    t.match(await update({ ...saml, sso_enforcement: 'saml' }), { status: 200, body: { sso_enforcement: 'saml' } })
    t.strictSame(await signedIn(), ['out@xhedgerow.example', 'sub@a.hedgerow.example'], 'ends the password sessions')
    t.match(await update({ saml_x509_cert: null }), refused, 'the certificate of an enforced provider stays')
    t.match(await update({ sso_enforcement: 'github' }), { status: 200, body: { sso_enforcement: 'github' } })
    t.match(await openBrowser(app).send('POST', '/api/login/precheck/', { body: { email: 'in@hedgerow.example' } }), {
      body: { sso_enforcement: 'github', sso_available: true },
    })
    t.match(
      await openBrowser(app).send('POST', '/api/login/', {
        body: { email: 'in@hedgerow.example', password: PASSWORD },
      }),
      { status: 400, body: { code: 'sso_enforced', detail: /Sign in there/ } },
    )
    t.match(await update({ saml_x509_cert: null }), { status: 200, body: { saml_x509_cert: null } })
    t.match(await update({ sso_enforcement: '' }), { status: 200, body: { sso_enforcement: '' } })
    await openBrowser(app).signIn('in@hedgerow.example', PASSWORD)
  })

onBothEngines(t, 'owners sign in with a password when the enforced provider is no longer set up', async (t, app) => {
  const { call, deps } = app
  const { body: created } = await call('domains.create', { body: { domain: 'hedgerow.example' } })
  await verify(deps.db, created.id, deps.now())
  for (const [email, level] of [
    ['owner@hedgerow.example', 15],
    ['admin@hedgerow.example', 8],
  ] as const)
    await app.setPassword(PASSWORD, (await app.member(email, level)).key)
  const stranger = await app.stranger('stranger@hedgerow.example')
  await app.setPassword(PASSWORD, stranger.key)
  t.match(await call('domains.retrieve', { params: { id: created.id } }), { body: { sso_enforcement_problem: null } })
  // The settings of the provider were removed after this.
  await deps.db.run(sql`update domains set sso_enforcement = 'github' where id = ${created.id}`)

  const browser = openBrowser(app)
  const attempt = (email: string, password = PASSWORD) =>
    openBrowser(app).send('POST', '/api/login/', { body: { email, password } })
  t.match(await browser.send('POST', '/api/login/precheck/', { body: { email: 'anyone@hedgerow.example' } }), {
    status: 200,
    body: { sso_enforcement: 'github', sso_available: false },
  })
  const wrong = await attempt('unknown@hedgerow.example')
  t.match(wrong, { status: 401, body: { code: 'invalid_credentials' } })
  for (const email of ['owner@hedgerow.example', 'admin@hedgerow.example'])
    t.same((await attempt(email, 'wrong')).body, wrong.body, 'only a password reveals who is an owner')
  for (const email of ['admin@hedgerow.example', 'stranger@hedgerow.example'])
    t.match(await attempt(email), {
      status: 400,
      body: { code: 'sso_enforced', detail: /github, which is no longer set up.* Ask an owner/ },
    })
  await browser.signIn('owner@hedgerow.example', PASSWORD)
  const one = `/api/organizations/${app.first.organization_id}/domains/${created.id}/` as const
  t.match(await browser.send('GET', one), { body: { sso_enforcement_problem: /github is not configured/ } })
  t.match(await browser.send('PATCH', one, { body: { sso_enforcement: '' } }), {
    status: 200,
    body: { sso_enforcement: '', sso_enforcement_problem: null },
  })
  t.equal((await attempt('admin@hedgerow.example')).status, 200)
})

onBothEngines(t, 'SAML is enforced only with SITE_URL', async (t, { call, deps }) => {
  const { body: created } = await call('domains.create', {
    body: {
      domain: 'hedgerow.example',
      saml_entity_id: 'e',
      saml_acs_url: 'https://idp.example/sso',
      saml_x509_cert: IDENTITY_PROVIDER.cert,
    },
  })
  await verify(deps.db, created.id, deps.now())
  t.match(await call('domains.update', { params: { id: created.id }, body: { sso_enforcement: 'saml' } }), {
    status: 400,
    body: { code: 'invalid_input', attr: 'sso_enforcement' },
  })
})
