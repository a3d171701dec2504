/** Runs a plugin from this machine on sample events, in the sandbox of the server. It needs neither a server nor a database. */
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Command } from 'commander'
import { pino } from 'pino'
import { readConfig, type Variables } from '../config.ts'
import type { components } from '../contract/openapi.ts'
import { invalid } from '../errors.ts'
import { makeIds } from '../ids.ts'
import { isJsonObject, type JsonObject } from '../json/object.ts'
import { createOutbound } from '../outbound/guard.ts'
import { secretTexts } from '../plugins/attachments.ts'
import { readManifest } from '../plugins/manifest.ts'
import { apiWithoutServer } from '../plugins/runtime/api.ts'
import { settingsOf } from '../plugins/runtime/configurations.ts'
import { createLocate } from '../plugins/runtime/geoip.ts'
import { type Configuration, createSandbox } from '../plugins/runtime/sandbox.ts'
import { resolveValues, settingFields } from '../plugins/settings.ts'
import type { SourceFiles } from '../plugins/source-files.ts'
import { fromFile, fromFolder } from '../plugins/sources.ts'
import { runOnSamples, type SampleEvent } from '../plugins/test-run.ts'
import { MAIN_FILE } from '../store/plugin-main-file.ts'
import { EXIT, usageError } from './failure.ts'
import { readData } from './inputs.ts'
import { type JsonFlags, printResult, withJsonOptions } from './json-output.ts'
import { outputWidth, wrap } from './print.ts'
import { printable } from './streams.ts'

type Result = components['schemas']['PluginTestResult']

interface TestOptions extends JsonFlags {
  file: string
  event: string[]
  config?: string
}

const MANIFEST = 'plugin.json'
const MAX_EVENTS = 1_000
const DEFAULT_WIDTH = 80
const INDENT = '  '

export const pluginsCommand = (variables: Variables): Command =>
  new Command('plugins')
    .description(
      'Runs plugins on this machine. `pipeline_destinations` and its siblings manage the plugins of a server.',
    )
    .addCommand(
      // The fields of `--json <fields>` are those of the calls, which are the rows of the result.
      withJsonOptions(new Command('test'), ['function', 'input', 'output', 'error', 'milliseconds'])
        .summary('run a plugin on sample events')
        .description(
          'Runs a plugin on sample events, as `plugin_configs test` does on a server. Storage and cache are empty and discarded. Requests of the plugin are sent; private addresses must be in OUTBOUND_ALLOW.',
        )
        .requiredOption('--file <path>', 'a file, or a folder with a plugin.json')
        .option(
          '--event <json>',
          'an event or a list of events: JSON, a file, or - for standard input (repeatable)',
          collect,
          [],
        )
        .option('--config <json>', 'the settings: JSON or a file')
        .addHelpText(
          'after',
          `
Without --event, the plugin gets a pageview. A plugin.json next to the file describes the settings. The exit code is 1
if the plugin fails.

Examples:
  $ workspace-admin plugins test --file plugin.ts --event event.json
  $ workspace-admin plugins test --file ./my-plugin --config '{"url": "https://example.com"}' --json`,
        )
        .action(async (options: TestOptions) => {
          const result = await test(variables, options)
          await printResult(options, result, describeResult(result))
          if (result.error !== null || result.results.some(({ error }) => error !== null))
            process.exitCode = EXIT.failed
        }),
    )

const collect = (value: string, before: string[]): string[] => [...before, value]

async function test(variables: Variables, { file, event: samples, config }: TestOptions): Promise<Result> {
  // There is no database whose clock could be used.
  const milliseconds = (): number => Math.round(performance.timeOrigin + performance.now())
  const events = await readEvents(samples)
  const values = config === undefined ? {} : await readData(config)
  if (!isJsonObject(values)) throw usageError('--config must be a JSON object.')
  const { schema, files } = await readFiles(file)
  const inspector = createSandbox({ max_processes: 1 })
  try {
    const settings = readConfig(variables)
    const service = {
      inspector,
      outbound: createOutbound({ allow: settings.OUTBOUND_ALLOW }),
      locate: createLocate(settings.GEOIP_DATABASE, pino({ level: 'error' }, pino.destination(2))),
      ids: makeIds(milliseconds),
      now: () => new Date(milliseconds()).toISOString(),
      milliseconds,
    }
    const configure = (): Configuration => configurationOf(schema, files, values)
    return await runOnSamples(service, { files, configure, api: apiWithoutServer }, events)
  } finally {
    await inspector.stop()
  }
}

