/** How a command ends when it cannot do what it was asked: one sentence, and an exit code that says which kind. */

export const EXIT = {
  failed: 1,
  usage: 2,
  not_authenticated: 3,
  not_allowed: 4,
  not_found: 5,
  refused: 6,
  throttled: 7,
  server_error: 8,
  not_reachable: 9,
} as const

/** The same in a line. */
export const EXIT_CODES_BRIEFLY =
  'Exit codes: 0 done, 1 failed, 2 usage, 3 not authenticated, 4 not allowed, 5 not found, 6 refused, 7 throttled,\n  8 server failed, 9 not reachable'

export const EXIT_CODES = `
Exit codes:
  0  done
  1  failed
  2  wrong usage: an unknown word, a missing or malformed flag
  3  not authenticated: no key, or one that is unknown, revoked or expired
  4  not allowed: the key lacks a scope, or its user a level
  5  not found
  6  refused: the input is not as it should be, or in conflict with what is there
  7  throttled: too many requests, try again later
  8  the server failed
  9  the server cannot be reached`

type Failure = Error & { exit: number }

export const failure = (exit: number, message: string): Failure => Object.assign(new Error(message), { exit })

/** For what the command line itself says wrongly. */
export const usage = (message: string): Failure => failure(EXIT.usage, message)

const EXITS_BY_CODE: Record<string, number> = { not_found: EXIT.not_found }

interface Thrown {
  name?: string
  message?: string
  code?: string
  exit?: number
  path?: string
  address?: string
  port?: number
}

/** The sentence and the exit code for anything thrown. What nobody foresaw says so, and how to see more. */
export function told(thrown: unknown): { exit: number; message: string } {
  const error = thrown as Thrown
  const message = error.message ?? String(thrown)
  if (error.exit !== undefined) return { exit: error.exit, message }
  if (error.name === 'DatabaseFileError') return { exit: EXIT.failed, message }
  if (error.name === 'AppError') return { exit: EXITS_BY_CODE[error.code!] ?? EXIT.failed, message }
  const known = SENTENCES.find(([code]) => code.test(error.code ?? ''))
  if (known) return { exit: EXIT.failed, message: known[1](error) }
  // The program's own refusals are plain errors; those of Node and of libraries carry a code or a kind.
  if (error.name === 'Error' && error.code === undefined) return { exit: EXIT.failed, message }
  return {
    exit: EXIT.failed,
    message: `Something unforeseen happened: ${message} Run it again with LOG_LEVEL=debug to see where.`,
  }
}

const SENTENCES: [code: RegExp, sentence: (error: Thrown) => string][] = [
  [
    /^EADDRINUSE$/,
    ({ address, port }) =>
      `Port ${port} on ${address} is in use. Stop the program that has it, or choose another with --port (0 takes a free one).`,
  ],
  [
    /^(EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN)$/,
    ({ address }) =>
      `The address ${address ?? ''} is not one of this machine's. Choose another with --host, or check the database's.`,
  ],
  [
    /^(EACCES|EPERM|EROFS)$/,
    ({ path, port, address }) =>
      path === undefined
        ? `This user may not listen on port ${port} of ${address}. Choose one above 1023 with --port.`
        : `${path} cannot be written by this user. Change its permissions, or name another place.`,
  ],
  [
    /^(EEXIST|ENOTDIR|EISDIR)$/,
    ({ path }) => `${path} is not what it should be: a file stands where a folder is needed, or the other way round.`,
  ],
  [/^ENOENT$/, ({ path }) => `${path || 'The path'} is not there. Check the spelling.`],
  [/^ENOSPC$|^SQLITE_FULL$/, () => 'The disk is full. Free some space and try again.'],
  [
    /^SQLITE_(NOTADB|CORRUPT)/,
    () =>
      'The database is damaged, or its file is no database. Run `workspace-admin doctor` to see more; restore the last backup into an empty folder.',
  ],
  [
    /^SQLITE_(CANTOPEN|READONLY|PERM)/,
    () => "The database's file cannot be opened or written by this user. Check the permissions of its folder.",
  ],
  [/^SQLITE_BUSY/, () => 'Another program holds the database. Try again in a moment.'],
  [
    /^ERR_INVALID_URL$/,
    () =>
      "The database's URL cannot be read. Write postgres://<user>:<password>@<host>/<database>, special characters percent-encoded.",
  ],
  [/^(28P01|28000)$/, () => "PostgreSQL refuses the name or password in the database's URL. Correct them."],
  [/^3D000$/, () => "PostgreSQL has no database of the name in the database's URL. Create it first with `createdb`."],
  [/^(42501|25006)$/, () => 'PostgreSQL does not allow this user to do that. Grant it, or use another user.'],
]
