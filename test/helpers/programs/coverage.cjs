/**
 * Preloaded into test processes and their children by `scripts/test.ts`. Records called functions, which costs no
 * measurable time; block coverage (NODE_V8_COVERAGE) costs 20 to 30 %. A process that is killed records nothing.
 */
const { writeFileSync } = require('node:fs')
const { Session } = require('node:inspector')
const { join } = require('node:path')
const { isMainThread } = require('node:worker_threads')

const { COVERAGE_FOLDER, COVERAGE_ROOT } = process.env

if (isMainThread && COVERAGE_FOLDER) {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: false })
  process.on('exit', () =>
    session.post('Profiler.takePreciseCoverage', (_, { result }) => {
      const own = result.filter(({ url }) => url.startsWith(COVERAGE_ROOT) && !url.includes('/node_modules/'))
      try {
        writeFileSync(join(COVERAGE_FOLDER, `${process.pid}-${Date.now()}.json`), JSON.stringify(own))
      } catch {
        // A process that runs as another user may not write there.
      }
    }),
  )
}
