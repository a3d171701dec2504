import { writeFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import type { Variables } from '../config.ts'
import { DIALECTS, type Dialect } from '../contract/table.ts'
import { type ConnectionOptions, connection } from './client.ts'
import { type Finding, walk } from './contract-walk.ts'
import { EXIT } from './failure.ts'
import { harmless } from './print.ts'
import { createProgress } from './progress.ts'

interface CheckOptions extends ConnectionOptions {
  readOnly?: boolean
  dialect: Dialect
  junit?: string
}

export const contractCommands = (variables: Variables): Command =>
  new Command('contract')
    .description("The contract that this program's server, clients and commands are made from.")
    .addCommand(check(variables))

const check = (variables: Variables): Command =>
  new Command('check')
    .summary('replay the contract against a running server')
    .description(
      "Asks a server, this program's or another, for every operation of the contract: as described, for an id that never was, with a body that is no JSON, and without a key. Says where a status, a media type or a body is not as promised. It makes an organization of its own, works inside it, and removes it at the end. It changes nothing else. The exit code is 1 when something deviates.",
    )
    .option('--base-url <url>', 'the server (else WORKSPACE_URL, else http://127.0.0.1:8000)')
    .option('--key <key>', 'a personal API key with every scope (else WORKSPACE_KEY, which no process list shows)')
    .addOption(
      new Option('--dialect <name>', 'how the server writes its answers').choices(DIALECTS).default('standard'),
    )
    .option('--read-only', 'only look, at the first organization and project there are')
    .option('--junit <file>', 'write a report for a CI system')
    .option('--json', 'print every finding as JSON')
    .addHelpText(
      'after',
      `
Examples:
  $ workspace-admin contract check --base-url http://127.0.0.1:8000 --key phx_…
  $ workspace-admin contract check --read-only --junit contract.xml`,
    )
    .action(async (options: CheckOptions) => {
      const place = connection(variables, options)
      const progress = createProgress('requests', null)
      const findings: Finding[] = []
      for await (const finding of walk(place, { readOnly: options.readOnly === true, dialect: options.dialect })) {
        findings.push(finding)
        progress.show(findings.length)
      }
      progress.end(findings.length)
      if (options.junit !== undefined) writeFileSync(options.junit, junit(findings))
      const deviations = findings.filter(({ result }) => result === 'deviation')
      if (options.json) console.log(JSON.stringify({ ok: deviations.length === 0, findings }))
      else console.log(report(findings, deviations))
      if (deviations.length) process.exitCode = EXIT.failed
    })

function report(findings: Finding[], deviations: Finding[]): string {
  const unasked = findings.filter(({ result }) => result === 'not asked')
  const width = Math.max(
    0,
    ...[...deviations, ...unasked].map(({ operation, asked }) => nameOf(operation, asked).length),
  )
  const line = ({ operation, asked, detail }: Finding): string =>
    harmless(`  ${nameOf(operation, asked).padEnd(width)}  ${detail}`)
  return [
    ...(unasked.length ? ['Not asked:', ...unasked.map(line)] : []),
    ...(deviations.length ? ['Deviations:', ...deviations.map(line)] : []),
    `${findings.length - unasked.length - deviations.length} as promised, ${deviations.length} ${deviations.length === 1 ? 'deviation' : 'deviations'}, ${unasked.length} not asked.`,
  ].join('\n')
}

const nameOf = (operation: string, asked: string): string => `${operation} ${asked}`

/** The form that CI systems have in common: one suite for an area, one case for a request. */
function junit(findings: Finding[]): string {
  const areaOf = ({ operation }: Finding): string => operation.split('.')[0]!
  const count = (among: Finding[], result: Finding['result']): number =>
    among.filter((finding) => finding.result === result).length
  const counts = (among: Finding[]): string =>
    `tests="${among.length}" failures="${count(among, 'deviation')}" skipped="${count(among, 'not asked')}"`
  const suites = [...new Set(findings.map(areaOf))].map((area) => {
    const among = findings.filter((finding) => areaOf(finding) === area)
    return `  <testsuite name="${attribute(area)}" ${counts(among)}>\n${among.map(testCase).join('\n')}\n  </testsuite>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="workspace-admin ${packageJson.version} contract check" ${counts(findings)}>
${suites.join('\n')}
</testsuites>
`
}

function testCase({ operation, asked, result, detail, seconds }: Finding): string {
  const inner =
    result === 'deviation'
      ? `<failure message="${attribute(detail!)}"/>`
      : result === 'not asked'
        ? `<skipped message="${attribute(detail!)}"/>`
        : ''
  return `    <testcase classname="${attribute(operation)}" name="${attribute(asked)}" time="${seconds.toFixed(3)}">${inner}</testcase>`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** XML has no form at all for most control characters. */
const attribute = (text: string): string => harmless(text).replace(/[&<>"\n]/g, (c) => ENTITIES[c] ?? ' ')
