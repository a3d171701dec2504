/** Malicious bodies that JSON.stringify cannot produce: compressed, invalid or extremely nested. */
import { gzipSync } from 'node:zlib'
import lz from 'lz-string'
import type { Request, World } from './target.ts'

type MakeBody = (size: number, world: World) => Omit<Request, 'method' | 'path'> & { query?: string }

const MEBIBYTE = 1024 * 1024

const json = (body: string | Buffer, more: Record<string, string> = {}): ReturnType<MakeBody> => ({
  headers: { 'content-type': 'application/json', ...more },
  body,
})
const typed = (type: string, body: string | Buffer, query?: string): ReturnType<MakeBody> => ({
  headers: { 'content-type': type },
  body,
  ...(query && { query }),
})

/** An event with the JSON text in its properties. */
const eventWith = ({ project_token }: World, text: string): string =>
  `{"api_key":"${project_token}","event":"seen","distinct_id":"person","properties":{"text":${text}}}`

/** Cached, because compressing it takes longer than decompressing it. */
let packed: Buffer | undefined
const bomb = (): Buffer => {
  packed ??= gzipSync(Buffer.alloc(200 * MEBIBYTE))
  return packed
}

/** lz-string compresses one megabyte per second. */
const LARGEST_LZ = 1_000_000
const lz64 = (text: string): ReturnType<MakeBody> => typed('text/plain', lz.compressToBase64(text), '?compression=lz64')

const times = (part: string, size: number): string => part.repeat(Math.max(1, Math.floor(size / part.length)))
const nested = (size: number): string => '['.repeat(size / 2) + ']'.repeat(size / 2)
const event = '{"event":"seen","distinct_id":"a"}'

/** Attacks that once blocked the server. They always run with the largest size. */
export const PAST_INCIDENTS = [
  'nested lists',
  'nested lists in a batch of many',
  'many numbers',
  'many empty lists',
  'many keys',
  'many small events',
  'many NaN',
  'NaN and escaped quotes outside of strings',
  'a gzip bomb',
  'compressed nested lists',
  'lz64 of the same symbol',
]

