import { Command } from 'commander'
import { pino } from 'pino'
import { issue } from '../auth/api_keys.ts'
import { readConfig, type Variables } from '../config.ts'
import { buildDeps } from '../deps.ts'
import { ingest } from '../events/ingest.ts'
import { type NewEvent, normalizeEvent } from '../events/normalize-event.ts'
import { eventsOf } from '../events/payload.ts'
import { deliver } from '../exports/deliver.ts'
import { boundaryBefore } from '../exports/interval.ts'
import { backfill, create } from '../exports/service.ts'
import { testDestination } from '../exports/test-destination.ts'
import type { Ids } from '../ids.ts'
import type { Db } from '../sql/db.ts'
import * as domains from '../store/domains.ts'
import { claim } from '../store/installation.ts'
import * as invites from '../store/invites.ts'
import { EVERYTHING } from '../store/key-restrictions.ts'
import * as members from '../store/members.ts'
import * as organizations from '../store/organizations.ts'
import * as projects from '../store/projects.ts'
import * as users from '../store/users.ts'
import {
  DAILY_EXPORT,
  DOMAINS,
  demoEvents,
  EXPORTS,
  INVITED,
  ORGANIZATIONS,
  PEOPLE,
  PROJECTS,
  randomFrom,
} from './demo.ts'
import { EXIT, failure, usage } from './failure.ts'
import { type LocalOptions, local, onEvents } from './local.ts'
import { createProgress } from './progress.ts'

const EVENTS = 50_000
const MOST_EVENTS = 1_000_000
const DAYS = 30
const BATCH = 1_000
const SEED = 20_260_101
const EXPORTED_DAYS = 7
const DAY_MS = 86_400_000

export const seed = (variables: Variables): Command =>
  local(new Command('seed'))
    .description(
      'Fills the database with a believable demo workspace: organizations, members, invites, domains, projects, a month of events, and exports that have delivered some of them. Whoever was the first user here becomes an owner of it too, so the key you have sees it.',
    )
    .option('--events <number>', `how many events (else ${EVENTS})`)
    .addHelpText(
      'after',
      `
Examples:
  $ workspace-admin seed
  $ workspace-admin seed --events 5000 --database sqlite:/tmp/demo --json`,
    )
    .action(async (options: LocalOptions & { events?: string }) => {
      const count = Number(options.events ?? EVENTS)
      if (!Number.isInteger(count) || count < 0 || count > MOST_EVENTS)
        throw usage(`--events takes a number up to ${MOST_EVENTS}.`)
      const made = await onEvents(variables, options, async ({ db, events, ids, now }) => {
        const workspace = await db.tx((tx) => people(tx, ids, now))
        await fill(events, ids, now, workspace.project_id, count)
        if (count) await projects.markIngested(db, workspace.project_id)
        return workspace
      })
      await deliverSome(variables, options, made.project_id)
      if (options.json) return console.log(JSON.stringify({ ...made, events: count }))
      console.log(
        [
          `Made ${ORGANIZATIONS.join(' and ')}, with ${PEOPLE.length} people and ${count} events in the project "${PROJECTS[0]}".`,
          '',
          `  Organization   ${made.organization_id}`,
          `  Project        ${made.project_id}`,
          `  Project token  ${made.project_token}`,
          `  API key        ${made.api_key}`,
          `                 (of ${PEOPLE[0]!.email}; shown once: keep it)`,
        ].join('\n'),
      )
    })

/** Exports with a past: the last days are really delivered, so that runs, logs and files are there to look at. */
async function deliverSome(variables: Variables, { database }: LocalOptions, project_id: number): Promise<void> {
  const config = readConfig({ ...variables, ...(database && { DATABASE_URL: database }) })
  const processes = { deliver, testDestination, stop: async () => undefined }
  const deps = await buildDeps({ config, log: pino({ level: 'silent' }), processes })
  try {
    const control = { ...deps, reader: deps.eventReader }
    for (const wish of EXPORTS) await create(control, project_id, wish)
    const daily = await create(control, project_id, DAILY_EXPORT)
    const end_at = boundaryBefore('day', deps.now())
    const start_at = new Date(Date.parse(end_at) - EXPORTED_DAYS * DAY_MS).toISOString()
    await backfill(control, daily.id, { start_at, end_at })
    await deps.exporter.drain()
  } finally {
    await deps.dispose()
  }
}

async function people(tx: Db, ids: Ids, now: string) {
  await claim(tx, ids.uuid(), now)
  const first = await users.oldest(tx)
  const made: users.UserRow[] = []
  for (const { email, first_name, last_name } of PEOPLE) {
    const user = await users.create(tx, {
      uuid: ids.uuid(),
      distinct_id: ids.uuid(),
      email,
      first_name,
      last_name,
      now,
    })
    if (!user)
      throw failure(EXIT.failed, 'The demo workspace is here already. Use it, or begin with another --database.')
    made.push(user)
  }
  const main = await organizations.create(tx, ids, now, { owner_id: made[0]!.id, name: ORGANIZATIONS[0]! })
  const join = (user_id: number, level: number) =>
    members.create(tx, { id: ids.uuid(), organization_id: main.organization_id, user_id, level, now })
  for (const [i, { level }] of PEOPLE.entries()) if (i > 0) await join(made[i]!.id, level)
  if (first) await join(first.id, members.OWNER)
  await organizations.create(tx, ids, now, { owner_id: made[0]!.id, name: ORGANIZATIONS[1]! })

  const { organization_id, project } = main
  await projects.update(tx, project, { name: PROJECTS[0]! }, now)
  await projects.create(tx, ids, now, { organization_id, name: PROJECTS[1]! })
  for (const { email, ...invite } of INVITED)
    await invites.create(tx, {
      ...invite,
      id: ids.uuid(),
      target_email: email,
      organization_id,
      created_by_id: made[0]!.id,
      emailing_attempt_made: false,
      token_hash: null,
      now,
    })
  for (const [i, domain] of DOMAINS.entries()) {
    const written = await domains.create(tx, {
      id: ids.uuid(),
      organization_id,
      domain,
      verification_challenge: ids.challenge(),
    })
    if (i === 0) await domains.verify(tx, written!.id, now)
  }
  // Both organizations were joined at the same moment, so neither is the first.
  const current = { current_organization_id: organization_id, current_project_id: project.id }
  await users.update(tx, made[0]!, current)
  const key = { user_id: made[0]!.id, label: 'Demo', scopes: ['*'], reach: EVERYTHING, expires_at: null }
  const { value } = await issue(tx, ids, now, key)
  return { organization_id, project_id: project.id, project_token: project.api_token, api_key: value }
}

async function fill(events: Db, ids: Ids, now: string, project_id: number, count: number): Promise<void> {
  const time = Date.parse(now)
  const arrival = { project_id, now: time * 1000, sent_at: null, address: null, uuid: ids.uuid }
  const demo = demoEvents(count, DAYS, time, randomFrom(SEED))
  const progress = createProgress('events', null)
  for (let start = 0; start < demo.length; start += BATCH) {
    const sent = await eventsOf(demo.slice(start, start + BATCH))
    const shaped = sent.map((one) => normalizeEvent(one, arrival)).filter((one): one is NewEvent => one !== null)
    await events.tx((tx) => ingest(tx, shaped))
    progress.show(start + sent.length)
  }
  progress.end(demo.length)
}
