import fastJson, { type Schema } from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import { contractOf, type Dialect, dereference } from '../contract/table.ts'

type Write = (data: unknown) => string

/** By the text of their schemas: the answers of many operations have one shape. */
const writers = new Map<string, Write>()

function writerOf(schema: unknown): Write {
  const text = JSON.stringify(schema)
  const write = writers.get(text) ?? (fastJson(schema as Schema) as Write)
  writers.set(text, write)
  return write
}

const SCALARS = ['string', 'integer', 'number', 'boolean', 'null']

/**
 * Removes alternatives between scalars. The serializer writes a scalar the same way for each alternative, but
 * validates it against each one to choose.
 */
function withoutScalarUnions(node: any): any {
  if (Array.isArray(node)) return node.map(withoutScalarUnions)
  if (typeof node !== 'object' || node === null) return node
  const types: unknown[] = (node.oneOf ?? node.anyOf ?? []).map(({ type }: { type?: unknown }) => type)
  if (types.length && types.every((type) => SCALARS.includes(type as string))) return { type: [...new Set(types)] }
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withoutScalarUnions(value)]))
}

/** Writes answers as the contract of a dialect shapes them. The writer of an operation is made when it first answers. */
export const serializerCompiler =
  (dialect: Dialect): FastifySerializerCompiler<unknown> =>
  ({ schema }) => {
    let write: Write | undefined
    return (data) => {
      write ??= writerOf(withoutScalarUnions(dereference(schema, contractOf(dialect).contract)))
      return write(data)
    }
  }
