declare module 'virtual:destination-schemas' {
  import type { ConfigSchema } from './exports/config-schema.ts'

  const schemas: Record<string, ConfigSchema>
  export default schemas
}
