/** Imports into the database of this machine. */
import type { Variables } from '../../config.ts'
import { ingest } from '../../events/ingest.ts'
import type { NewEvent } from '../../events/normalize-event.ts'
import { storedUuids } from '../../events/plugin-event.ts'
import type { Transformation } from '../../plugins/runtime/transform.ts'
import { clockOf, type Database, withoutPassword } from '../../sql/db.ts'
import { EVENTS, requireCurrent } from '../../sql/migrate.ts'
import { openDatabase } from '../../sql/open.ts'
import { oldest } from '../../store/organizations.ts'
import { byId, markIngested, named, type ProjectRow } from '../../store/projects.ts'
import { epochMicroseconds } from '../../time/stored.ts'
import { commandError, EXIT } from '../failure.ts'
import { databaseUrl, type LocalOptions, withEventStore } from '../local.ts'
import { localIdOf } from '../names.ts'
import { singleLine } from '../print.ts'
import { shellQuote } from '../quote.ts'
import type { Stored, Target } from './target.ts'

interface Options extends LocalOptions {
  project?: string
  plugins: boolean
  dryRun?: boolean
}

export function withLocalTarget<Result>(
  variables: Variables,
  options: Options,
  work: (target: Target) => Promise<Result>,
): Promise<Result> {
  if (options.dryRun) return withDryTarget(variables, options, work)
  return withEventStore(variables, options, async ({ db, events, ids, now }) => {
    const project = await findProject(db, options.project)
    const targetWith = (transformation: () => Promise<Transformation | undefined>): Target => ({
      place: placeOf(project, variables, options),
      project,
      now: epochMicroseconds(now),
      begin: async () => {
        const transform = await transformation()
        const store = (rows: NewEvent[]) => storeEvents(events, project, rows, transform)
        return { keepsSent: transform !== undefined, store }
      },
      finish: async () => {
        await markIngested(db, project.id)
        return {}
      },
    })
    if (!options.plugins) return work(targetWith(async () => undefined))
    const { openTransformations } = await import('./plugins.ts')
    const { transformer, stop } = await openTransformations(variables, options, { db, events, ids })
    return work(targetWith(() => transformer.of(project.id))).finally(stop)
  })
}

/** Only looks up which events are there. */
async function withDryTarget<Result>(
  variables: Variables,
  options: Options,
  work: (target: Target) => Promise<Result>,
): Promise<Result> {
  const url = databaseUrl(variables, options)
  const db = await openDatabase(url, { mode: 'read' })
  const events = await openDatabase(url, { mode: 'read', file: EVENTS.file })
  try {
    await requireCurrent(db)
    await requireCurrent(events, EVENTS)
    const project = await findProject(db, options.project)
    const store = async (rows: NewEvent[]): Promise<Stored> => {
      const fresh = await newEvents(events, project, rows)
      return { stored: fresh.length, already_there: rows.length - fresh.length, dropped: 0, refused: [] }
    }
    return await work({
      place: placeOf(project, variables, options),
      project,
      now: clockOf(db)() * 1000,
      begin: async () => ({ keepsSent: false, store }),
      finish: async () => ({}),
    })
  } finally {
    await events.close()
    await db.close()
  }
}

const placeOf = ({ id, name }: ProjectRow, variables: Variables, options: Options): string =>
  `project ${name} (${id}) in the database ${withoutPassword(databaseUrl(variables, options))}`

/** An id wins over a name. */
async function findProject(db: Database, text: string | undefined): Promise<ProjectRow> {
  const wanted = text ?? String((await oldest(db)).project_id)
  const found = /^\d{1,15}$/.test(wanted) ? await byId(db, Number(wanted)) : undefined
  if (found) return found
  const id = localIdOf('projects', await named(db, wanted), wanted)
  const project = id === undefined ? undefined : await byId(db, Number(id))
  if (!project)
    throw commandError(
      EXIT.not_found,
      `There is no project ${shellQuote(singleLine(wanted))}. Run \`workspace-admin projects list\` to list the projects.`,
    )
  return project
}

/** The events that are not stored, each once. */
async function newEvents(events: Database, project: ProjectRow, rows: NewEvent[]): Promise<NewEvent[]> {
  const uuids = rows.map(({ uuid }) => uuid)
  const seen = await storedUuids(events, project.id, uuids)
  return rows.filter(({ uuid }) => !seen.has(uuid) && seen.add(uuid))
}

/** Stores the events in one transaction. */
async function storeEvents(
  events: Database,
  project: ProjectRow,
  rows: NewEvent[],
  transform: Transformation | undefined,
): Promise<Stored> {
  const fresh = await newEvents(events, project, rows)
  const { changed, dropped } = transform ? await transform(fresh) : { changed: fresh, dropped: 0 }
  const stored = changed.length ? await events.tx((tx) => ingest(tx, changed)) : 0
  const already_there = rows.length - fresh.length + changed.length - stored
  return { stored, already_there, dropped, refused: [] }
}
