/**
 * Function coverage of `npm test`. Test processes and their children record the functions they call
 * (`test/helpers/programs/coverage.cjs`); this module merges the records, and c8 maps them to src/.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Report } from 'c8'
import c8Options from '../.c8rc.json' with { type: 'json' }

const MIN_PERCENT = 80

interface FunctionCoverage {
  functionName: string
  ranges: [{ startOffset: number; endOffset: number; count: number }]
  isBlockCoverage: boolean
}

interface ScriptCoverage {
  scriptId: string
  url: string
  functions: FunctionCoverage[]
}

export interface Coverage {
  /** Adds the records of a folder and deletes it. */
  add(folder: string): void
  /** Writes the merged record for `npm run coverage`, and returns the lines of the summary. */
  summarize(compiled: string): Promise<string[]>
}

export function createCoverage(): Coverage {
  const scripts = new Map<string, Map<string, FunctionCoverage>>()

  return {
    add: (folder) => {
      for (const file of readdirSync(folder))
        for (const { url, functions } of readRecord(join(folder, file))) {
          const merged = scripts.get(url) ?? new Map<string, FunctionCoverage>()
          scripts.set(url, merged)
          for (const record of functions) {
            const [range] = record.ranges
            const key = `${range.startOffset}-${range.endOffset}`
            if (range.count > 0 || !merged.has(key)) merged.set(key, record)
          }
        }
      rmSync(folder, { recursive: true, force: true })
    },
    summarize: async (compiled) => {
      const result = [...scripts].map(
        ([url, functions], i): ScriptCoverage => ({ scriptId: String(i), url, functions: inOrder(functions) }),
      )
      const folder = c8Options['temp-directory']
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'functions.json'), JSON.stringify({ result }))
      return summaryOf(compiled)
    },
  }
}

/** A process that is killed while it writes leaves a truncated file. */
function readRecord(file: string): ScriptCoverage[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return []
  }
}

/** Outer functions before inner ones, as c8 expects. */
const inOrder = (functions: Map<string, FunctionCoverage>): FunctionCoverage[] =>
  [...functions.values()].sort(
    ({ ranges: [a] }, { ranges: [b] }) => a.startOffset - b.startOffset || b.endOffset - a.endOffset,
  )

interface Summary {
  lines: { pct: number }
  functions: { pct: number }
}

/** c8 compares the sources of a bundle as they are in its source map, so they must be absolute. */
function resolveSources(folder: string): void {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.map'))) {
    const map: { sources: string[] } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
    map.sources = map.sources.map((source) => resolve(folder, source))
    writeFileSync(join(folder, file), JSON.stringify(map))
  }
}

async function summaryOf(compiled: string): Promise<string[]> {
  resolveSources(join(compiled, 'dist'))
  await new Report({
    include: c8Options.include,
    excludeAfterRemap: c8Options['exclude-after-remap'],
    tempDirectory: c8Options['temp-directory'],
    reportsDirectory: c8Options['reports-dir'],
    reporter: ['json-summary'],
    resolve: '',
    omitRelative: true,
    wrapperLength: 0,
  }).run()
  const summaryFile = join(c8Options['reports-dir'], 'coverage-summary.json')
  const { total, ...files }: Record<string, Summary> & { total: Summary } = JSON.parse(
    readFileSync(summaryFile, 'utf8'),
  )
  const unloaded = sourceFiles(compiled).filter((file) => !files[file])
  const low = Object.values(files).filter(({ lines }) => lines.pct < MIN_PERCENT)
  return [
    `Coverage of src/ by called functions: ${total.lines.pct} % of lines, ${total.functions.pct} % of functions.`,
    `${low.length} files are below ${MIN_PERCENT} % and ${unloaded.length} were never loaded; \`npm run coverage\` prints all files.`,
  ]
}

/** Runs in QuickJS, which records nothing. */
const UNRECORDED = 'plugins/runtime/library/'

/** The sources with code. Files with nothing but types compile to nothing. */
const sourceFiles = (compiled: string): string[] =>
  readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith(UNRECORDED))
    .filter((name) =>
      /\S/.test(readFileSync(join(compiled, 'src', name.replace(/ts$/, 'js')), 'utf8').replace(/\/\/#.*/, '')),
    )
    .map((name) => resolve('src', name))
