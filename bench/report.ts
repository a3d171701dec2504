/** Stores the results in docs/performance.json and generates the page and its chart from them. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

export interface LimitResult {
  text: string
  passed: boolean
  /** The share of the limit that was used. More than 1 fails. */
  used: number
}

export interface Outcome {
  name: string
  description: string
  unit: string
  /** By variant. */
  medians: Record<string, number>
  limits: LimitResult[]
  missing: string | null
}

type Measured = Outcome & { node: string; cores: number }

const DATA = 'docs/performance.json'
const PAGE = 'docs/performance.md'
const PLOT = 'docs/performance.svg'

/** Replaces the results of these benchmarks and deletes those of benchmarks that no longer exist. */
export function record(outcomes: Outcome[], known: string[]): void {
  const previous: Measured[] = existsSync(DATA) ? JSON.parse(readFileSync(DATA, 'utf8')) : []
  const machine = { node: process.version, cores: availableParallelism() }
  const replaced = new Set(outcomes.map(({ name }) => name))
  const all: Measured[] = [
    ...previous.filter(({ name }) => !replaced.has(name)),
    ...outcomes.map((outcome) => ({ ...outcome, ...machine })),
  ]
    .filter(({ name }) => known.includes(name))
    .sort((a, b) => known.indexOf(a.name) - known.indexOf(b.name))
  writeFileSync(DATA, `${JSON.stringify(all, null, 1)}\n`)
  writeFileSync(PLOT, plot(all))
  writeFileSync(PAGE, page(all))
}

const page = (all: Measured[]): string => `# Performance

\`npm run bench\` writes this page. It starts this server and its peers side by side and compares the medians of interleaved
rounds, so background load affects all variants alike. The times depend on the machine
(${machines(all)}). The limits do not, except that of the memory of an idle server: they
compare variants of the same run. Run one benchmark with \`npm run bench -- <name>\`.
**failed** marks a limit that this version does not reach.

![The share of its limit that each benchmark used](performance.svg)

${all.map(section).join('\n')}`

const machines = (all: Measured[]): string =>
  [...new Set(all.map(({ node, cores }) => `${cores} cores, Node ${node}`))].join('; ')

const section = ({ name, description, unit, medians, limits, missing }: Measured): string => `## ${name}

${description}

| | median |
|---|---:|
${Object.entries(medians)
  .map(([variant, value]) => `| ${variant} | ${value.toFixed(1)} ${unit} |`)
  .join('\n')}

${limits.map(({ text, passed }) => `- ${passed ? 'passed' : '**failed**'}: ${text}`).join('\n')}
${missing ? `- not measured: ${missing}\n` : ''}`

const ROW = 20
/** At a font size of 10, few characters are wider. */
const CHARACTER = 5.5
const SCALE = 200
const MOST = 1.6

/** One bar per limit: green if it passed, red if it failed. The dashed line marks the limit. */
function plot(all: Measured[]): string {
  const rows = all.flatMap(({ name, limits }) =>
    limits.map(({ text, ...limit }) => ({ ...limit, label: `${name}: ${text}` })),
  )
  const left = Math.max(0, ...rows.map(({ label }) => label.length)) * CHARACTER
  const width = left + SCALE * MOST + 60
  const height = (rows.length + 2) * ROW
  const lines = rows.map(({ label, passed, used }, i) => {
    const y = (i + 1) * ROW
    const size = Math.min(used, MOST) * SCALE
    return `<text x="${left - 8}" y="${y + 13}" text-anchor="end">${escaped(label)}</text>
<rect x="${left}" y="${y + 3}" width="${size.toFixed(1)}" height="${ROW - 6}" fill="${passed ? '#3a8f5c' : '#c0392b'}"/>
<text x="${(left + size + 4).toFixed(1)}" y="${y + 13}">${used.toFixed(2)}</text>`
  })
  const mark = left + SCALE
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="10">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${mark}" y="13" text-anchor="middle">limit</text>
${lines.join('\n')}
<line x1="${mark}" x2="${mark}" y1="16" y2="${height - ROW}" stroke="#333" stroke-dasharray="3 3"/>
</svg>
`
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
