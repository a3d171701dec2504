import { Command } from 'commander'
import { pino } from 'pino'
import { issue } from '../auth/api_keys.ts'
import { readConfig, type Variables } from '../config.ts'
import { buildDeps } from '../deps.ts'
import { ingest } from '../events/ingest.ts'
import { type NewEvent, normalizeEvent } from '../events/normalize-event.ts'
import { eventsOf } from '../events/payload.ts'
import { start as startBackfill } from '../exports/backfills.ts'
import { deliver } from '../exports/deliver.ts'
import { boundaryBefore } from '../exports/interval.ts'
import { create } from '../exports/service.ts'
import { testDestination } from '../exports/test-destination.ts'
import type { Ids } from '../ids.ts'
import { createWithOwner } from '../organizations/organizations.ts'
import type { Db } from '../sql/db.ts'
import { OPERATOR } from '../store/activity_log.ts'
import * as domains from '../store/domains.ts'
import { claim } from '../store/installation.ts'
import * as invites from '../store/invites.ts'
import { UNRESTRICTED } from '../store/key-restrictions.ts'
import * as members from '../store/members.ts'
import * as projects from '../store/projects.ts'
import * as users from '../store/users.ts'
import { addMilliseconds } from '../time/stored.ts'
import {
  createRandom,
  DAILY_EXPORT,
  DOMAINS,
  demoEvents,
  EXPORTS,
  INVITED,
  ORGANIZATIONS,
  PEOPLE,
  PROJECTS,
} from './demo.ts'
import { commandError, EXIT, usageError } from './failure.ts'
import { printResult } from './json-output.ts'
import { type LocalOptions, withEventStore, withLocalOptions } from './local.ts'
import { createProgress } from './progress.ts'

const DEFAULT_EVENTS = 50_000
const MAX_EVENTS = 1_000_000
const DAYS = 30
const BATCH_EVENTS = 1_000
const RANDOM_SEED = 20_260_101
const EXPORTED_DAYS = 7
const DAY_MS = 86_400_000

export const seedCommand = (variables: Variables): Command =>
  withLocalOptions(new Command('seed'), ['organization_id', 'project_id', 'project_token', 'api_key', 'events'])
    .description(
      'Fills the database with a demo workspace: organizations, members, invites, domains, projects, a month of events, and exports with completed runs. The first user of the installation becomes an owner of it, so the existing key has access.',
    )
    .option('--events <number>', `the number of events (default: ${DEFAULT_EVENTS})`)
    .addHelpText(
      'after',
      `
Examples:
  $ workspace-admin seed
  $ workspace-admin seed --events 5000 --database sqlite:/tmp/demo --json`,
    )
    .action(async (options: LocalOptions & { events?: string }) => {
      const count = Number(options.events ?? DEFAULT_EVENTS)
      if (!Number.isInteger(count) || count < 0 || count > MAX_EVENTS)
        throw usageError(`--events must be a number from 0 to ${MAX_EVENTS}.`)
      const workspace = await withEventStore(variables, options, async ({ db, events, ids, now }) => {
        const created = await db.tx((tx) => createWorkspace(tx, ids, now))
        await storeEvents(events, ids, now, created.project_id, count)
        if (count) await projects.markIngested(db, created.project_id)
        return created
      })
      await runExports(variables, options, workspace.project_id)
      await printResult(options, { ...workspace, events: count }, [
        `Created ${ORGANIZATIONS.join(' and ')}, with ${PEOPLE.length} people and ${count} events in the project "${PROJECTS[0]}".`,
        '',
        `  Organization   ${workspace.organization_id}`,
        `  Project        ${workspace.project_id}`,
        `  Project token  ${workspace.project_token}`,
        `  API key        ${workspace.api_key}`,
        `                 (of ${PEOPLE[0].email}; store it now: it is not shown again)`,
      ])
    })

