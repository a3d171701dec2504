/** Runs the behavior suites, or those named as arguments, on the Citus cluster of TEST_CITUS_URL. */
import { spawnSync } from 'node:child_process'

/** Everything that reads or writes distributed tables. */
const SUITES = [
  'test/api',
  'test/cli/copy.test.ts',
  'test/events',
  'test/exports/backfills.test.ts',
  'test/exports/engine.test.ts',
  'test/exports/models.test.ts',
  'test/exports/pause.test.ts',
  'test/exports/schedule.test.ts',
  'test/plugins/runtime.test.ts',
]

const url = process.env.TEST_CITUS_URL
if (!url) {
  console.error(
    'TEST_CITUS_URL is not set. Set it to a database on the coordinator of a Citus cluster that has the extension and its workers: TEST_CITUS_URL=postgres://user:password@coordinator/postgres npm run test:citus',
  )
  process.exit(1)
}
const named = process.argv.slice(2)
const { status } = spawnSync(
  process.execPath,
  ['--import=tsx', 'scripts/test.ts', ...(named.length ? named : SUITES)],
  { stdio: 'inherit', env: { TEST_SIZE: 'full', ...process.env, TEST_POSTGRES_URL: url } },
)
process.exit(status ?? 1)
