import fastJson from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import type { OpenApiSchema } from '../contract/document.ts'
import { contractOf, type Dialect, dereference } from '../contract/table.ts'

type Serialize = (data: unknown) => string

/** By the text of the schema, because many operations return the same one. */
const serializers = new Map<string, Serialize>()

function serializerOf(schema: OpenApiSchema): Serialize {
  const text = JSON.stringify(schema)
  const serialize = serializers.get(text) ?? fastJson(schema)
  serializers.set(text, serialize)
  return serialize
}

const SCALARS = new Set<unknown>(['string', 'integer', 'number', 'boolean', 'null'])

/**
 * Merges unions of scalars into one schema. The serializer writes a scalar the same way for each alternative, but
 * validates it against each one to choose.
 */
function mergeScalarUnions<Node>(node: Node): Node
function mergeScalarUnions(node: unknown): unknown {
  if (Array.isArray(node)) return node.map((child) => mergeScalarUnions(child))
  if (typeof node !== 'object' || node === null) return node
  const { oneOf, anyOf = [] }: OpenApiSchema = node
  const types = (oneOf ?? anyOf).map(({ type }) => type)
  if (types.length && types.every((type) => SCALARS.has(type))) return { type: [...new Set(types)] }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, mergeScalarUnions(value)]))
}

/** Serializes responses by the schemas of a dialect. Serializers are compiled on first use. */
export const serializerCompiler =
  (dialect: Dialect): FastifySerializerCompiler<unknown> =>
  ({ schema }) => {
    let serialize: Serialize | undefined
    return (data) => {
      serialize ??= serializerOf(mergeScalarUnions(dereference(schema as OpenApiSchema, contractOf(dialect).contract)))
      return serialize(data)
    }
  }