/** Creates exports and delivers the last days, so the workspace has runs, logs and files. */
async function runExports(variables: Variables, { database }: LocalOptions, project_id: number): Promise<void> {
  const config = readConfig({ ...variables, ...(database && { DATABASE_URL: database }) })
  const processes = { deliver, testDestination, stop: async () => undefined }
  const deps = await buildDeps({ config, log: pino({ level: 'silent' }), processes })
  try {
    for (const input of EXPORTS) await create(deps, OPERATOR, project_id, input)
    const daily = await create(deps, OPERATOR, project_id, DAILY_EXPORT)
    const end_at = boundaryBefore(daily, deps.now())
    const start_at = addMilliseconds(end_at, -EXPORTED_DAYS * DAY_MS)
    await startBackfill(deps, OPERATOR, daily, { start_at, end_at })
    await deps.exporter.drain()
  } finally {
    await deps.dispose()
  }
}

async function createUser(
  tx: Db,
  ids: Ids,
  now: string,
  { email, first_name, last_name }: (typeof PEOPLE)[number],
): Promise<users.UserRow> {
  const user = { uuid: ids.uuid(), distinct_id: ids.uuid(), email, first_name, last_name, now }
  const created = await users.create(tx, user)
  if (!created)
    throw commandError(EXIT.failed, 'The demo workspace already exists. Use it, or choose another --database.')
  return created
}

async function createWorkspace(tx: Db, ids: Ids, now: string) {
  await claim(tx, ids.uuid(), now)
  const first = await users.oldest(tx)
  const [founder, ...colleagues] = PEOPLE
  const owner = await createUser(tx, ids, now, founder)
  const joining: { user_id: number; level: number }[] = []
  for (const person of colleagues)
    joining.push({ user_id: (await createUser(tx, ids, now, person)).id, level: person.level })
  if (first) joining.push({ user_id: first.id, level: members.OWNER })

  const main = await createWithOwner(tx, ids, now, OPERATOR, { owner_id: owner.id, name: ORGANIZATIONS[0] })
  for (const { user_id, level } of joining)
    await members.create(tx, { id: ids.uuid(), organization_id: main.organization_id, user_id, level, now })
  await createWithOwner(tx, ids, now, OPERATOR, { owner_id: owner.id, name: ORGANIZATIONS[1] })

  const { organization_id, project } = main
  await projects.update(tx, project, { name: PROJECTS[0] }, now)
  await projects.create(tx, ids, now, { organization_id, name: PROJECTS[1] })
  for (const { email, ...invite } of INVITED)
    await invites.create(tx, {
      ...invite,
      id: ids.uuid(),
      target_email: email,
      organization_id,
      created_by_id: owner.id,
      emailing_attempt_made: false,
      token_hash: null,
      now,
    })
  for (const [i, domain] of DOMAINS.entries()) {
    const created = await domains.create(tx, {
      id: ids.uuid(),
      organization_id,
      domain,
      verification_challenge: ids.challenge(),
    })
    if (i === 0 && created) await domains.verify(tx, created.id, now)
  }
  // The owner joined both organizations at the same time, so neither is the default.
  const current = { current_organization_id: organization_id, current_project_id: project.id }
  await users.update(tx, owner, current)
  const key = { user_id: owner.id, label: 'Demo', scopes: ['*'], restrictions: UNRESTRICTED, expires_at: null }
  const { value } = await issue(tx, ids, now, key)
  return { organization_id, project_id: project.id, project_token: project.api_token, api_key: value }
}

async function storeEvents(events: Db, ids: Ids, now: string, project_id: number, count: number): Promise<void> {
  const time = Date.parse(now)
  const arrival = { project_id, now: time * 1000, sent_at: null, address: null, uuid: ids.uuid }
  const demo = demoEvents(count, DAYS, time, createRandom(RANDOM_SEED))
  const progress = createProgress('events', null)
  for (let start = 0; start < demo.length; start += BATCH_EVENTS) {
    const sent = await eventsOf(demo.slice(start, start + BATCH_EVENTS))
    const shaped = sent.map((one) => normalizeEvent(one, arrival)).filter((one): one is NewEvent => one !== null)
    await events.tx((tx) => ingest(tx, shaped))
    progress.show(start + sent.length)
  }
  progress.end(demo.length)
}
