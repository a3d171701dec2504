/** Types of an OpenAPI 3.1 document, as far as this program reads it. */
import type { OperationId } from './operations.ts'

export interface Reference {
  $ref: string
}

/** A schema or a reference to one. */
export interface OpenApiSchema {
  $ref?: string
  title?: string
  description?: string
  type?: string | string[]
  format?: string
  pattern?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  items?: OpenApiSchema
  properties?: Record<string, OpenApiSchema>
  required?: string[]
  additionalProperties?: boolean | OpenApiSchema
  unevaluatedProperties?: boolean
  allOf?: OpenApiSchema[]
  anyOf?: OpenApiSchema[]
  oneOf?: OpenApiSchema[]
  discriminator?: { propertyName: string }
  writeOnly?: boolean
  /** The extensions are explained in openapi/README.md. */
  'x-trim'?: boolean
  'x-max-json'?: number
  'x-checked-by-handler'?: boolean
  'x-credential'?: boolean
  'x-unused'?: boolean
  'x-secret-receiver'?: true | { absent?: unknown; if?: string; unless?: string }
}

export interface OpenApiExample {
  summary?: string
  value?: unknown
}

export interface OpenApiMediaType {
  schema: OpenApiSchema
  examples?: Record<string, OpenApiExample | Reference>
}

export interface OpenApiParameter {
  name: string
  in: 'path' | 'query' | 'header'
  description: string
  required?: boolean
  schema: OpenApiSchema
}

export interface OpenApiRequestBody {
  description?: string
  required?: boolean
  content: Record<string, OpenApiMediaType>
}

export interface OpenApiResponse {
  description: string
  headers?: Record<string, { description: string; schema: OpenApiSchema }>
  content?: Record<string, OpenApiMediaType>
}

export interface OpenApiOperation {
  operationId: OperationId
  tags: string[]
  summary: string
  description: string
  deprecated?: boolean
  security?: SecurityRequirement[]
  'x-level'?: number
  'x-plugin-access'?: number
  parameters?: (OpenApiParameter | Reference)[]
  requestBody?: OpenApiRequestBody
  responses: Record<string, OpenApiResponse | Reference>
}

type SecurityRequirement = Record<string, string[]>

export const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'options'] as const

export type OpenApiPathItem = { [Method in (typeof METHODS)[number]]?: OpenApiOperation } & {
  parameters?: (OpenApiParameter | Reference)[]
}

export interface OpenApiDocument {
  openapi: string
  info: { title: string; version: string; summary: string; description: string }
  security: SecurityRequirement[]
  tags: { name: string; description: string }[]
  paths: Record<string, OpenApiPathItem>
  components: {
    schemas: Record<string, OpenApiSchema>
    examples: Record<string, OpenApiExample>
    responses: Record<string, OpenApiResponse>
  }
}
