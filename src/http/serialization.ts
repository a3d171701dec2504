import fastJson from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import type { OpenApiSchema } from '../contract/document.ts'
import { contractOf, type Dialect, dereference } from '../contract/table.ts'

type Serialize = (data: unknown) => string

/** The serializers by the text of their schema, because many operations return the same one. */
const serializers = new Map<string, Serialize>()

function serializerOf(schema: OpenApiSchema): Serialize {
  const text = JSON.stringify(schema)
  const serialize = serializers.get(text) ?? fastJson(schema)
  serializers.set(text, serialize)
  return serialize
}

/**
 * JSON.stringify writes unions. To choose an alternative, the serializer would validate the value against each one, and
 * compiling these validators for the destinations of an export blocks the event loop for 230 ms.
 */
function withoutUnions<Node>(node: Node): Node
function withoutUnions(node: unknown): unknown {
  if (Array.isArray(node)) return node.map((child) => withoutUnions(child))
  if (typeof node !== 'object' || node === null) return node
  const { oneOf, anyOf }: OpenApiSchema = node
  if (oneOf || anyOf) return {}
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withoutUnions(value)]))
}

/** Serializes responses by the schemas of a dialect. Serializers are compiled on first use. */
export const serializerCompiler =
  (dialect: Dialect): FastifySerializerCompiler<unknown> =>
  ({ schema }) => {
    let serialize: Serialize | undefined
    return (data) => {
      serialize ??= serializerOf(withoutUnions(dereference(schema as OpenApiSchema, contractOf(dialect).contract)))
      return serialize(data)
    }
  }
