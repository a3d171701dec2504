import { PassThrough, type Transform } from 'node:stream'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import type { Encoder, EncoderOptions } from './format.ts'

/** Of eleven: the text shrinks nearly as far in a tenth of the time. */
const BROTLI_QUALITY = 5
const GZIP_LEVEL = 6
const LINE_BREAK = Buffer.from('\n')

export function openJsonLines({ compression, take }: EncoderOptions): Encoder {
  const stream = compressor(compression)
  let bytes = 0
  // Counted where they come out: a listener for data would set the stream going at a pace of its own.
  const push = stream.push.bind(stream)
  stream.push = (chunk) => {
    bytes += chunk?.length ?? 0
    return push(chunk)
  }
  const taken = take(stream)
  taken.catch((error) => stream.destroy(error))
  // Without a listener an error that nobody waits for would end the process; `write` and `close` report it.
  stream.on('error', () => undefined)

  // Until it is through the compressor: what `bytes` says after a page is the same in every attempt, however fast.
  const put = async (chunk: Buffer): Promise<void> => {
    const through = new Promise<void>((done, fail) => {
      stream.write(chunk, (error) => (error ? fail(error) : done()))
    })
    // Whoever takes the bytes knows why they are taken no more; the stream may not even hear of it.
    await Promise.race([through.catch(() => taken), taken])
  }
  return {
    write: async ({ text }) => {
      await put(text)
      await put(LINE_BREAK)
    },
    bytes: () => bytes,
    close: async () => {
      stream.end()
      await taken
    },
    abort: async () => {
      stream.destroy(new Error('aborted'))
      await taken.catch(() => undefined)
    },
  }
}

function compressor(compression: EncoderOptions['compression']): Transform {
  if (compression === 'gzip') return createGzip({ level: GZIP_LEVEL })
  if (compression === 'brotli')
    return createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
  return new PassThrough()
}
