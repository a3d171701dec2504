import { Writable } from 'node:stream'
import t, { type Test } from 'tap'
import { createSamlProcesses } from '../../src/signin/saml-processes.ts'
import { type Engine, sql } from '../../src/sql/template.ts'
import * as domains from '../../src/store/domains.ts'
import { type ApiResponse, nextEngines, openApp, type TestApp } from '../helpers/app.ts'
import { halfInQuick } from '../helpers/assertions/figures.ts'
import { type Browser, ORIGIN, openBrowser } from '../helpers/browser.ts'
import { IDENTITY_PROVIDER, OTHER_PROVIDER } from '../helpers/peers/certificate.ts'
import {
  ENTITY_ID,
  type ResponseOptions,
  readSamlRequest,
  SHA1,
  SIGN_ON_URL,
  samlResponse,
} from '../helpers/peers/saml.ts'

t.setTimeout(10 * 60_000)
halfInQuick(t)

const ME = '/api/users/@me/'
const DOMAIN = 'hedgerow.example'
const EMAIL = `ada@${DOMAIN}`

const SAML = { saml_entity_id: ENTITY_ID, saml_acs_url: SIGN_ON_URL, saml_x509_cert: IDENTITY_PROVIDER.cert }

interface World extends TestApp {
  domain_id: string
  /** The reasons in the log. */
  reasons: string[]
  begin(browser: Browser, query?: Record<string, string>): Promise<ReturnType<typeof readSamlRequest>>
  respond(options: Partial<ResponseOptions>): Promise<string>
  post(browser: Browser, SAMLResponse: string, RelayState?: string): Promise<ApiResponse>
  count(): Promise<unknown>
}

async function openWorld(t: Test, engine: Engine, environment = {}): Promise<World> {
  const reasons: string[] = []
  const log = new Writable({
    write: (line, _, done) => {
      const { reason } = JSON.parse(String(line))
      if (reason !== undefined) reasons.push(reason)
      done()
    },
  })
  const app = await openApp(t, engine, { environment: { SITE_URL: ORIGIN, ...environment }, log })
  const { call, deps } = app
  const { body: domain } = await call('domains.create', { body: { domain: DOMAIN, ...SAML } })
  await domains.verify(deps.db, domain.id, deps.now())
  await call('domains.update', { params: { id: domain.id }, body: { jit_provisioning_enabled: true } })
  let assertions = 0
  return {
    ...app,
    domain_id: domain.id,
    reasons,
    begin: async (browser, query = { email: EMAIL }) =>
      readSamlRequest(
        String((await browser.send('GET', `/login/saml/?${new URLSearchParams(query)}`)).headers.location),
      ),
    respond: (options) =>
      samlResponse({
        site: ORIGIN,
        now_ms: deps.milliseconds(),
        in_response_to: null,
        assertion_id: `_assertion${++assertions}`,
        email: EMAIL,
        ...options,
      }),
    post: (browser, SAMLResponse, RelayState = domain.id) =>
      browser.send('POST', '/complete/saml/', {
        form: { SAMLResponse, RelayState },
        headers: { origin: 'https://idp.example' },
      }),
    count: () =>
      deps.db.get(sql`
        select (select count(*) from users) as users, (select count(*) from sessions) as sessions,
          (select count(*) from identities) as identities, (select count(*) from members) as members`),
  }
}

const TYPED =
  'xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string"'
const OKTA_VALUE = (i: number): string => `<saml:AttributeValue ${TYPED}>group ${i}</saml:AttributeValue>`
const KEYCLOAK_ROLE = (i: number): string =>
  `<saml:Attribute Name="Role" NameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:basic"><saml:AttributeValue>${i}</saml:AttributeValue></saml:Attribute>`

const refused = (error_code = 'sso_failed') => ({
  status: 302,
  headers: { location: `/login?error_code=${error_code}` },
})
const arrived = (location = '/') => ({ status: 302, headers: { location } })

