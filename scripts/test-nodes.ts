/** Runs the core suites on the supported versions of Node other than this one, or on the versions named as arguments. */
import { spawnSync } from 'node:child_process'
import { NODE_VERSIONS, nodeBinary } from '../test/helpers/programs/nodes.ts'

/** Native libraries, child processes, both engines, streams and the CLI. All suites would take half an hour. */
const SUITES = [
  'test/store',
  'test/api/batch_exports.test.ts',
  'test/api/events.test.ts',
  'test/api/members.test.ts',
  'test/api/organizations.test.ts',
  'test/api/pipeline_plugins.test.ts',
  'test/api/projects.test.ts',
  'test/background',
  'test/cli/program.test.ts',
  'test/events/capture.test.ts',
  'test/events/readers.test.ts',
  'test/exports/azure.test.ts',
  'test/exports/files.test.ts',
  'test/exports/http.test.ts',
  'test/exports/parquet.test.ts',
  'test/exports/postgres.test.ts',
  'test/exports/s3.test.ts',
  'test/server/malformed-requests.test.ts',
  'test/server/server.test.ts',
  'test/signin/sign-in.test.ts',
]

const wanted = process.argv.slice(2).map(Number)
const versions = wanted.length ? wanted : NODE_VERSIONS.filter((major) => !process.version.startsWith(`v${major}.`))
for (const major of versions) {
  const binary = nodeBinary(major)
  console.log(`--- on Node ${spawnSync(binary, ['--version'], { encoding: 'utf8' }).stdout.trim()}`)
  const { status } = spawnSync(binary, ['--import=tsx', 'scripts/test.ts', ...SUITES], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
