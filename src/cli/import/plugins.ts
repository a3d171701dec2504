/** The plugins of the project that an import writes to. */
import { pino } from 'pino'
import { readConfig, type Variables } from '../../config.ts'
import { ingest } from '../../events/ingest.ts'
import type { Ids } from '../../ids.ts'
import { createOutbound } from '../../outbound/guard.ts'
import { createPluginApi } from '../../plugins/runtime/api.ts'
import { createLocate } from '../../plugins/runtime/geoip.ts'
import { createTransformations } from '../../plugins/runtime/runtime.ts'
import { clockOf, type Database } from '../../sql/db.ts'
import { openVault } from '../../store/secrets.ts'
import { databaseUrl, type LocalOptions } from '../local.ts'

/** No client waits for the plugins. */
const BATCH_MS = 600_000

export async function openTransformations(
  variables: Variables,
  options: LocalOptions,
  { db, events, ids }: { db: Database; events: Database; ids: Ids },
) {
  const config = readConfig({ ...variables, DATABASE_URL: databaseUrl(variables, options) })
  const milliseconds = clockOf(db)
  const log = pino({ level: 'error' }, pino.destination(2))
  return createTransformations({
    db,
    events,
    vault: await openVault(db, config),
    outbound: createOutbound({ allow: config.OUTBOUND_ALLOW }),
    locate: createLocate(config.GEOIP_DATABASE, log),
    pluginApi: createPluginApi(),
    ids,
    now: () => new Date(milliseconds()).toISOString(),
    milliseconds,
    addEvents: async (rows) => {
      await events.tx((tx) => ingest(tx, rows))
    },
    site_url: config.SITE_URL ?? '',
    log,
    wakeMailer: null,
    request_ms: BATCH_MS,
  })
}
