import { Buffer, copyOf } from './buffer.ts'
import { zip } from './host.ts'
import { queueMicrotask } from './promises.ts'
import type { AnyFunction } from './values.ts'

/** A function that returns the result, and one that passes it to a callback. */
function functionsOf(name: string): [string, AnyFunction][] {
  const work = (data: unknown): Buffer => new Buffer(zip(copyOf(data).buffer, name))
  const withCallback = (data: unknown, ...rest: unknown[]): void => {
    const done = rest.at(-1) as AnyFunction
    queueMicrotask(() => {
      let result: Buffer
      try {
        result = work(data)
      } catch (error) {
        return done(error)
      }
      done(null, result)
    })
  }
  return [
    [`${name}Sync`, work],
    [name, withCallback],
  ]
}

export const zlib = Object.fromEntries(
  ['gzip', 'gunzip', 'deflate', 'inflate', 'deflateRaw', 'inflateRaw'].flatMap(functionsOf),
)
