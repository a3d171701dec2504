import type { ColumnTypes } from '../column-types.ts'

/** The plugin configurations that captured an event, separated by commas. Null for events of clients. */
export default (d: ColumnTypes): string => `alter table events add column origin ${d.text};`
