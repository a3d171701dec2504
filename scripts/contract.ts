/**
 * The contract, from the hand-written YAML to what the program uses:
 * lint → bundle → our own rules → src/contract/openapi.json and openapi.ts.
 * With --check it writes nothing and fails when a committed file differs.
 * With --release it becomes the contract that later ones are compared with, so that no client breaks by accident.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { bundle, createConfig, lint } from '@redocly/openapi-core'
import openapiTS, { astToString } from 'openapi-typescript'
import { breaks, isMajorStep } from './breaking.ts'
import { violations } from './contract-rules.ts'

const SOURCE = 'openapi/openapi.yaml'
const RELEASED = 'openapi/released.json'
const check = process.argv.includes('--check')
const release = process.argv.includes('--release')

const config = await createConfig({
  extends: ['recommended-strict'],
  rules: {
    // Paths end in a slash, as the specification writes them.
    'no-path-trailing-slash': 'off',
    // Signup, capture and health are public on purpose; our own rules name them.
    'security-defined': 'off',
    // The server in the contract is the one a reader has just started.
    'no-server-example.com': 'off',
    // `/events/values/` beside `/events/{id}/` is in the specification; the router prefers the fixed word.
    'no-ambiguous-paths': 'off',
    // A liveness probe has no 4xx to tell of.
    'operation-4xx-response': 'off',
  },
})

const problems = (await lint({ ref: SOURCE, config })).filter((problem) => !problem.ignored)
for (const problem of problems) {
  const where = problem.location[0]
  const place = where ? `${where.source.absoluteRef} ${where.pointer ?? ''}` : SOURCE
  console.error(`${problem.severity} ${problem.ruleId}: ${problem.message}\n    ${place}`)
}

const bundled = await bundle({ ref: SOURCE, config, dereference: false })
// Through JSON: what the YAML anchors share becomes separate, as every other reader of the file sees it.
const contract = JSON.parse(JSON.stringify(bundled.bundle.parsed))
const released = JSON.parse(await readFile(RELEASED, 'utf8'))
const [before, after] = [released.info.version, contract.info.version]
const broken = [
  ...violations(contract),
  ...(isMajorStep(before, after) ? [] : breaks(released, contract)).map(
    (why) =>
      `${why}. That breaks clients of ${before}: undo it, or raise the version in ${SOURCE} to the next major one.`,
  ),
]
for (const line of broken) console.error(`error ${line}`)

if (problems.length + broken.length > 0) {
  console.error(`The contract has ${problems.length + broken.length} problems. Nothing was written.`)
  process.exit(1)
}

const banner = '// Generated from openapi/ by `npm run contract`. Do not edit.\n\n'
const outputs: [string, string][] = [
  ['src/contract/openapi.json', `${JSON.stringify(contract, null, 1)}\n`],
  ...(release ? [[RELEASED, `${JSON.stringify(contract, null, 1)}\n`] as [string, string]] : []),
  ['src/contract/openapi.ts', banner + astToString(await openapiTS(contract, { alphabetize: false }))],
]

for (const [path, text] of outputs) {
  if (!check) await writeFile(path, text)
  else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
    console.error(`${path} is not what openapi/ says. Run \`npm run contract\` and commit the result.`)
    process.exitCode = 1
  }
}
const operations = Object.values(contract.paths).flatMap((item) =>
  Object.values(item as object).filter((o) => o.operationId),
)
console.log(`contract: ${operations.length} operations, no problems${check ? ', generated files are current' : ''}`)
