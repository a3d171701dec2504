/** Explains a statement, and names the parts of its plan that get slower with every row. */
import type Sqlite from 'better-sqlite3'
import type pg from 'pg'

interface Step {
  id: number
  parent: number
  detail: string
}

/** The tables of a statement by their names and aliases. */
function aliasesOf(text: string, tables: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>()
  const KEYWORDS =
    /^(where|on|join|left|inner|cross|order|group|limit|set|using|union|values|select|as|for|returning|indexed)$/i
  for (const [, table = '', alias] of text.matchAll(/\b([a-z_]+)\b(?=(?:\s+(?:as\s+)?([a-z_]+)\b)?)/gi))
    if (tables.has(table)) {
      found.set(table, table)
      if (alias && !KEYWORDS.test(alias)) found.set(alias, table)
    }
  return found
}

/** `(a, b) > (?, ?)` with two columns or more. */
const ROW_COMPARISON = /\(\s*[a-z_.]+(?:\s*,\s*[a-z_.]+)+\s*\)\s*[<>]=?\s*\(/i

export interface SqliteSchema {
  /** The tables that grow. */
  growing: ReadonlySet<string>
  /** Indexes over a part of a table: a scan of one reads only that part. */
  partial: ReadonlySet<string>
}

export function sqliteSchema(db: Sqlite.Database, growing: readonly string[]): SqliteSchema {
  const rows = db.prepare("select name from sqlite_master where type = 'index' and sql like '% where %'").all()
  return { growing: new Set(growing), partial: new Set(rows.map((row) => (row as { name: string }).name)) }
}

export function sqliteProblems(db: Sqlite.Database, text: string, { growing, partial }: SqliteSchema): string[] {
  const steps = db.prepare(`explain query plan ${text}`).all(...unbound(text)) as Step[]
  const aliases = aliasesOf(text, growing)
  const byId = new Map(steps.map((step) => [step.id, step]))
  const isCorrelated = ({ parent }: Step): boolean => {
    for (let at = byId.get(parent); at; at = byId.get(at.parent)) if (/^CORRELATED/.test(at.detail)) return true
    return false
  }
  /** The names of subqueries whose rows are read from memory. */
  const derived = new Set(steps.flatMap(({ detail }) => /^(?:MATERIALIZE|CO-ROUTINE) (\S+)$/.exec(detail)?.[1] ?? []))
  const growingTable = (detail: string): string | undefined =>
    aliases.get(/^(?:SCAN|SEARCH) (\S+)/.exec(detail)?.[1] ?? '')
  const problems: string[] = []
  for (const step of steps) {
    const { detail, parent } = step
    const table = growingTable(detail)
    const index = /USING (?:COVERING )?INDEX (\S+)/.exec(detail)?.[1]
    const isDerived = derived.has(/^SCAN (\S+)$/.exec(detail)?.[1] ?? '')
    if (detail.startsWith('SCAN') && table && !isDerived) {
      if (isCorrelated(step)) problems.push(`scan in a correlated subquery: ${detail}`)
      else if (!partial.has(index ?? '')) problems.push(`scan: ${detail}`)
    }
    // The steps of a loop have the same parent. The first one is the outermost.
    const outer = steps.find((other) => other.parent === parent && growingTable(other.detail) !== undefined)
    if (/^SCAN \S+ VIRTUAL TABLE/.test(detail) && outer && steps.indexOf(outer) < steps.indexOf(step))
      problems.push(`json_each as inner loop: ${detail}`)
  }
  const searched = steps.filter(({ detail }) => detail.startsWith('SEARCH') && growingTable(detail))
  if (
    ROW_COMPARISON.test(text) &&
    searched.length &&
    !searched.some(({ detail }) => /\([a-z_]+(,[a-z_]+)+\)[<>]/.test(detail))
  )
    problems.push(`row comparison by its first column: ${searched.map(({ detail }) => detail).join('; ')}`)
  return problems
}

/** A value for each parameter. The plan does not depend on them. */
const unbound = (text: string): null[] => Array.from(text.replace(/'(?:[^']|'')*'/g, '').matchAll(/\?/g), () => null)

interface Node {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Recheck Cond'?: string
  Filter?: string
  'Parent Relationship'?: string
  'Subplan Name'?: string
  'Function Name'?: string
  'Total Cost': number
  Plans?: Node[]
}

export interface PostgresSchema {
  growing: ReadonlySet<string>
  partial: ReadonlySet<string>
  distributed: ReadonlySet<string>
}

export async function postgresPlan(client: pg.Client, text: string): Promise<Node> {
  const { rows } = await client.query(`explain (generic_plan, format json) ${text}`)
  return rows[0]['QUERY PLAN'][0].Plan
}

interface Place {
  node: Node
  parents: readonly Node[]
}

function* nodesOf(node: Node, parents: readonly Node[] = []): Generator<Place> {
  yield { node, parents }
  for (const child of node.Plans ?? []) yield* nodesOf(child, [...parents, node])
}

/** A limit without a filter bounds the number of rows that are read. */
const isBounded = ({ node, parents }: Place): boolean =>
  !node.Filter &&
  parents.some((parent) => parent['Node Type'] === 'Limit') &&
  !parents.some((parent) => parent['Node Type'] === 'Sort')

export function postgresProblems(plan: Node, { growing, partial }: PostgresSchema): string[] {
  const problems: string[] = []
  for (const place of nodesOf(plan)) {
    const { node, parents } = place
    const type = node['Node Type']
    const table = node['Relation Name']
    const name = `${type} of ${table ?? node['Function Name']}`
    const isWhole =
      type === 'Seq Scan' ||
      (/^Index( Only)? Scan$/.test(type) && !node['Index Cond'] && !partial.has(node['Index Name'] ?? ''))
    if (isWhole && table && growing.has(table) && !isBounded(place))
      problems.push(
        parents.some((parent) => parent['Parent Relationship'] === 'SubPlan')
          ? `scan in a correlated subquery: ${name}`
          : `scan: ${name}`,
      )
    const loop = parents.at(-1)
    const outer = loop?.Plans?.[0]
    if (
      type === 'Function Scan' &&
      loop?.['Node Type'] === 'Nested Loop' &&
      outer !== node &&
      outer?.['Relation Name'] &&
      growing.has(outer['Relation Name'])
    )
      problems.push(`json as inner loop: ${name}`)
  }
  return problems
}

const PROJECT = /\bproject_id\)? = (?:\()?\$\d+/

/** Rules of a table that is distributed over a cluster. */
export function clusterProblems(text: string, plan: Node, { distributed }: PostgresSchema): string[] {
  const mentioned = [...distributed].filter((table) => new RegExp(`\\b${table}\\b`).test(text))
  if (mentioned.length === 0) return []
  const problems: string[] = []
  if (/\bwith\s+recursive\b/i.test(text)) problems.push('recursive CTE over a distributed table')
  const insert = /^\s*insert into ([a-z_]+)/i.exec(text)?.[1]
  if (insert && distributed.has(insert) && !/^\s*insert into [a-z_]+ \([^)]*\bproject_id\b[^)]*\)\s*values/i.test(text))
    problems.push(`the insert into ${insert} has no list of values with the project`)
  for (const { node } of nodesOf(plan)) {
    const table = node['Relation Name'] ?? ''
    if (!distributed.has(table) || node['Node Type'] === 'ModifyTable') continue
    const conditions = [node['Index Cond'], node['Recheck Cond'], node.Filter].join(' ')
    if (!PROJECT.test(conditions)) problems.push(`${node['Node Type']} of ${table} without its project as a value`)
  }
  return problems
}
