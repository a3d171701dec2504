import { PassThrough, type Transform } from 'node:stream'
import { type BrotliCompress, constants, createBrotliCompress, createGzip, type Gzip } from 'node:zlib'
import { freeText } from '../../events/page-memory.ts'
import { type Encoder, type EncoderOptions, endOfLines } from './format.ts'

/** Compresses nearly as well as level 11 in a tenth of the time. */
const BROTLI_QUALITY = 5
const GZIP_LEVEL = 6
/** The output of one call. After each call a compressor waits for this thread, which builds the next page. */
const CHUNK_BYTES = 256 * 1024
/** The share of the maximum size that a compressed file may leave unused. */
const UNUSED_SHARE = 0.03
/** The end of a compressed stream, and what incompressible text adds per byte. Both are upper bounds. */
const END_BYTES = 64
const EXPANSION = 1 / 1024

/**
 * The size of compressed text is unknown until the compressor is flushed. At most as much text as would fit without
 * compression is added between two flushes, so the file never exceeds its maximum. The result does not depend on pages.
 */
export function openJsonLines({ compression, sink, max_bytes = Number.POSITIVE_INFINITY }: EncoderOptions): Encoder {
  const { stream, flush } = compressor(compression)
  let bytes = 0
  // Counted in the transform: a `data` listener would switch the stream to flowing mode.
  const push = stream.push.bind(stream)
  stream.push = (chunk) => {
    bytes += chunk?.length ?? 0
    return push(chunk)
  }
  const stored = sink(stream)
  stored.catch((error) => stream.destroy(error))
  // An unhandled `error` event would end the process. `write` and `close` report the error.
  stream.on('error', () => undefined)
  /** The last write. The next one waits in the stream, so that a compressor can continue at once. */
  let pending: Promise<void> = Promise.resolve()
  let isEmpty = true
  let isFlushed = true

  // Wait for the compressor, so that `bytes` is exact after a flush. Prefer the error of the sink.
  const settle = (step: (done: (error?: Error | null) => void) => void): Promise<void> => {
    const through = new Promise<void>((done, fail) => step((error) => (error ? fail(error) : done())))
    return Promise.race([through.catch(() => stored), stored])
  }
  const room = (): number => {
    const rest = max_bytes - bytes
    if (!flush) return rest
    return rest < UNUSED_SHARE * max_bytes ? 0 : (rest - END_BYTES) / (1 + EXPANSION)
  }
  /** Bytes of text that fit even if they cannot be compressed. */
  let fitting = room()

  return {
    write: async ({ text }) => {
      const { length } = text
      let taken = 0
      while (taken < length) {
        const end = endOfLines(text, taken, fitting, isEmpty)
        if (end > taken) {
          const lines = text.subarray(taken, end)
          await pending
          pending = settle((done) => stream.write(lines, done)).then(() => {
            // A compressor has read them.
            if (flush) freeText(lines)
          })
          // The next write reports the error, or `close`.
          pending.catch(() => undefined)
          isEmpty = false
          isFlushed = false
          fitting -= end - taken
          taken = end
        } else {
          if (!flush || isFlushed) break
          await settle(flush)
          isFlushed = true
          fitting = room()
        }
      }
      return taken
    },
    bytes: () => bytes,
    close: async () => {
      stream.end()
      await stored
    },
    abort: async () => {
      stream.destroy(new Error('aborted'))
      await stored.catch(() => undefined)
    },
  }
}

interface Compressor {
  stream: Transform
  /** Undefined without compression. */
  flush?: (done: () => void) => void
}

function compressor(compression: EncoderOptions['compression']): Compressor {
  if (compression === 'gzip')
    return flushable(createGzip({ level: GZIP_LEVEL, chunkSize: CHUNK_BYTES }), constants.Z_SYNC_FLUSH)
  if (compression === 'brotli')
    return flushable(
      createBrotliCompress({ chunkSize: CHUNK_BYTES, params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
      constants.BROTLI_OPERATION_FLUSH,
    )
  return { stream: new PassThrough() }
}

const flushable = (stream: Gzip | BrotliCompress, kind: number): Compressor => ({
  stream,
  flush: (done) => stream.flush(kind, done),
})
