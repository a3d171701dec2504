import packageJson from '../../package.json' with { type: 'json' }
import { requireFirstOwner } from '../auth/installation.ts'
import type { Deps } from '../deps.ts'
import { SCHEMA_VERSION } from '../sql/migrate.ts'
import { workload } from '../store/installation.ts'
import type { Area } from './handler-context.ts'

export const instance = ({ db, config, mailer, milliseconds, now, started_at }: Deps): Area<'instance'> => ({
  admit: ({ caller }) => requireFirstOwner(db, caller),

  operations: {
    'instance.status': async () => {
      const { oldest_window, ...queues } = await workload(db, now())
      const secondsSince = (time: number): number => Math.max(0, Math.floor((milliseconds() - time) / 1000))
      return {
        version: packageJson.version,
        uptime_seconds: secondsSince(started_at),
        role: config.ROLE,
        database_engine: db.engine,
        schema_version: SCHEMA_VERSION,
        ...queues,
        email_service_available: mailer !== null,
        backups_scheduled: config.BACKUP_EVERY !== undefined,
        export_lag_seconds: oldest_window === null ? null : secondsSince(Date.parse(oldest_window)),
      }
    },
  },
})
