/** Checks the invariants of an organization after every step of random sequences of calls. */
import fc from 'fast-check'
import t from 'tap'
import { sql } from '../../src/sql/template.ts'
import { ENGINES, openApp, type TestApp } from '../helpers/app.ts'
import { bySize, figure } from '../helpers/assertions/figures.ts'
import { cycled, itemAt, rowOf } from '../helpers/assertions/items.ts'

const RUNS = bySize({ quick: 3, full: 12, prove: 300 })
const STEPS = 40

const who = fc.nat({ max: 9 })
const level = fc.constantFrom(1, 8, 15)
const step = fc.oneof(
  fc.record({ do: fc.constant('invite' as const), by: who, whom: who, level }),
  fc.record({ do: fc.constant('accept' as const), which: who }),
  fc.record({ do: fc.constant('set level' as const), by: who, whom: who, level }),
  fc.record({ do: fc.constant('remove' as const), by: who, whom: who }),
  fc.record({ do: fc.constant('delete invite' as const), by: who, which: who }),
  fc.record({ do: fc.constant('create key' as const), by: who }),
  fc.record({ do: fc.constant('revoke key' as const), by: who, which: who }),
  fc.record({ do: fc.constant('concurrently' as const), by: who, whom: who, level }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

for (const engine of ENGINES)
  t.test(`no sequence of calls leaves an organization without an owner (${engine})`, async (t) => {
    const app = await openApp(t, engine)
    let runs = 0
    await t.resolves(
      fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), (steps) => play(app, ++runs, steps)),
        { seed: 20260103, numRuns: RUNS, endOnFailure: true },
      ),
    )
    t.equal(runs, RUNS)
    const of = `sequences of ${STEPS} calls`
    figure(t, { area: 'Administration', count: RUNS, of, result: 'always an owner', seed: 20260103 })
  })

/** Runs the steps in a new organization. */
async function play(app: TestApp, run: number, steps: Step[]): Promise<void> {
  const founder = await app.stranger(`founder${run}@example.com`)
  const organization = `/api/organizations/${founder.organization_id}` as const
  const people = [{ uuid: founder.uuid, email: founder.email, key: founder.key }]
  const open: { id: string; token: string; email: string }[] = []
  const keys: { id: string; key: string }[] = []
  /** Undefined if the list is empty. */
  const found = <Item>(list: Item[], index: number): Item | undefined => list[index % list.length]

  for (const action of steps) {
    const by = 'by' in action ? cycled(people, action.by) : itemAt(people, 0)
    const send = <const Method extends string, const Path extends string>(method: Method, path: Path, body?: object) =>
      app.send(method, `${organization}${path}` as const, { key: by.key, body })
    const responses = []
    switch (action.do) {
      case 'invite': {
        const email = `p${run}-${action.whom}@example.com`
        const created = await send('POST', '/invites/', { target_email: email, level: action.level })
        responses.push(created)
        if (created.status === 201) open.push({ id: created.body.id, token: String(created.body.signup_token), email })
        break
      }
      case 'accept': {
        const invite = found(open, action.which)
        if (!invite) break
        const known = people.find(({ email }) => email === invite.email)
        const joined = await app.send('POST', `/api/signup/${invite.id}/`, {
          key: known?.key ?? null,
          body: { token: invite.token },
        })
        responses.push(joined)
        if (joined.status === 201 && !known)
          people.push({ uuid: joined.body.user.uuid, email: invite.email, key: String(joined.body.api_key) })
        break
      }
      case 'set level':
        responses.push(await send('PATCH', `/members/${cycled(people, action.whom).uuid}/`, { level: action.level }))
        break
      case 'remove':
        responses.push(await send('DELETE', `/members/${cycled(people, action.whom).uuid}/`))
        break
      case 'delete invite': {
        const invite = found(open, action.which)
        if (invite) responses.push(await send('DELETE', `/invites/${invite.id}/`))
        break
      }
      case 'create key': {
        const created = await app.send('POST', '/api/personal_api_keys/', {
          key: by.key,
          body: { label: 'x', scopes: ['*'] },
        })
        responses.push(created)
        if (created.status === 201) keys.push({ id: created.body.id, key: by.key })
        break
      }
      case 'revoke key': {
        const key = found(keys, action.which)
        if (key) responses.push(await app.send('DELETE', `/api/personal_api_keys/${key.id}/`, { key: key.key }))
        break
      }
      case 'concurrently': {
        const other = cycled(people, action.whom)
        responses.push(
          ...(await Promise.all([
            send('PATCH', `/members/${other.uuid}/`, { level: action.level }),
            app.send('PATCH', `${organization}/members/${by.uuid}/`, { key: other.key, body: { level: action.level } }),
            send('DELETE', `/members/${other.uuid}/`),
          ])),
        )
      }
    }
    for (const { status, text } of responses)
      if (status >= 500) throw new Error(`${JSON.stringify(action)} returned ${status}: ${text}`)
    await checkInvariants(app, founder.organization_id, action)
  }
}

async function checkInvariants({ deps: { db } }: TestApp, id: string, after: Step): Promise<void> {
  const counts = await rowOf<Record<'owners' | 'counted' | 'stored' | 'orphans' | 'above', number>>(
    db,
    sql`
    select
      (select count(*) from members where organization_id = ${id} and level = 15) as owners,
      (select count(*) from members where organization_id = ${id}) as counted,
      (select member_count from organizations where id = ${id}) as stored,
      (select count(*) from members m left join users u on u.id = m.user_id where u.id is null) as orphans,
      (select count(*) from invites i left join members m on m.organization_id = i.organization_id
        and m.user_id = i.created_by_id where i.level > coalesce(m.level, 0)) as above`,
  )
  const { owners, counted, stored, orphans, above } = counts
  if (owners < 1 || counted !== stored || orphans > 0 || above > 0)
    throw new Error(`after ${JSON.stringify(after)}: ${JSON.stringify(counts)}`)
}
