/** The formats that `import` reads. The first row of a file decides, unless `--format` does. */
import type { JsonObject } from '../../json/object.ts'
import { amplitude } from './amplitude.ts'
import { mixpanel } from './mixpanel.ts'
import { own } from './own.ts'
import { posthog } from './posthog.ts'
import type { Reader } from './reader.ts'
import { segment } from './segment.ts'

/** In the order of detection: `own` accepts everything. `ndjson` and `csv` are the names of our own format. */
const READERS = { posthog, segment, mixpanel, amplitude, ndjson: own, csv: own } satisfies Record<string, Reader>

export type Format = keyof typeof READERS

export const FORMATS = Object.keys(READERS)

export const isFormat = (text: string): text is Format => Object.hasOwn(READERS, text)

export const readerOf = (format: Format): Reader => READERS[format]

export const detectReader = (row: JsonObject): Reader =>
  Object.values(READERS).find((reader) => reader.matches(row)) ?? own
