/** The documentation matches the code. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import t from 'tap'
import { ERROR_RESPONSES } from '../../src/errors.ts'

t.test('docs/errors.md lists every error code with its status and type', async (t) => {
  const rows = readFileSync('docs/errors.md', 'utf8').matchAll(/^\| (\d{3}) \| (\w+) \| `(\w+)` \|/gm)
  const documented = [...rows].map(([, status, type, code]) => `${code} ${status} ${type}`)
  const expected = Object.entries(ERROR_RESPONSES).map(([code, [status, type]]) => `${code} ${status} ${type}`)
  // A 401 of capture has the code of a 400.
  t.strictSame(documented.sort(), [...expected, 'empty 401 authentication_error'].sort())
})

t.test('every file that the guides name exists', async (t) => {
  const rooms = readdirSync('docs/architecture').map((name) => `docs/architecture/${name}`)
  for (const guide of ['docs/architecture.md', 'CONTRIBUTING.md', ...rooms]) {
    const text = readFileSync(guide, 'utf8').replace(/```[\s\S]*?```/g, '')
    const names = [...text.matchAll(/`([\w./-]+\.(?:ts|md|ya?ml|json))`/g)].flatMap(([, name]) => name ?? [])
    t.ok(names.length > 1, `${guide} names files`)
    for (const name of new Set(names))
      t.ok(
        [name, `src/${name}`].some((path) => existsSync(path)),
        `${guide} names ${name}`,
      )
  }
})