async function readEvents(samples: readonly string[]): Promise<SampleEvent[] | undefined> {
  const all: unknown[] = []
  for (const sample of samples) all.push(await readData(sample))
  if (all.length === 0) return undefined
  const events = all.flat()
  if (events.length > MAX_EVENTS) throw usageError(`A test has at most ${MAX_EVENTS} events.`)
  return events.map((sample) => {
    if (!isJsonObject(sample) || typeof sample.event !== 'string')
      throw usageError('An event must be an object with an "event", its name.')
    const { event, distinct_id = 'sample', timestamp, properties = {} } = sample
    if (!isJsonObject(properties)) throw usageError('"properties" of an event must be an object.')
    return {
      event,
      distinct_id: String(distinct_id),
      ...(timestamp !== undefined && { timestamp: String(timestamp) }),
      properties,
    }
  })
}

function configurationOf(schema: unknown, files: SourceFiles, config: JsonObject): Configuration {
  const fields = schema === undefined ? undefined : settingFields(schema)
  const { open, secrets } = fields
    ? resolveValues(fields, config, { open: {}, secrets: {} })
    : { open: config, secrets: {} }
  return {
    id: 1,
    project_id: 1,
    version: '1',
    files,
    settings: settingsOf(
      fields ?? [],
      { ...open, ...secrets },
      { filters: null, project: { id: 1, name: 'Test', url: '' } },
    ),
    secrets: Object.entries(secrets).flatMap(([key, value]) => secretTexts(key, value)),
  }
}

/** The code, and the settings of its plugin.json if there is one. */
async function readFiles(path: string): Promise<{ schema: unknown; files: SourceFiles }> {
  if (statSync(path).isDirectory()) {
    const folder = realpathSync(path)
    const { manifest, files } = await fromFolder(dirname(folder), basename(folder))
    if (files[MAIN_FILE] === undefined) throw usageError(`${path} has no index.ts or index.js to run.`)
    return { schema: manifest.config ?? [], files }
  }
  const files = await fromFile(path)
  const beside = join(dirname(path), MANIFEST)
  const manifest = statSync(beside, { throwIfNoEntry: false })?.isFile()
    ? readManifest(readFileSync(beside, 'utf8'), (detail) => invalid(null, detail))
    : undefined
  return { schema: manifest?.config, files }
}

function describeResult({ error, results, logs, captured, jobs, milliseconds }: Result): string {
  /** The event that was printed last. The next function often gets the same. */
  let printed: object = {}
  const sections = results.map(({ function: name, input, output, error: failure, milliseconds: time }) => {
    const lines = [`${name}: ${failure === null ? outcomeOf(name, input, output) : 'failed'}, ${time} ms`]
    if (!isSame(input, printed)) lines.push(...indented(['input', ...indented(jsonLines(input))]))
    printed = input
    if (failure !== null) lines.push(...indented(failure.split('\n')))
    else if (output && !isSame(input, output)) {
      lines.push(...indented(['output', ...indented(jsonLines(output))]))
      printed = output
    }
    return lines
  })
  const list = (heading: string, lines: string[]): string[][] => (lines.length ? [[heading, ...indented(lines)]] : [])
  return [
    ...(error === null ? [] : [['The plugin failed.', ...indented(error.split('\n'))]]),
    ...sections,
    ...list(
      'log',
      logs.flatMap(({ type, message }) => `${type.padEnd(5)} ${message}`.split('\n')),
    ),
    ...list(
      'captured events',
      captured.flatMap((event) => jsonLines(event)),
    ),
    ...list(
      'jobs',
      jobs.flatMap((job) => jsonLines(job)),
    ),
    [`${results.length} calls in ${milliseconds} ms`],
  ]
    .map((lines) => lines.flatMap(fitted).join('\n'))
    .join('\n\n')
}

const isSame = (a: object, b: object): boolean => JSON.stringify(a) === JSON.stringify(b)

const outcomeOf = (name: string, input: object, output: object | null): string => {
  if (name !== 'processEvent' && name !== 'composeWebhook') return 'done'
  if (output === null) return name === 'processEvent' ? 'dropped' : 'nothing to send'
  return isSame(input, output) ? 'unchanged' : name === 'processEvent' ? 'changed' : 'a request to send'
}

const jsonLines = (value: unknown): string[] => JSON.stringify(value, null, 2).split('\n')

const indented = (lines: readonly string[]): string[] => lines.map((line) => `${INDENT}${line}`)

/** Wraps a line to the terminal, or to 80 columns. Lines that follow have the same indentation. */
function fitted(line: string): string[] {
  const [indent = ''] = /^ */.exec(line) ?? []
  const terminal = outputWidth()
  const width = Number.isFinite(terminal) ? terminal : DEFAULT_WIDTH
  return wrap(printable(line.slice(indent.length)), Math.max(20, width - indent.length)).map(
    (part) => `${indent}${part}`,
  )
}
