import { PassThrough, type Transform } from 'node:stream'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import type { Encoder, EncoderOptions } from './format.ts'

/** Compresses nearly as well as level 11 in a tenth of the time. */
const BROTLI_QUALITY = 5
const GZIP_LEVEL = 6

export function openJsonLines({ compression, sink }: EncoderOptions): Encoder {
  const stream = compressor(compression)
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

  // Wait for the compressor, so that `bytes` after a page is the same in every attempt.
  const put = async (chunk: Buffer): Promise<void> => {
    const through = new Promise<void>((done, fail) => {
      stream.write(chunk, (error) => (error ? fail(error) : done()))
    })
    // Prefer the error of the sink; the stream may not see it.
    await Promise.race([through.catch(() => stored), stored])
  }
  return {
    write: ({ text }) => put(text),
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

function compressor(compression: EncoderOptions['compression']): Transform {
  if (compression === 'gzip') return createGzip({ level: GZIP_LEVEL })
  if (compression === 'brotli')
    return createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
  return new PassThrough()
}