/** Functions by name that create a body of about `size` bytes before compression. */
export const CAPTURE_BODIES: Record<string, MakeBody> = {
  'nested lists': (size) => json(nested(size)),
  'nested lists in an event': (size, world) => json(eventWith(world, nested(size))),
  'unclosed nested lists': (size) => json(times('[', size)),
  'nested objects in an event': (size, world) =>
    json(eventWith(world, `${times('{"a":', size / 2)}1${times('}', size / 10)}`)),
  'nested lists in a batch of many': (size, world) =>
    json(`{"api_key":"${world.project_token}","batch":[${times(`${nested(1_000)},`, size)}1]}`),
  'many numbers': (size, world) => json(eventWith(world, `[${times('1,', size)}1]`)),
  'many empty lists': (size, world) => json(eventWith(world, `[${times('[],', size)}1]`)),
  'many empty objects': (size, world) => json(eventWith(world, `[${times('{},', size)}1]`)),
  'many keys': (size, world) =>
    json(eventWith(world, `{${Array.from({ length: size / 14 }, (_, i) => `"k${i}":1`).join()}}`)),
  'many duplicate keys': (size, world) => json(eventWith(world, `{${times('"a":1,', size)}"a":1}`)),
  'many strings': (size, world) => json(eventWith(world, `[${times('"a",', size)}1]`)),
  'many escapes': (size, world) => json(eventWith(world, `"${times('\\u0061', size)}"`)),
  'many escaped NULs': (size, world) => json(eventWith(world, `"${times('\\u0000', size)}"`)),
  'many escaped surrogates': (size, world) => json(eventWith(world, `"${times('\\ud800', size)}"`)),
  'escaped NULs in many strings': (size, world) => json(eventWith(world, `[${times('"\\u0000",', size)}1]`)),
  'a long number': (size, world) => json(eventWith(world, times('1', size))),
  'many NaN': (size, world) => json(eventWith(world, `[${times('NaN,', size)}1]`)),
  'many infinities': (size, world) => json(eventWith(world, `[${times('-Infinity,', size)}1]`)),
  'NaN and unclosed escaped quotes': (size, world) => json(`{"a":NaN,${eventWith(world, `"${times('\\"', size)}`)}`),
  'NaN and quotes': (size) => json(`NaN${times('"', size)}`),
  'NaN and escaped quotes outside of strings': (size) => json(`NaN${times('\\"', size)}`),
  'NaN in strings': (size, world) => json(eventWith(world, `[NaN,"${times('NaN', size)}"]`)),
  'minus signs and NaN': (size) => json(`${times('-', size)}NaN`),
  'leading spaces': (size) => json(`${times(' ', size)}x`),
  'spaces between tokens': (size, world) => json(eventWith(world, `${times(' \n', size)}1`)),
  'invalid UTF-8': (size) => json(Buffer.alloc(size, 0xff)),
  'almost valid UTF-8': (size, world) =>
    json(Buffer.concat([Buffer.from(eventWith(world, '"')), Buffer.alloc(size, 0xc3)])),
  zeros: (size) => json(Buffer.alloc(size)),
  'many small events': (size, world) =>
    json(`{"api_key":"${world.project_token}","batch":[${times(`${event},`, size)}${event}]}`),
  'many small events, the last one invalid': (size, world) =>
    json(`{"api_key":"${world.project_token}","batch":[${times(`${event},`, size)}{}]}`),
  'many small events without a token': (size) => json(`[${times(`${event},`, size)}${event}]`),
  'many small events with a wrong token': (size) =>
    json(`{"api_key":"phc_wrong","batch":[${times(`${event},`, size)}${event}]}`),
  'many values that are not events': (size, world) =>
    json(`{"api_key":"${world.project_token}","batch":[${times('1,', size)}1]}`),
  'many persons': (size, world) =>
    json(
      `{"api_key":"${world.project_token}","batch":[${Array.from({ length: size / 60 }, (_, i) => `{"event":"$identify","distinct_id":"p${i}","$set":{"a":${i}}}`).join()}]}`,
    ),
  'many properties of a person': (size, world) =>
    json(
      `{"api_key":"${world.project_token}","event":"$set","distinct_id":"person","$set":{${Array.from({ length: size / 14 }, (_, i) => `"k${i}":1`).join()}}}`,
    ),
  elements: (size, world) =>
    json(
      `{"api_key":"${world.project_token}","event":"$autocapture","distinct_id":"a","properties":{"$elements":[${times('{"tag_name":"a"},', size)}{}]}}`,
    ),
  'one element with many attributes': (size, world) =>
    json(
      `{"api_key":"${world.project_token}","event":"$autocapture","distinct_id":"a","properties":{"$elements":[{${Array.from({ length: size / 20 }, (_, i) => `"attr__k${i}":"1"`).join()}}]}}`,
    ),
  'a large compressed text': (size, world) =>
    json(gzipSync(eventWith(world, `"${times('a', size)}"`)), { 'content-encoding': 'gzip' }),
  'a gzip bomb': () => json(bomb(), { 'content-encoding': 'gzip' }),
  'a gzip bomb in a gzip bomb': () => json(gzipSync(gzipSync(bomb())), { 'content-encoding': 'gzip' }),
  'compressed nested lists': (size) => json(gzipSync(nested(size)), { 'content-encoding': 'gzip' }),
  'compressed numbers': (size, world) =>
    json(gzipSync(eventWith(world, `[${times('1,', size)}1]`)), { 'content-encoding': 'gzip' }),
  'compressed NaN': (size, world) =>
    json(gzipSync(eventWith(world, `[${times('NaN,', size)}1]`)), { 'content-encoding': 'gzip' }),
  'truncated gzip': (size) =>
    json(gzipSync(Buffer.from(times('abcdefg', size))).subarray(0, -20), { 'content-encoding': 'gzip' }),
  'base64 of zeros': (size) => typed('text/plain', Buffer.alloc((size / 4) * 3).toString('base64')),
  'base64 of an event': (size, world) =>
    typed('text/plain', Buffer.from(eventWith(world, `"${times('a', (size / 4) * 3)}"`)).toString('base64')),
  'base64 of compressed numbers': (size, world) =>
    typed('text/plain', gzipSync(eventWith(world, `[${times('1,', size)}1]`)).toString('base64')),
  'base64 with spaces': (size) => typed('text/plain', times('QUFB ', size)),
  'almost valid base64': (size) => typed('text/plain', `${times('QUFB', size)}!`),
  'lz64 of a long text': (size, world) => lz64(eventWith(world, `"${times('a', Math.min(size, LARGEST_LZ))}"`)),
  'lz64 of nested lists': (size) => lz64(nested(Math.min(size, LARGEST_LZ))),
  'invalid lz64': (size) => typed('text/plain', times('QUFBQUFB', size), '?compression=lz64'),
  'lz64 of the same symbol': (size) => typed('text/plain', times('/', size), '?compression=lz64'),
  'a form of many fields': (size) => typed('application/x-www-form-urlencoded', times('a=b&', size)),
  'a form of escapes': (size) => typed('application/x-www-form-urlencoded', `data=${times('%41', size)}`),
  'a form of broken escapes': (size) => typed('application/x-www-form-urlencoded', `data=${times('%4', size)}`),
  'a form of plus signs': (size) => typed('application/x-www-form-urlencoded', `data=${times('+', size)}`),
  'a form with an event': (size, world) =>
    typed(
      'application/x-www-form-urlencoded',
      `data=${encodeURIComponent(eventWith(world, '1'))}&x=${times('a', size)}`,
    ),
  'many parts': (size) =>
    typed(
      'multipart/form-data; boundary=x',
      `${times('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n', size)}--x--\r\n`,
    ),
  'an unterminated part': (size) =>
    typed(
      'multipart/form-data; boundary=x',
      `--x\r\nContent-Disposition: form-data; name="data"\r\n\r\n${times('\r\n-', size)}`,
    ),
  'a part with a long header': (size) =>
    typed(
      'multipart/form-data; boundary=x',
      `--x\r\nContent-Disposition: form-data; ${times('a="b"; ', size)}\r\n\r\n`,
    ),
}

/** The same for plain JSON bodies of at most 1 MiB. */
export const JSON_BODIES: Record<string, (size: number) => string> = {
  'nested lists': nested,
  'nested lists in a name': (size) => `{"name":${nested(size)}}`,
  'unclosed lists': (size) => times('[', size),
  'many keys': (size) => `{${Array.from({ length: size / 14 }, (_, i) => `"k${i}":1`).join()}}`,
  'many duplicate keys': (size) => `{${times('"name":1,', size)}"name":1}`,
  'many prototype keys': (size) => `{${times('"__proto__":{},', size)}"name":1}`,
  'escaped NULs': (size) => `{"name":"${times('\\u0000', size)}"}`,
  'escaped surrogates': (size) => `{"name":"${times('\\ud800', size)}"}`,
  'keys of escaped surrogates': (size) => `{${Array.from({ length: size / 16 }, (_, i) => `"\\ud800${i}":1`).join()}}`,
  'unclosed quotes': (size) => `{"name":"${times('\\"', size)}`,
  spaces: (size) => `${times(' ', size)}x`,
  'a long number': (size) => `{"name":${times('1', size)}}`,
}
