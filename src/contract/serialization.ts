import fastJson, { type Schema } from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'
import { contractOf, type Dialect, whole } from './table.ts'

type Write = (data: unknown) => string

/** By the text of their schemas: the answers of many operations have one shape. */
const writers = new Map<string, Write>()

function writerOf(schema: unknown): Write {
  const text = JSON.stringify(schema)
  const write = writers.get(text) ?? (fastJson(schema as Schema) as Write)
  writers.set(text, write)
  return write
}

/** Writes answers as the contract of a dialect shapes them. The writer of an operation is made when it first answers. */
export const serializerCompiler =
  (dialect: Dialect): FastifySerializerCompiler<unknown> =>
  ({ schema }) => {
    let write: Write | undefined
    return (data) => {
      write ??= writerOf(whole(schema, contractOf(dialect).contract))
      return write(data)
    }
  }
