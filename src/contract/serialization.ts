import fastJson, { type Schema } from 'fast-json-stringify'
import type { FastifySerializerCompiler } from 'fastify/types/schema.js'

/** Writes answers as the contract shapes them. The writer of an operation is made when it first answers. */
export const serializerCompiler: FastifySerializerCompiler<unknown> = ({ schema }) => {
  let write: ((data: unknown) => string) | undefined
  return (data) => {
    write ??= fastJson(schema as Schema)
    return write(data)
  }
}
