/** Loaded into every process of a test run: stores each statement once, by the hash of its text, in STATEMENTS_FOLDER. */
const { createHash } = require('node:crypto')
const { writeFileSync } = require('node:fs')
const { join } = require('node:path')

const folder = process.env.STATEMENTS_FOLDER
const known = new Set()

/** The program writes counts around the statements of its callers. */
const wrapped = (statement) => (statement.strings[0] === 'select count(*) as count ' ? statement.parts[0] : statement)

if (folder)
  globalThis.recordStatement = (engine, text, statement) => {
    const name = `${engine}-${createHash('sha1').update(text).digest('hex')}.json`
    if (known.has(name)) return
    known.add(name)
    try {
      // The longest literal part, as it stands in the source, tells statements of the program from those of tests.
      const { strings } = wrapped(statement)
      const parts = strings.raw ?? strings
      const at = parts.reduce((longest, part, i) => (part.length > parts[longest].length ? i : longest), 0)
      const literal = `${at === 0 ? '`' : '}'}${parts[at]}${at === parts.length - 1 ? '`' : '${'}`
      writeFileSync(join(folder, name), JSON.stringify({ text, literal }), { flag: 'wx' })
    } catch {
      // Another process has stored it, or the run is over.
    }
  }
