/** Settings that are files. They are sent in base64 and returned without their contents. */
import { createHash } from 'node:crypto'
import { isJsonObject } from '../json/object.ts'

export interface StoredFile {
  file_name: string
  content_type: string
  /** Base64. */
  contents: string
}

/** A file as responses show it. */
export interface FileInfo {
  file_name: string
  content_type: string
  /** In bytes. */
  size: number
}

const MAX_TEXT_LENGTH = 200
const DEFAULT_TYPE = 'application/octet-stream'

/** Printable: the name and the type may become headers in the code of a plugin. */
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_TEXT_LENGTH && !/[\p{Cc}\u2028\u2029]/u.test(value)

const withoutPadding = (base64: string): string => base64.replace(/={1,2}$/, '')

const isBase64 = (text: string): boolean =>
  withoutPadding(Buffer.from(text, 'base64').toString('base64')) === withoutPadding(text)

/** Describes a valid file if the sent one is invalid. A file without `contents` keeps the stored contents. */
export function describeInvalidFile(value: unknown): string | undefined {
  if (typeof value === 'string') return undefined
  if (!isJsonObject(value)) return 'a file: an object with "file_name", "content_type" and "contents", or base64'
  const { file_name, content_type = DEFAULT_TYPE, contents } = value
  if (!isText(file_name) || file_name === '') return `a file with a "file_name" of 1 to ${MAX_TEXT_LENGTH} characters`
  if (!isText(content_type)) return `a file with a "content_type" of at most ${MAX_TEXT_LENGTH} characters`
  if (contents !== undefined && (typeof contents !== 'string' || !isBase64(contents)))
    return 'a file with "contents" in base64'
  return undefined
}

/** A stored value as a file. A text is base64 or, from older versions, the text of the file. */
export function storedFile(key: string, value: unknown): StoredFile | undefined {
  if (typeof value === 'string') {
    if (value === '') return undefined
    const contents = isBase64(value) ? value : Buffer.from(value).toString('base64')
    return { file_name: key, content_type: DEFAULT_TYPE, contents }
  }
  if (!isJsonObject(value)) return undefined
  const { file_name, content_type = DEFAULT_TYPE, contents } = value
  if (!isText(file_name) || !isText(content_type) || typeof contents !== 'string') return undefined
  return { file_name, content_type: content_type || DEFAULT_TYPE, contents }
}

/** Whether the stored contents stay. */
export const keepsContents = (sent: unknown): sent is Record<string, unknown> =>
  isJsonObject(sent) && sent.contents === undefined

export const fileInfo = (key: string, value: unknown): FileInfo | undefined => {
  const file = storedFile(key, value)
  return file && { file_name: file.file_name, content_type: file.content_type, size: bytesOf(file).length }
}

/** For comparisons: two files of the same name and size may differ. */
export const fileDigest = (file: StoredFile): string => createHash('sha256').update(bytesOf(file)).digest('hex')

const bytesOf = ({ contents }: StoredFile): Buffer => Buffer.from(contents, 'base64')

/** The texts that must not appear in logs. */
export const secretTexts = (key: string, value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  const file = storedFile(key, value)
  return file ? [file.contents, bytesOf(file).toString()] : []
}
