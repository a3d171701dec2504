/** What was measured, for readers: docs/performance.json holds it, the page and its plot are made from that. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

export interface Outcome {
  name: string
  why: string
  unit: string
  /** By contestant. */
  medians: Record<string, number>
  bars: { text: string; held: boolean; used: number }[]
  absent: string | null
}

type Measured = Outcome & { node: string; cores: number }

const DATA = 'docs/performance.json'
const PAGE = 'docs/performance.md'
const PLOT = 'docs/performance.svg'

/** Replaces the figures of these trials; those of trials that there are no longer go. */
export function record(outcomes: Outcome[], known: string[]): void {
  const before: Measured[] = existsSync(DATA) ? JSON.parse(readFileSync(DATA, 'utf8')) : []
  const machine = { node: process.version, cores: availableParallelism() }
  const replaced = new Set(outcomes.map(({ name }) => name))
  const all: Measured[] = [
    ...before.filter(({ name }) => !replaced.has(name)),
    ...outcomes.map((outcome) => ({ ...outcome, ...machine })),
  ]
    .filter(({ name }) => known.includes(name))
    .sort((a, b) => known.indexOf(a.name) - known.indexOf(b.name))
  writeFileSync(DATA, `${JSON.stringify(all, null, 1)}\n`)
  writeFileSync(PLOT, plot(all))
  writeFileSync(PAGE, page(all))
}

const page = (all: Measured[]): string => `# Performance

Made by \`npm run bench\`, which starts this server and its peers side by side and compares medians of interleaved rounds, so
that a noisy machine hurts all alike. Ratios are judged; times belong to one machine (${machines(all)}) and are not. Repeat
one with \`npm run bench -- <trial>\`.

![How much of what is allowed each trial needed](performance.svg)

${all.map(section).join('\n')}`

const machines = (all: Measured[]): string =>
  [...new Set(all.map(({ node, cores }) => `${cores} cores, Node ${node}`))].join('; ')

const section = ({ name, why, unit, medians, bars, absent }: Measured): string => `## ${name}

${why}

| | median |
|---|---:|
${Object.entries(medians)
  .map(([who, figure]) => `| ${who} | ${figure.toFixed(1)} ${unit} |`)
  .join('\n')}

${bars.map(({ text, held }) => `- ${held ? 'held' : '**missed**'}: ${text}`).join('\n')}
${absent ? `- not measured: ${absent}\n` : ''}`

const ROW = 20
const TEXT = 560
const SCALE = 200
const MOST = 1.6

/** One line for a bar: green up to the mark that it may not pass, red beyond. */
function plot(all: Measured[]): string {
  const rows = all.flatMap(({ name, bars }) => bars.map((bar) => ({ ...bar, name })))
  const width = TEXT + SCALE * MOST + 60
  const height = (rows.length + 2) * ROW
  const lines = rows.map(({ name, text, held, used }, i) => {
    const y = (i + 1) * ROW
    const size = Math.min(used, MOST) * SCALE
    return `<text x="${TEXT - 8}" y="${y + 13}" text-anchor="end">${escaped(`${name}: ${text}`)}</text>
<rect x="${TEXT}" y="${y + 3}" width="${size.toFixed(1)}" height="${ROW - 6}" fill="${held ? '#3a8f5c' : '#c0392b'}"/>
<text x="${(TEXT + size + 4).toFixed(1)}" y="${y + 13}">${used.toFixed(2)}</text>`
  })
  const mark = TEXT + SCALE
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="10">
<rect width="100%" height="100%" fill="#fff"/>
<text x="${mark}" y="13" text-anchor="middle">the bar</text>
${lines.join('\n')}
<line x1="${mark}" x2="${mark}" y1="16" y2="${height - ROW}" stroke="#333" stroke-dasharray="3 3"/>
</svg>
`
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
