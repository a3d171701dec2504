/** How the tables spread over the nodes of a cluster such as Citus: by project where there is much, on one node where not. */
import type { Table } from './tables.ts'

/** Everything that is asked of the large tables is asked of one project. */
export const DISTRIBUTION_COLUMN = 'project_id'

/** Keyed by project and more: as many rows as somebody sends. What has one row for each project stays together. */
export const isDistributed = ({ key }: Table): boolean => key[0] === DISTRIBUTION_COLUMN && key.length > 1

/** What would make a cluster refuse to spread these tables, a sentence each. */
export const obstacles = (tables: readonly Table[]): string[] =>
  tables.flatMap(({ name, unique, references, ...rest }) => {
    const spread = isDistributed({ name, unique, references, ...rest })
    const elsewhere = references.filter(
      (to) => spread || tables.some((table) => table.name === to && isDistributed(table)),
    )
    return [
      ...elsewhere.map((to) => `A foreign key of ${name} points to ${to}.`),
      ...unique
        .filter((columns) => spread && !columns.includes(DISTRIBUTION_COLUMN))
        .map((columns) => `A unique index of ${name} is over ${columns.join(', ')}, without ${DISTRIBUTION_COLUMN}.`),
    ]
  })

/** For psql on the coordinator; each table is named once. Throws where the tables cannot be spread. */
export function distributionScript(tables: readonly Table[]): string {
  const found = obstacles(tables)
  if (found.length) throw new Error(`These tables cannot be spread over nodes. ${found.join(' ')}`)
  const [first, ...others] = tables.filter(isDistributed).map(({ name }) => name)
  return [
    'begin;',
    `select create_distributed_table('${first}', '${DISTRIBUTION_COLUMN}');`,
    ...others.map(
      (name) => `select create_distributed_table('${name}', '${DISTRIBUTION_COLUMN}', colocate_with => '${first}');`,
    ),
    'commit;',
    '-- These stay on the coordinator as they are:',
    ...tables.filter((table) => !isDistributed(table)).map(({ name }) => `--   ${name}`),
  ].join('\n')
}
