/** Completes fields, functions, tables, keywords and the names of a project in HogQL. */

import names from 'virtual:hogql-names'
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import { syntaxTree } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { property, quoted } from './hogql-text.ts'

export type NameKind = 'event' | 'event property' | 'person property'

/** The names of a project that contain `search`, most used first. */
export type FindNames = (kind: NameKind, search: string) => Promise<string[]>

/** A list of this length may be incomplete, so the next character asks again. */
const COMPLETE_BELOW = 50
const KEYWORDS = [
  ...['SELECT', 'DISTINCT', 'FROM', 'WHERE', 'GROUP BY', 'HAVING', 'ORDER BY', 'LIMIT', 'OFFSET', 'ASC', 'DESC', 'AS'],
  ...['AND', 'OR', 'NOT', 'IN', 'LIKE', 'ILIKE', 'BETWEEN', 'IS NULL', 'IS NOT NULL', 'INTERVAL', 'CASE', 'WHEN'],
  ...['THEN', 'ELSE', 'END', 'NULL', 'TRUE', 'FALSE'],
]

/** Puts the cursor between the parentheses. */
function applyCall(view: EditorView, { label }: Completion, from: number, to: number): void {
  const hasParenthesis = view.state.sliceDoc(to, to + 1) === '('
  view.dispatch({
    changes: { from, to, insert: hasParenthesis ? label : `${label}()` },
    selection: { anchor: from + label.length + 1 },
    userEvent: 'input.complete',
  })
}

const WORDS: Completion[] = [
  ...names.aggregations.map((label) => ({ label, detail: 'aggregation', apply: applyCall, boost: 1 })),
  ...names.functions.map((label) => ({ label, detail: 'function', apply: applyCall })),
  ...KEYWORDS.map((label) => ({ label, detail: 'keyword' })),
]
const TABLES: Completion[] = Object.keys(names.tables).map((label) => ({ label, detail: 'table' }))

const fieldsOf = (table: string): Completion[] =>
  (names.tables[table] ?? []).filter((name) => name !== 'person').map((label) => ({ label, detail: 'field', boost: 2 }))

/** The table of a query that is not complete yet. */
const tableIn = (text: string): string => /\bfrom\s+(persons|sessions)\b/i.exec(text)?.[1]?.toLowerCase() ?? 'events'

export const completion = (findNames: FindNames): Extension =>
  autocompletion({ icons: false, override: [(context) => complete(context, findNames)] })

async function complete(context: CompletionContext, findNames: FindNames): Promise<CompletionResult | null> {
  const { state, pos } = context
  const node = syntaxTree(state).resolveInner(pos, -1)
  if (node.name === 'comment') return null
  const table = tableIn(state.doc.toString())
  const ofRow: NameKind = table === 'persons' ? 'person property' : 'event property'
  if (node.name === 'string' && pos > node.from) return completeString(context, node.from, ofRow, findNames)

  const word = context.matchBefore(/[\w$.]*/)
  const text = word?.text ?? ''
  const from = word?.from ?? pos
  const [, root, start] = /^((?:person\.|events\.)?properties)\.([\w$]*)$/.exec(text) ?? []
  if (root !== undefined && start !== undefined) {
    const found = await findNames(root.startsWith('person.') ? 'person property' : ofRow, start)
    return {
      from: from + root.length,
      options: found.map((name) => ({
        label: property(name),
        displayLabel: name,
        detail: 'property',
      })),
      filter: false,
    }
  }
  if (/\bfrom\s+$/i.test(state.sliceDoc(Math.max(0, from - 100), from)))
    return { from, options: TABLES, validFor: /^\w*$/ }
  if (text === '' && !context.explicit) return null
  return { from, options: [...fieldsOf(table), ...WORDS], validFor: /^[\w$.]*$/ }
}

/** The names of events after `event =` and `event IN (`, and of properties in `properties['`. */
async function completeString(
  { state, pos }: CompletionContext,
  opened: number,
  ofRow: NameKind,
  findNames: FindNames,
): Promise<CompletionResult | null> {
  const before = state.sliceDoc(Math.max(0, opened - 200), opened)
  const kind: NameKind | undefined = /\bevent\s*(?:=|!=|\bin\s*\([^()]*)\s*$/i.test(before)
    ? 'event'
    : /\bperson\.properties\s*\[$/i.test(before)
      ? 'person property'
      : /\bproperties\s*\[$/i.test(before)
        ? ofRow
        : undefined
  if (kind === undefined) return null
  const start = state.sliceDoc(opened + 1, pos)
  const found = await findNames(kind, start)
  const isClosed = state.sliceDoc(pos, pos + 1) === "'"
  return {
    from: opened + 1,
    options: found.map((name) => ({
      label: name,
      detail: kind === 'event' ? 'event' : 'property',
      apply: isClosed ? quoted(name).slice(1, -1) : quoted(name).slice(1),
    })),
    ...(found.length < COMPLETE_BELOW && { validFor: /^[^'\\]*$/ }),
  }
}
