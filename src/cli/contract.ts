import { writeFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import type { Variables } from '../config.ts'
import { DIALECTS, type Dialect } from '../contract/table.ts'
import { type ConnectionOptions, readConnection, withConnectionOptions } from './connection.ts'
import { checkContract, type Finding } from './contract-check.ts'
import { commandError, EXIT } from './failure.ts'
import { type JsonFlags, printResult, withJsonOptions } from './json-output.ts'
import { outputWidth, wrap } from './print.ts'
import { createProgress } from './progress.ts'
import { escapeControls } from './streams.ts'

interface CheckOptions extends ConnectionOptions, JsonFlags {
  readOnly?: boolean
  dialect: Dialect
  junit?: string
}

export const contractCommand = (variables: Variables): Command =>
  new Command('contract')
    .description('The OpenAPI contract that the server, the clients and these commands are built from.')
    .addCommand(checkCommand(variables))

const checkCommand = (variables: Variables): Command =>
  withConnectionOptions(
    withJsonOptions(new Command('check'), ['ok', 'findings'], 'print every finding as JSON, or only these fields'),
    'a personal API key with all scopes (default: WORKSPACE_KEY or the profile, which are not visible in the process list)',
  )
    .summary('replay the contract against a running server')
    .description(
      'Sends requests to the operations of the contract: as described, for an unknown id, with a malformed body, and without a key. Reports each status, media type and body that does not match the contract. It lists the operations that it skips. The check works inside an organization that it creates and deletes; it changes nothing else. The exit code is 1 when a check fails.',
    )
    .addOption(new Option('--dialect <name>', 'the dialect of the server').choices(DIALECTS).default('standard'))
    .option('--read-only', 'only send GET requests, for the first organization and project')
    .option('--junit <file>', 'write a JUnit report')
    .addHelpText(
      'after',
      `
Examples:
  $ workspace-admin contract check --base-url http://127.0.0.1:8000 --key phx_…
  $ workspace-admin contract check --read-only --junit contract.xml`,
    )
    .action(async (options: CheckOptions) => {
      const server = readConnection(variables, options)
      if (!server.key && server.withheld) throw commandError(EXIT.not_authenticated, server.withheld)
      const progress = createProgress('requests', null)
      const findings: Finding[] = []
      const { readOnly = false, dialect } = options
      for await (const finding of checkContract(server, { readOnly, dialect })) {
        findings.push(finding)
        progress.show(findings.length)
      }
      progress.end(findings.length)
      if (options.junit !== undefined) writeFileSync(options.junit, junit(findings))
      const ok = count(findings, 'failed') === 0
      await printResult(options, { ok, findings }, report(findings))
      if (!ok) process.exitCode = EXIT.failed
    })

/** Long lists wrap here, also where the output is no terminal. */
const MAX_LIST_WIDTH = 100

const count = (findings: Finding[], result: Finding['result']): number =>
  findings.filter((finding) => finding.result === result).length

const titleOf = ({ operation, request }: Finding): string => `${operation} ${request}`

function report(findings: Finding[]): string {
  const failed = findings.filter(({ result }) => result === 'failed')
  const width = Math.max(0, ...failed.map((finding) => titleOf(finding).length))
  return [
    ...skippedLines(findings.filter(({ result }) => result === 'skipped')),
    ...(failed.length ? ['Failed:'] : []),
    ...failed.map((finding) => `  ${titleOf(finding).padEnd(width)}  ${finding.detail}`),
    `${count(findings, 'passed')} passed, ${failed.length} failed, ${count(findings, 'skipped')} skipped`,
  ].join('\n')
}

/** The skipped operations by reason. */
function skippedLines(skipped: Finding[]): string[] {
  const reasons = [...new Set(skipped.map(({ detail }) => detail))]
  const width = Math.min(outputWidth(), MAX_LIST_WIDTH) - 2
  return reasons.flatMap((reason) => {
    const names = skipped.filter(({ detail }) => detail === reason).map(({ operation }) => operation)
    return [`Skipped ${names.length}: ${reason}`, ...wrap(names.join(', '), width).map((line) => `  ${line}`)]
  })
}

/** JUnit XML: one suite per area, one case per request. */
function junit(findings: Finding[]): string {
  const areaOf = ({ operation }: Finding): string => operation.slice(0, operation.indexOf('.'))
  const counts = (part: Finding[]): string =>
    `tests="${part.length}" failures="${count(part, 'failed')}" skipped="${count(part, 'skipped')}"`
  const suites = [...new Set(findings.map(areaOf))].map((area) => {
    const part = findings.filter((finding) => areaOf(finding) === area)
    return `  <testsuite name="${attribute(area)}" ${counts(part)}>\n${part.map(testCase).join('\n')}\n  </testsuite>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="workspace-admin ${packageJson.version} contract check" ${counts(findings)}>
${suites.join('\n')}
</testsuites>
`
}

const JUNIT_ELEMENTS = { failed: 'failure', skipped: 'skipped' } as const

function testCase(finding: Finding): string {
  const { operation, request, seconds } = finding
  const inner =
    finding.result === 'passed' ? '' : `<${JUNIT_ELEMENTS[finding.result]} message="${attribute(finding.detail)}"/>`
  return `    <testcase classname="${attribute(operation)}" name="${attribute(request)}" time="${seconds.toFixed(3)}">${inner}</testcase>`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** XML cannot represent most control characters, so they are escaped first. */
const attribute = (text: string): string => escapeControls(text).replace(/[&<>"\n]/g, (c) => ENTITIES[c] ?? ' ')
