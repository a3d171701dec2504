/** Standard output and standard error. All text goes through here, so text from outside cannot control the terminal. */

/** Set by `--unsafe-output`. */
let keepsControls = false
let errorsAreJson = false

/** Reads how to print before the words are parsed, because a mistake in them is printed too. */
export function setOutputMode(words: readonly string[]): void {
  const end = words.indexOf('--')
  const flags = end < 0 ? words : words.slice(0, end)
  keepsControls = flags.includes('--unsafe-output')
  errorsAreJson = words[0] === 'api' || flags.some((flag, i) => isJsonFlag(flag, flags[i + 1]))
}

const isJsonFlag = (flag: string, next: string | undefined): boolean =>
  /^--(json|jq|raw)(=|$)/.test(flag) ||
  /^(--output=|-o)(nd)?json$/.test(flag) ||
  ((flag === '--output' || flag === '-o') && (next === 'json' || next === 'ndjson'))

/** Whether errors are JSON on standard error instead of a sentence. */
export const hasJsonErrors = (): boolean => errorsAreJson

const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
  /[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** JSON has tabs and carriage returns only between its tokens, where an escape is not valid. */
const JSON_CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const escapeAll = (text: string, controls: RegExp): string =>
  text.replace(controls, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Escapes control and direction characters except line breaks. */
export const escapeControls = (text: string): string => escapeAll(text, CONTROLS)

/** Text for people. Without --unsafe-output, stored text cannot control the terminal or the order of its characters. */
export const printable = (text: string): string => (keepsControls ? text : escapeControls(text))

/** Writes to standard output. Only a terminal gets text without control characters: files keep the exact bytes. */
export async function write(text: string): Promise<void> {
  // CSV ends its lines with CRLF.
  const safe = process.stdout.isTTY ? printable(text.replaceAll('\r\n', '\n')) : text
  if (!process.stdout.write(safe)) await new Promise((resume) => process.stdout.once('drain', resume))
}

/** Writes JSON. `JSON.stringify` leaves DEL, C1 and direction characters as they are; escaped they mean the same. */
export const writeJson = (text: string): Promise<void> => write(keepsControls ? text : escapeAll(text, JSON_CONTROLS))

/** Prints a line for people, which is safe in a pager too. */
export const print = (text: string): void => console.log(printable(text))

/** Notes for people, which programs that read standard output do not see. */
export const note = (text: string): void => console.error(printable(text))
