declare module 'virtual:destination-schemas' {
  import type { ConfigSchema } from './exports/config-schema.ts'

  const schemas: Record<string, ConfigSchema>
  export default schemas
}

declare module 'virtual:hogql-names' {
  const names: {
    /** Fields by table. */
    tables: Record<string, string[]>
    functions: string[]
    aggregations: string[]
  }
  export default names
}