for (const engine of nextEngines())
  t.test(`signs in with SAML (${engine})`, async (t) => {
    const world = await openWorld(t, engine)
    const { begin, respond, post } = world
    const browser = openBrowser(world)
    const location = (await browser.send('GET', `/login/saml/?email=x@${DOMAIN}`)).headers.location
    t.match(location, /^https:\/\/idp\.example\/sso\?tenant=1&SAMLRequest=/)
    const request = readSamlRequest(String(location))
    t.equal(request.relay_state, world.domain_id)
    t.match(request.xml, `AssertionConsumerServiceURL="${ORIGIN}/complete/saml/"`)
    t.match(request.xml, new RegExp(`Issuer[^>]*>${ORIGIN}<`))
    t.notMatch(request.xml, /RequestedAuthnContext/)

    for (const [name, options] of [
      ['the assertion is signed', { signed: ['assertion'] }],
      ['the response is signed', { signed: ['response'] }],
      ['both are signed', { signed: ['assertion', 'response'] }],
      ['the clocks differ by 50 seconds', { not_before: 50, not_on_or_after: 300 }],
      ['the assertion ended 50 seconds ago', { not_on_or_after: -50, confirmed_until: -50 }],
      ['the address has another case', { email: EMAIL.toUpperCase(), name_id: EMAIL }],
      ['with Windows line breaks', { prepare: (xml) => xml.replaceAll('><saml:', '>\r\n<saml:') }],
      [
        '1,015 groups, as Okta sends them',
        { attributes: `<saml:Attribute Name="groups">${many(1_015, OKTA_VALUE)}</saml:Attribute>` },
      ],
      ['1,015 roles, as Keycloak sends them', { attributes: many(1_015, KEYCLOAK_ROLE) }],
    ] as [string, Partial<ResponseOptions>][]) {
      const browser = openBrowser(world)
      const { id } = await begin(browser, { email: EMAIL, next: '/after' })
      t.match(await post(browser, await respond({ in_response_to: id, ...options })), arrived('/after'), name)
      t.match((await browser.send('GET', ME)).body, { email: EMAIL, first_name: 'Ada', last_name: 'Lovelace' })
    }
    t.match(await world.count(), { users: 2, identities: 1, members: 2 }, 'one user')
    const last = openBrowser(world)
    const { id } = await begin(last)
    const renamed = await respond({ in_response_to: id, name_id: EMAIL, email: `countess@${DOMAIN}` })
    t.match(await post(last, renamed), arrived())
    t.match((await last.send('GET', ME)).body, { email: EMAIL, has_social_auth: true }, 'known by the NameID')
    t.match((await last.send('GET', '/api/users/@me/login_sessions/')).body.results[0], { method: 'saml' })
    t.match(await world.deps.db.get(sql`select distinct domain_id from sessions`), { domain_id: world.domain_id })
  })

/** Turns a signed assertion into one for another address. */
const forge = (assertion: string): string =>
  assertion
    .replaceAll(EMAIL, `owner@${DOMAIN}`)
    .replace(/<ds:Signature.*<\/ds:Signature>/s, '')
    .replace(/ID="[^"]+"/, 'ID="_forged"')

const assertionIn = (xml: string): string => /<saml:Assertion .*<\/saml:Assertion>/s.exec(xml)?.[0] ?? ''
const signatureIn = (xml: string): string => /<ds:Signature .*<\/ds:Signature>/s.exec(xml)?.[0] ?? ''

