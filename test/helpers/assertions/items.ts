/** Values that must exist. Each throws if there is none. */
import assert from 'node:assert/strict'
import type { Db } from '../../../src/sql/db.ts'
import type { Sql } from '../../../src/sql/template.ts'

export function defined<Value>(value: Value, what = 'a value'): NonNullable<Value> {
  assert.ok(value !== undefined && value !== null, `expected ${what}`)
  return value
}

/** The item of a list that has exactly one. */
export function only<Item>(items: readonly Item[]): Item {
  assert.equal(items.length, 1, 'the number of items')
  return items[0] as Item
}

/** As `items.at(index)`. */
export function itemAt<Item>(items: readonly Item[], index: number): Item {
  assert.ok(items.length > (index < 0 ? -index - 1 : index), `${items.length} items have none at ${index}`)
  return items.at(index) as Item
}

/** The item at an index that continues at the start after the last item. */
export const cycled = <Item>(items: readonly Item[], index: number): Item => itemAt(items, index % items.length)

export const pick = <Item>(items: readonly Item[], random: () => number): Item =>
  itemAt(items, Math.floor(random() * items.length))

/** The row of a query that finds one. */
export const rowOf = async <Row extends object>(db: Pick<Db, 'get'>, query: Sql): Promise<Row> =>
  defined(await db.get<Row>(query), 'a row')

/** The first group of the match, or the match if the pattern has no group. */
export function textAt(pattern: RegExp, text: string): string {
  const match = defined(pattern.exec(text), `a match of ${pattern}`)
  return match[1] ?? match[0]
}
