/** The parts of JSON Schema that the contract uses for destination configs. */
export interface FieldSchema {
  type?: string | string[]
  description?: string
  enum?: (string | number | null)[]
  const?: unknown
  default?: unknown
  format?: string
  writeOnly?: boolean
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  maxItems?: number
  items?: FieldSchema
  oneOf?: FieldSchema[]
  anyOf?: FieldSchema[]
}

export interface ConfigSchema {
  title?: string
  description?: string
  required?: string[]
  properties?: Record<string, FieldSchema>
  allOf?: ConfigSchema[]
}