const many = (count: number, text: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join('')
const names = (count: number, prefix: string): string => many(count, (i) => ` ${prefix}${i}="u"`)

const REFUSED: [name: string, reason: string, options: Partial<ResponseOptions>, error_code?: string][] = [
  ['wrong certificate', 'Invalid signature', { signer: OTHER_PROVIDER }],
  ['wrong certificate on the response', 'Invalid signature', { signer: OTHER_PROVIDER, signed: ['response'] }],
  ['changed address', 'Invalid signature', { tamper: (xml) => xml.replaceAll(EMAIL, `owner@${DOMAIN}`) }],
  [
    'changed text of a signed response',
    'Invalid signature',
    { signed: ['response'], tamper: (xml) => xml.replace('Lovelace', 'L') },
  ],
  ['no signature', 'Invalid signature', { signed: [] }],
  [
    'an empty signature',
    'could not find CanonicalizationMethod',
    { tamper: (xml) => xml.replace(/<ds:SignedInfo.*<\/ds:SignedInfo>/s, '') },
  ],
  [
    'a forged assertion before the signed one',
    'multiple assertions',
    { tamper: (xml) => xml.replace(assertionIn(xml), forge(assertionIn(xml)) + assertionIn(xml)) },
  ],
  [
    'a forged assertion with the signed one inside its signature',
    'does not refer to it',
    {
      tamper: (xml) => {
        const signed = assertionIn(xml)
        const original = signed.replace(signatureIn(signed), '')
        const signature = signatureIn(signed).replace(
          '</ds:Signature>',
          `<ds:Object>${original}</ds:Object></ds:Signature>`,
        )
        return xml.replace(signed, forge(signed).replace('</saml:Issuer>', `</saml:Issuer>${signature}`))
      },
    },
  ],
  [
    'a forged assertion with the signed one in Extensions',
    'Invalid signature',
    {
      tamper: (xml) => {
        const signed = assertionIn(xml)
        const moved = `<samlp:Extensions>${signed}</samlp:Extensions>`
        return xml.replace(signed, forge(signed)).replace('<samlp:Status>', `${moved}<samlp:Status>`)
      },
    },
  ],
  [
    'a forged assertion with the id and the signature of the signed one',
    'more than one element',
    {
      tamper: (xml) => {
        const signed = assertionIn(xml)
        const twin = signed.replaceAll(EMAIL, `owner@${DOMAIN}`)
        return xml.replace(signed, `${twin}<samlp:Extensions>${signed}</samlp:Extensions>`)
      },
    },
  ],
  [
    'a forged response with the signed one inside its signature',
    'does not refer to it',
    {
      signed: ['response'],
      tamper: (xml) => {
        const original = xml.replace(signatureIn(xml), '')
        const signature = signatureIn(xml).replace(
          '</ds:Signature>',
          `<ds:Object>${original}</ds:Object></ds:Signature>`,
        )
        return xml
          .replaceAll(EMAIL, `owner@${DOMAIN}`)
          .replace(/ ID="_response/, ' ID="_forged')
          .replace(signatureIn(xml), signature)
      },
    },
  ],
  ['wrong Issuer', 'wrong Issuer', { issuer: 'https://other.example/entity' }],
  ['wrong Destination', 'wrong Destination', { destination: 'https://other.example/complete/saml/' }],
  ['no Destination', 'wrong Destination', { destination: null }],
  [
    'wrong Recipient',
    'wrong Recipient',
    { recipient: 'https://other.example/complete/saml/', destination: `${ORIGIN}/complete/saml/` },
  ],
  ['wrong Audience', 'audience mismatch', { audience: 'https://other.example' }],
  ['no Audience', 'no AudienceRestriction', { audience: null }],
  ['not a bearer', 'not a bearer', { method: 'urn:oasis:names:tc:SAML:2.0:cm:holder-of-key' }],
  ['a status that is not Success', 'the status', { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }],
  ['expired', 'has expired', { not_on_or_after: -61 }],
  ['not valid yet', 'not valid yet', { not_before: 70 }],
  ['confirmation expired', 'has expired', { confirmed_until: -61 }],
  ['confirmation without an end', 'NotOnOrAfter', { confirmed_until: null }],
  [
    'a malformed time',
    'NotOnOrAfter',
    { prepare: (xml) => xml.replace(/NotOnOrAfter="[^"]+"/, 'NotOnOrAfter="later"') },
  ],
  ['no Conditions', 'AudienceRestriction', { conditions: false }],
  ['SHA-1', 'weak signature', { algorithms: SHA1 }],
  [
    'SHA-1 digest',
    'weak signature',
    { algorithms: { signature: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', digest: SHA1.digest } },
  ],
  ['a DOCTYPE', 'DOCTYPE', { tamper: (xml) => `<!DOCTYPE r [<!ENTITY e "x">]>${xml}` }],
  ['a DOCTYPE in lower case', 'DOCTYPE', { tamper: (xml) => `<!doctype r>${xml}` }],
  [
    'more than 256 KiB',
    'too large',
    {
      attributes: `<saml:Attribute Name="x"><saml:AttributeValue>${'x'.repeat(262_144)}</saml:AttributeValue></saml:Attribute>`,
    },
  ],
  [
    '2,000 namespaces',
    'attributes in an element',
    { tamper: (xml) => xml.replace(' ID=', `${names(2_000, 'xmlns:n')} ID=`) },
  ],
  [
    'namespaces of many ancestors',
    'too many namespaces',
    { attributes: `${many(20, (i) => `<a${names(5, `xmlns:n${i}`)}>`)}${'</a>'.repeat(20)}` },
  ],
  ['20,000 attributes', 'attributes in an element', { attributes: `<a${names(20_000, 'a')}/>`, signed: [] }],
  [
    'attributes of many elements',
    'too many attributes',
    { attributes: `<a${names(40, 'a')}/>`.repeat(200), signed: [] },
  ],
  ['attributes without values', 'malformed tag', { tamper: (xml) => xml.replace(' ID=', `${' a'.repeat(999)} ID=`) }],
  ['attributes without quotes', 'malformed tag', { tamper: (xml) => xml.replace(' ID=', ' a=b ID=') }],
  ['attributes without blanks', 'malformed tag', { tamper: (xml) => xml.replace(' ID=', ' a=""b="" ID=') }],
  ['names with a control character', 'malformed tag', { tamper: (xml) => xml.replace(' ID=', ' a\u0080b="" ID=') }],
  [
    '20,000 elements',
    'too many elements',
    { tamper: (xml) => xml.replace('<samlp:Status>', `${'<a/>'.repeat(20_000)}$&`) },
  ],
  ['CDATA sections', 'too many elements', { attributes: `<a>${'<![CDATA[a]]>'.repeat(3_000)}</a>`, signed: [] }],
  [
    'instructions',
    'too many elements',
    { tamper: (xml) => xml.replace('<samlp:Status>', `${'<?a b?>'.repeat(3_000)}$&`) },
  ],
  ['an open CDATA section', 'malformed tag', { tamper: (xml) => xml.replace('<samlp:Status>', '<![CDATA[$&') }],
  ['an element declaration', 'malformed tag', { tamper: (xml) => `<!ELEMENT a>${xml}` }],
  ['more end tags than elements', 'malformed tag', { tamper: (xml) => `${xml}</a>` }],
  [
    'deep nesting',
    'nested too deeply',
    { tamper: (xml) => xml.replace('<samlp:Status>', `${'<a>'.repeat(9_000)}${'</a>'.repeat(9_000)}$&`) },
  ],
  ['not XML', 'Not a valid XML', { tamper: () => 'not xml' }],
  ['empty', 'invalid doc', { tamper: () => '' }],
  ['cut off', 'parse error', { tamper: (xml) => xml.slice(0, xml.length / 2) }],
  ['another document', 'No response found', { tamper: () => '<html/>' }],
  ['an address outside the domain', 'outside the domain', { email: 'ada@elsewhere.example' }],
  ['an address in a subdomain', 'outside the domain', { email: `ada@a.${DOMAIN}` }],
  ['two at signs', 'invalid address', { email: `ada@elsewhere.example@${DOMAIN}` }],
  ['no address', 'outside the domain', { email: null, name_id: EMAIL }],
  ['no NameID', 'no NameID', { name_id: null }],
  [
    'a comment inside NameID',
    'a comment',
    { tamper: (xml) => xml.replace(`<saml:NameID>${EMAIL}`, `<saml:NameID>ada<!---->@${DOMAIN}`) },
  ],
  [
    'a comment inside the address',
    'a comment',
    { email: `${EMAIL}.evil.example`, tamper: (xml) => xml.replaceAll(`${EMAIL}.evil`, `${EMAIL}<!---->.evil`) },
  ],
  ['InResponseTo unknown', 'unknown, expired', { in_response_to: '_unknown' }, 'state_mismatch'],
  ['InResponseTo missing', 'is disabled', { in_response_to: null }],
  ['InResponseTo of the envelope differs', 'conflicting', { envelope_in_response_to: '_other' }],
]

for (const engine of nextEngines())
  t.test(`rejects responses (${engine})`, async (t) => {
    const world = await openWorld(t, engine)
    const { begin, respond, post } = world
    const before = await world.count()
    for (const [name, reason, options, error_code] of REFUSED) {
      const browser = openBrowser(world)
      const { id } = await begin(browser)
      t.match(await post(browser, await respond({ in_response_to: id, ...options })), refused(error_code), name)
      t.match(world.reasons.at(-1), reason, `${name}: the reason in the log`)
      t.notOk(browser.cookies.has('workspace_session'))
    }
    const moved = openBrowser(world)
    const { id } = await begin(moved)
    t.match(
      await post(moved, await respond({ in_response_to: null, envelope_in_response_to: id })),
      refused(),
      'InResponseTo in the unsigned envelope only',
    )

    const browser = openBrowser(world)
    const request = await begin(browser)
    const other = openBrowser(world)
    await begin(other)
    t.match(
      await post(other, await respond({ in_response_to: request.id })),
      refused('state_mismatch'),
      'another browser',
    )
    t.match(await post(openBrowser(world), await respond({ in_response_to: request.id })), refused('state_mismatch'))
    t.strictSame(await world.count(), before, 'no user, no session, no identity')
    const recorded = async () => (await world.call('activity_log.list', { query: { area: 'sessions' } })).body.results
    // Texts that cannot be stored are not recorded.
    const failures = 3 + REFUSED.filter(([, reason]) => !/^invalid (address|subject)/.test(reason)).length
    while ((await recorded()).length < failures);
    t.strictSame(
      new Set((await recorded()).map(({ activity, item_name }) => `${activity} ${item_name}`)),
      new Set([`sign_in_failed ${DOMAIN}`]),
      'in the organization of the domain',
    )

    const good = openBrowser(world)
    const { id: requestId } = await begin(good)
    const response = await respond({ in_response_to: requestId })
    t.match(await post(good, response), arrived())
    t.match(await post(good, response), refused(), 'the same assertion again')
    t.match(
      await post(good, await respond({ in_response_to: requestId })),
      refused('state_mismatch'),
      'the same request again',
    )
  })

const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256'
const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const samlSignature = (id: string): string =>
  `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="${EXCLUSIVE}"/><ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"/><ds:Reference URI="#${id}"><ds:Transforms><ds:Transform Algorithm="${EXCLUSIVE}"/></ds:Transforms><ds:DigestMethod Algorithm="${SHA256}"/><ds:DigestValue>AAAA</ds:DigestValue></ds:Reference></ds:SignedInfo><ds:SignatureValue>AAAA</ds:SignatureValue></ds:Signature>`

/** A response that takes the libraries minutes. */
const HOSTILE = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="a">${samlSignature('a')}${'<a/>'.repeat(40_000)}</samlp:Response>`

const EXPECTED = { certificate: IDENTITY_PROVIDER.cert, audience: ORIGIN, acs_url: `${ORIGIN}/complete/saml/` }

t.test('a response that takes too long is given up, and a new process serves the next', async (t) => {
  const processes = createSamlProcesses({ deadline_ms: 500 })
  t.teardown(processes.stop)
  const hostile = { ...EXPECTED, xml: HOSTILE }
  await t.rejects(processes.verify(hostile, 'a'), { error_code: 'sso_failed', message: /in time/ })
  await t.rejects(processes.verify({ ...EXPECTED, xml: '<a/>' }, 'a'), {
    error_code: 'sso_failed',
    message: 'No response',
  })
  const stopping = processes.verify(hostile, 'a')
  await Promise.all([
    t.rejects(stopping, { error_code: 'sso_unavailable', message: /shutting down|did not start/ }),
    processes.stop(),
  ])
})

for (const engine of nextEngines())
  t.test(`the queue of a login domain is bounded and does not delay others (${engine})`, async (t) => {
    const world = await openWorld(t, engine)
    const { begin, respond, post, deps } = world
    const attempt = async (): Promise<ApiResponse> => {
      const browser = openBrowser(world)
      const { id } = await begin(browser)
      return post(browser, await respond({ in_response_to: id }))
    }
    /** One runs, and 50 wait. */
    const occupy = (owner: string): void => {
      for (let i = 0; i < 51; i++) deps.saml.verify({ ...EXPECTED, xml: HOSTILE }, owner).catch(() => undefined)
    }
    occupy('another domain')
    t.match(await attempt(), arrived(), 'beside another domain')
    const before = await world.count()
    occupy(world.domain_id)
    t.match(await attempt(), refused('sso_unavailable'))
    t.match(world.reasons.at(-1), 'too many SAML responses are waiting')
    t.strictSame(await world.count(), before)
  })

for (const engine of nextEngines())
  t.test(`RelayState selects the domain (${engine})`, async (t) => {
    const world = await openWorld(t, engine)
    const { begin, respond, post, call, deps } = world
    const rival = await world.stranger('rival@example.com')
    const { body: theirs } = await call('domains.create', {
      params: { organization_id: '@current' },
      key: rival.key,
      body: { domain: 'rival.example', ...SAML },
    })
    await domains.verify(deps.db, theirs.id, deps.now())
    const before = await world.count()
    for (const [name, relay_state] of [
      ['unknown', '00000000-0000-7000-8000-000000000000'],
      ['not an id', 'x'],
      ['empty', ''],
      ['NUL', '\0'],
      ['very long', 'x'.repeat(100_000)],
      ['of another organization, whose provider has the same key', theirs.id],
    ] as const) {
      const browser = openBrowser(world)
      const { id } = await begin(browser)
      const response = await post(browser, await respond({ in_response_to: id }), relay_state)
      t.match(response, refused(), name)
    }
    const crossed = openBrowser(world)
    const { id } = await begin(crossed)
    t.match(
      await post(crossed, await respond({ in_response_to: id, email: 'ada@rival.example' }), theirs.id),
      refused('state_mismatch'),
      'a request for another domain',
    )

    const browser = openBrowser(world)
    const request = await begin(browser)
    await deps.db.run(sql`update domains set verified_at = null where id = ${world.domain_id}`)
    t.match(await post(browser, await respond({ in_response_to: request.id })), refused(), 'no longer verified')
    t.match(await browser.send('GET', `/login/saml/?email=${EMAIL}`), refused('improperly_configured_sso'))
    t.match(await browser.send('GET', '/login/saml/'), refused('improperly_configured_sso'), 'no address')
    t.match(await browser.send('GET', '/complete/saml/'), refused('invalid_sso_provider'))
    t.strictSame(await world.count(), before)
  })

for (const engine of nextEngines())
  t.test(`a sign-on that the identity provider starts needs a setting (${engine})`, async (t) => {
    const world = await openWorld(t, engine, { SAML_IDP_INITIATED: 'true' })
    const { respond, post, begin } = world
    const browser = openBrowser(world)
    const response = await respond({})
    t.match(await post(browser, response), arrived())
    t.match((await browser.send('GET', ME)).body, { email: EMAIL })
    t.match(await post(openBrowser(world), response), refused(), 'each assertion is accepted once')
    t.match(await post(openBrowser(world), await respond({ in_response_to: '_unknown' })), refused('state_mismatch'))
    const { id } = await begin(browser)
    t.match(await post(openBrowser(world), await respond({ in_response_to: id })), refused('state_mismatch'))
  })

for (const engine of nextEngines())
  t.test(`one of two concurrent posts of an assertion signs in (${engine})`, async (t) => {
    const world = await openWorld(t, engine, { SAML_IDP_INITIATED: 'true' })
    const response = await world.respond({})
    const responses = await Promise.all([1, 2].map(() => world.post(openBrowser(world), response)))
    t.strictSame(responses.map(({ headers }) => headers.location).sort(), ['/', '/login?error_code=sso_failed'])
  })

for (const engine of nextEngines())
  t.test(`existing accounts, enforcement and settings (${engine})`, async (t) => {
    const world = await openWorld(t, engine)
    const { begin, respond, post, call } = world
    const { key } = await world.member(EMAIL, 8)
    const password = 'correct horse battery staple'
    await world.setPassword(password, key)
    const attempt = async () => {
      const browser = openBrowser(world)
      const { id } = await begin(browser)
      return { browser, response: await post(browser, await respond({ in_response_to: id })) }
    }
    const { browser, response } = await attempt()
    t.match(response, refused('password_required'))
    await browser.signIn(EMAIL, password)
    t.match((await attempt()).response, arrived(), 'linked by the password')

    await world.deps.db.run(sql`delete from identities`)
    const update = (body: domains.DomainInput) => call('domains.update', { params: { id: world.domain_id }, body })
    t.equal((await update({ sso_enforcement: 'saml' })).status, 200)
    t.equal((await browser.send('GET', ME)).status, 401, 'the password session ended')
    t.match(await browser.send('POST', '/api/login/', { body: { email: EMAIL, password } }), {
      status: 400,
      body: { code: 'sso_enforced' },
    })
    t.match((await attempt()).response, arrived(), 'the enforced provider needs no password')
    t.match((await call('members.list', { query: { email: EMAIL } })).body.results, [
      { level: 8, has_social_auth: true },
    ])

    await update({ sso_enforcement: '', saml_acs_url: 'javascript:alert(1)' })
    t.match(await browser.send('GET', `/login/saml/?email=${EMAIL}`), refused('improperly_configured_sso'))
    await update({ saml_acs_url: SIGN_ON_URL, saml_x509_cert: OTHER_PROVIDER.cert.replace(/-----.*-----|\s/g, '') })
    t.match((await attempt()).response, refused(), 'another certificate')
    const other = openBrowser(world)
    const { id } = await begin(other)
    t.match(await post(other, await respond({ in_response_to: id, signer: OTHER_PROVIDER })), arrived(), 'bare base64')
  })

for (const engine of nextEngines())
  t.test(`metadata, and SAML without SITE_URL (${engine})`, async (t) => {
    const { app, send } = await openWorld(t, engine)
    const metadata = await send('GET', '/api/saml/metadata/', { key: null })
    t.match(metadata, { status: 200, headers: { 'content-type': /^text\/xml/ } })
    t.match(metadata.text, `entityID="${ORIGIN}"`)
    t.match(metadata.text, `Location="${ORIGIN}/complete/saml/"`)
    t.match(metadata.text, 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST')
    const large = new URLSearchParams({ SAMLResponse: 'A'.repeat(5_000_000), RelayState: 'x' }).toString()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    t.equal((await app.inject({ method: 'POST', url: '/complete/saml/', headers, payload: large })).statusCode, 413)
    for (const payload of ['{"SAMLResponse": "x"}', '{broken'])
      t.match(
        await send('POST', '/complete/saml/', { key: null, raw: { type: 'application/json', payload } }),
        { status: 415, body: { code: 'unsupported_media_type', detail: /x-www-form-urlencoded/ } },
        'only forms are accepted',
      )

    const bare = await openWorld(t, engine, { SITE_URL: '' })
    const browser = openBrowser(bare)
    t.match(await browser.send('GET', `/login/saml/?email=${EMAIL}`), refused('improperly_configured_sso'))
    t.match(await bare.post(browser, await bare.respond({})), refused('improperly_configured_sso'))
  })
