/** Distributes the tables over a Citus cluster: large tables by project, the others on the coordinator. */
import type { Table } from './tables.ts'

/** Every query of a large table concerns one project. */
export const DISTRIBUTION_COLUMN = 'project_id'

/** Tables whose key starts with the project and has more columns. A table with one row per project stays local. */
export const isDistributed = ({ key }: Table): boolean => key[0] === DISTRIBUTION_COLUMN && key.length > 1

/** Returns a sentence for each reason why these tables cannot be distributed. */
export const obstacles = (tables: readonly Table[]): string[] =>
  tables.flatMap(({ name, unique, references, ...rest }) => {
    const distributed = isDistributed({ name, unique, references, ...rest })
    const elsewhere = references.filter(
      (to) => distributed || tables.some((table) => table.name === to && isDistributed(table)),
    )
    return [
      ...elsewhere.map((to) => `A foreign key of ${name} points to ${to}.`),
      ...unique
        .filter((columns) => distributed && !columns.includes(DISTRIBUTION_COLUMN))
        .map((columns) => `A unique index of ${name} is over ${columns.join(', ')}, without ${DISTRIBUTION_COLUMN}.`),
    ]
  })

/** Returns a script for psql on the coordinator. Throws when the tables cannot be distributed. */
export function distributionScript(tables: readonly Table[]): string {
  const found = obstacles(tables)
  if (found.length) throw new Error(`These tables cannot be distributed. ${found.join(' ')}`)
  const [first, ...others] = tables.filter(isDistributed).map(({ name }) => name)
  return [
    'begin;',
    `select create_distributed_table('${first}', '${DISTRIBUTION_COLUMN}');`,
    ...others.map(
      (name) => `select create_distributed_table('${name}', '${DISTRIBUTION_COLUMN}', colocate_with => '${first}');`,
    ),
    'commit;',
    '-- Deletes the local copies of the distributed rows:',
    ...[first, ...others].map((name) => `select truncate_local_data_after_distributing_table('${name}');`),
    '-- These stay on the coordinator as they are:',
    ...tables.filter((table) => !isDistributed(table)).map(({ name }) => `--   ${name}`),
  ].join('\n')
}
