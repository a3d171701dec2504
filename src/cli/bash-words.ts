/**
 * Splits the line that bash completes, and quotes the candidates for it. Bash replaces only the text after the last break
 * character (`COMP_WORDBREAKS`, usually with @, = and :) or after an open quote, and inserts candidates as they are.
 */

type Quote = '' | "'" | '"'

interface RawWord {
  value: string
  /** The quote that is still open at the end. */
  quote: Quote
  /** The part of the value that bash keeps. */
  kept: string
}

/** Reads a word without its quotes and escapes. It ends at a space outside of quotes, unless the text is one word. */
function readWord(text: string, from: number, breaks: string, isOneWord = false): RawWord & { end: number } {
  const word: RawWord = { value: '', quote: '', kept: '' }
  let at = from
  for (; at < text.length; at++) {
    const character = text[at] ?? ''
    const next = text[at + 1]
    if (word.quote === '' && !isOneWord && /\s/.test(character)) break
    const isEscape = character === '\\' && next !== undefined && word.quote !== "'"
    if (isEscape && (word.quote === '' || '$`"\\'.includes(next))) {
      word.value += next
      at++
    } else if (character === word.quote) {
      word.quote = ''
      word.kept = word.value
    } else if (word.quote === '' && (character === "'" || character === '"')) {
      word.quote = character
      word.kept = word.value
    } else {
      const before = word.value
      word.value += character
      // Readline replaces an @ together with the text after it.
      if (word.quote === '' && breaks.includes(character)) word.kept = character === '@' ? before : word.value
    }
  }
  return { ...word, end: at }
}

/** The words of a line up to the cursor. The last one is empty after a space. */
function splitLine(line: string, breaks: string): RawWord[] {
  const words: RawWord[] = []
  let at = 0
  do {
    while (/\s/.test(line[at] ?? '')) at++
    const word = readWord(line, at, breaks)
    words.push(word)
    at = word.end
  } while (at < line.length)
  return words
}

/** Without the line, such as in a script that calls the function: words that bash has split at break characters. */
function joinPieces(pieces: readonly string[], breaks: string): RawWord[] {
  const isBreak = (piece = ''): boolean => piece !== '' && [...piece].every((character) => breaks.includes(character))
  const joined: string[] = []
  for (const [i, piece] of pieces.entries()) {
    const isPart = i > 0 && (isBreak(piece) || isBreak(pieces[i - 1]))
    if (isPart) joined.push(`${joined.pop() ?? ''}${piece}`)
    else joined.push(piece)
  }
  return joined.map((piece) => readWord(piece, 0, breaks, true))
}

export interface BashWords {
  /** Without quotes and escapes. The last one is the word that is completed. */
  words: string[]
  /** The text that bash inserts for a candidate. Undefined if it does not begin with the word. */
  insertionOf(candidate: string): string | undefined
}

/** `line` begins with the name of the command, `pieces` do not contain it. */
export function readBashWords(breaks: string, line: string, pieces: readonly string[]): BashWords {
  // Quotes end words for bash, but they are read here.
  const separators = breaks.replace(/[\s'"]/g, '')
  const raw = line === '' ? joinPieces(pieces, separators) : splitLine(line, separators).slice(1)
  const current = raw.at(-1) ?? { value: '', quote: '', kept: '' }
  return {
    words: raw.map(({ value }) => value),
    insertionOf: (candidate) =>
      candidate.startsWith(current.value) ? quoteFor(current.quote, candidate.slice(current.kept.length)) : undefined,
  }
}

function quoteFor(quote: Quote, text: string): string {
  if (quote === "'") return text.replaceAll("'", `'\\''`)
  if (quote === '"') return text.replace(/[$`"\\!]/g, '\\$&')
  return text.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&')
}
