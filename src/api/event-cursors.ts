/** The cursors of lists of events. */
import { invalid } from '../errors.ts'
import type { ListCursor } from '../events/list.ts'
import type { TailCursor } from '../events/tail.ts'

const encodeCursor = (position: string): string => Buffer.from(position).toString('base64url')
const decodeCursor = (cursor: string): string => Buffer.from(cursor, 'base64url').toString()

export const positionCursor = ({ timestamp, uuid }: ListCursor): string => encodeCursor(`${timestamp}_${uuid}`)
export const offsetCursor = (offset: number): string => encodeCursor(String(offset))
export const tailCursor = ({ position, seq }: TailCursor): string => encodeCursor(`${position}_${seq}`)

export function parseTailCursor(cursor: string): TailCursor {
  const [, position, seq] = /^(\d{1,15})_(\d{1,15})$/.exec(decodeCursor(cursor)) ?? []
  if (position === undefined || seq === undefined)
    throw invalid('cursor', 'This cursor is not valid. Send the "cursor" of a response.')
  return { position: Number(position), seq: Number(seq) }
}

const invalidCursor = () => invalid('cursor', 'This cursor is not valid. Request the whole URL from "next".')

/** Selected rows have no stable position, so their cursor is an offset. */
export function parseOffset(cursor: string): number {
  const text = decodeCursor(cursor)
  if (!/^\d{1,15}$/.test(text)) throw invalidCursor()
  return Number(text)
}

export function parsePosition(cursor: string): ListCursor {
  const [, timestamp, uuid] = /^(-?\d{1,17})_([0-9a-f-]{36})$/.exec(decodeCursor(cursor)) ?? []
  if (timestamp === undefined || uuid === undefined) throw invalidCursor()
  return { timestamp: Number(timestamp), uuid }
}
