/**
 * Generates src/contract/ from the YAML in openapi/: lint → bundle → overlay → our rules → openapi*.json and openapi*.ts.
 * Also generates docs/settings.md from src/config.ts. The files of the dialects are not in git: the build calls this
 * script when they are missing or out of date.
 * --check fails when a file in git differs, instead of writing it.
 * --dialects writes only the files of the dialects.
 * --release also saves the contract as the baseline for later checks of breaking changes.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { bundle, createConfig, lint, lintFromString } from '@redocly/openapi-core'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { findBreaks, mayBreakClients } from './breaking.ts'
import {
  acceptSessions,
  declareNotAcceptable,
  deriveCredentials,
  findChangedRequests,
  findViolations,
  type Json,
  mergeParents,
} from './contract-rules.ts'
import { settingsPage } from './settings-page.ts'

const SOURCE = 'openapi/openapi.yaml'
const RELEASED = 'openapi/released.json'
/** The name of each openapi/<name>.overlay.yaml, which becomes openapi.<name>.json and openapi.<name>.ts. */
const DIALECTS = ['posthog']
const check = process.argv.includes('--check')
const release = process.argv.includes('--release')
const onlyDialects = process.argv.includes('--dialects')

const rules = {
  // Paths of the specification end in a slash.
  'no-path-trailing-slash': 'off',
  // Signup, capture and health are public; our own rules check them.
  'security-defined': 'off',
  // The server URL is that of a local server.
  'no-server-example.com': 'off',
  // The specification has both `/events/values/` and `/events/{id}/`; the router prefers fixed segments.
  'no-ambiguous-paths': 'off',
  // Single sign-on operations respond with a redirect. Our own rules check that each operation has one success.
  'operation-2xx-response': 'off',
} as const
const config = await createConfig({ extends: ['recommended-strict'], rules })
/** `declareNotAcceptable` adds the only references to one response later. */
const sourceConfig = await createConfig({
  extends: ['recommended-strict'],
  rules: { ...rules, 'no-unused-components': 'off' },
})

type Problem = Awaited<ReturnType<typeof lint>>[number]
let found = 0

function report(problems: Problem[], source: string): void {
  for (const problem of problems.filter(({ ignored }) => !ignored)) {
    const where = problem.location[0]
    const place = where ? `${where.source.absoluteRef} ${where.pointer ?? ''}` : source
    console.error(`${problem.severity} ${problem.ruleId}: ${problem.message}\n    ${place}`)
    found++
  }
}

function reportRules(messages: string[], source: string): void {
  for (const message of messages) console.error(`error ${source}: ${message}`)
  found += messages.length
}

async function bundled(overlays: string[]): Promise<Json> {
  const { bundle: document, problems } = await bundle({ ref: SOURCE, config, dereference: false, overlays })
  report(problems, overlays[0] ?? SOURCE)
  // The JSON round trip separates objects that YAML anchors share.
  return mergeParents(
    deriveCredentials(acceptSessions(declareNotAcceptable(JSON.parse(JSON.stringify(document.parsed))))),
  )
}

report(await lint({ ref: SOURCE, config: sourceConfig }), SOURCE)
const contract = await bundled([])
reportRules(findViolations(contract), SOURCE)
const released = JSON.parse(await readFile(RELEASED, 'utf8'))
const [before, after] = [released.info.version, contract.info.version]
if (!mayBreakClients(before, after))
  reportRules(
    findBreaks(released, contract).map(
      (reason) => `${reason}. This breaks clients of ${before}: undo the change, or raise the major version`,
    ),
    SOURCE,
  )

const contracts: [name: string, contract: Json][] = [['openapi', contract]]
for (const dialect of DIALECTS) {
  const overlay = `openapi/${dialect}.overlay.yaml`
  report(await lint({ ref: overlay, config }), overlay)
  const overlaid = await bundled([overlay])
  const absoluteRef = `${overlay} applied`
  report(await lintFromString({ source: JSON.stringify(overlaid), absoluteRef, config }), absoluteRef)
  reportRules([...findViolations(overlaid), ...findChangedRequests(contract, overlaid)], overlay)
  contracts.push([`openapi.${dialect}`, overlaid])
}

if (found > 0) {
  console.error(`The contract has ${found} problems. No file was written.`)
  process.exit(1)
}

const banner = '// Generated from openapi/ by `npm run contract`. Do not edit.\n\n'
const outputs: [path: string, text: string][] = release ? [[RELEASED, `${JSON.stringify(contract)}\n`]] : []
for (const [name, each] of contracts)
  outputs.push(
    [`src/contract/${name}.json`, `${JSON.stringify(each, null, 1)}\n`],
    [`src/contract/${name}.ts`, banner + astToString(await openapiTS(each as OpenAPI3, { alphabetize: false }))],
  )

outputs.push(['docs/settings.md', settingsPage()])

for (const [path, text] of outputs) {
  const isOfDialect = DIALECTS.some((dialect) => path.includes(`openapi.${dialect}.`))
  if (isOfDialect || !(check || onlyDialects)) await writeFile(path, text)
  else if (check && (await readFile(path, 'utf8').catch(() => '')) !== text) {
    console.error(`${path} is out of date. Run \`npm run contract\` and commit the result.`)
    process.exitCode = 1
  }
}
const operations = Object.values(contract.paths).flatMap((item) =>
  Object.values(item as object).filter((o) => o.operationId),
)
console.log(
  `contract: ${operations.length} operations in ${contracts.length} dialects, no problems${check ? ', generated files are current' : ''}`,
)
