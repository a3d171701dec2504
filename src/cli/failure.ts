/** Errors of commands: one sentence with a remedy, and an exit code for the kind of failure. */
import { hasJsonErrors, note } from './streams.ts'

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
  not_completed: 10,
  interrupted: 130,
} as const

export const EXIT_CODES_SUMMARY = `Exit codes: 0 success, 1 failure, 2 usage, 3 not authenticated, 4 not allowed,
  5 not found, 6 rejected, 7 throttled, 8 server error, 9 not reachable,
  10 a watched run or backfill did not complete, 130 interrupted`

export const EXIT_CODES = `
Exit codes:
  0  success
  1  failure
  2  usage error: an unknown command, a missing, repeated or malformed flag, an
     ambiguous name, or a deletion that is not confirmed
  3  not authenticated: the key is missing, unknown, revoked or expired
  4  not allowed: the key lacks a scope, or its user a membership level
  5  not found
  6  rejected: the input is invalid or conflicts with existing data
  7  throttled: too many requests, retry later
  8  server error
  9  the server is not reachable
 10  a watched run or backfill failed or was cancelled
130  interrupted`

type CommandError = Error & {
  exit: number
  body?: object
  /** When the server accepts the request again. */
  retry_seconds?: number | undefined
}

/** `body` is the body of an error of the server, which --json prints. */
export const commandError = (exit: number, message: string, body?: object): CommandError =>
  Object.assign(new Error(message), { exit, body })

export const usageError = (message: string): CommandError => commandError(EXIT.usage, message)

interface Thrown {
  name?: string
  message?: string
  code?: string
  exit?: number
  body?: object
  retry_seconds?: number
  path?: string
  address?: string
  port?: number
}

/** Prints an error: a sentence, or JSON for programs. Returns the exit code. */
export function reportFailure(thrown: unknown): number {
  const { exit, message } = describeFailure(thrown)
  note(hasJsonErrors() ? jsonError(exit, message, (Object(thrown) as Thrown).body) : message)
  return exit
}

/** Like the errors of a server. The code of an error that the command itself finds names its exit code. */
export function jsonError(exit: number, message: string, body?: object): string {
  const [code = 'failed'] = Object.entries(EXIT).find(([, one]) => one === exit) ?? []
  return JSON.stringify(body ?? { type: 'command_error', code, detail: message, attr: null })
}

/** The sentence and the exit code for any thrown value. */
export function describeFailure(thrown: unknown): {
  exit: number
  message: string
  retry_seconds?: number | undefined
} {
  const error = Object(thrown) as Thrown
  const message = error.message ?? String(thrown)
  if (error.exit !== undefined) return { exit: error.exit, message, retry_seconds: error.retry_seconds }
  if (error.name === 'DatabaseFileError') return { exit: EXIT.failed, message }
  if (error.name === 'AppError') return { exit: error.code === 'not_found' ? EXIT.not_found : EXIT.failed, message }
  const known = SENTENCES.find(([code]) => code.test(error.code ?? ''))
  if (known) return { exit: EXIT.failed, message: known[1](error) }
  // This program throws plain Errors; errors of Node and of libraries have a code or a subclass.
  if (error.name === 'Error' && error.code === undefined) return { exit: EXIT.failed, message }
  return {
    exit: EXIT.failed,
    message: `Unexpected error: ${message} Run it again with LOG_LEVEL=debug to print the stack trace.`,
  }
}

const SENTENCES: [code: RegExp, sentence: (error: Thrown) => string][] = [
  [
    /^EADDRINUSE$/,
    ({ address, port }) =>
      `Port ${port} on ${address} is in use. Stop the other program, or choose another port with --port (0 picks a free one).`,
  ],
  [
    /^(EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN)$/,
    ({ address }) =>
      `The address ${address ?? ''} does not belong to this machine. Choose another with --host, or check the database URL.`,
  ],
  [
    /^(EACCES|EPERM|EROFS)$/,
    ({ path, port, address }) =>
      path === undefined
        ? `This user may not listen on port ${port} of ${address}. Choose a port above 1023 with --port.`
        : `This user cannot write ${path}. Change its permissions, or use another path.`,
  ],
  [
    /^(EEXIST|ENOTDIR|EISDIR)$/,
    ({ path }) => `${path} is a file where a folder is expected, or a folder where a file is expected. Check the path.`,
  ],
  [/^ENOENT$/, ({ path }) => `${path || 'The path'} does not exist. Check the spelling.`],
  [/^ENOSPC$|^SQLITE_FULL$/, () => 'The disk is full. Free some space and retry.'],
  [
    /^SQLITE_(NOTADB|CORRUPT)/,
    () =>
      'The database file is damaged or is not a database. Run `workspace-admin doctor` for details, then restore the last backup into an empty folder.',
  ],
  [
    /^SQLITE_(CANTOPEN|READONLY|PERM)/,
    () => 'This user cannot open or write the database file. Check the permissions of its folder.',
  ],
  [/^SQLITE_BUSY/, () => 'Another process has locked the database. Retry in a moment.'],
  [
    /^ERR_INVALID_URL$/,
    () =>
      'The database URL is malformed. Write postgres://<user>:<password>@<host>/<database> and percent-encode special characters.',
  ],
  [/^(28P01|28000)$/, () => 'PostgreSQL rejected the user or password of the database URL. Correct them.'],
  [/^3D000$/, () => 'The database named in the database URL does not exist. Create it with `createdb`.'],
  [/^(42501|25006)$/, () => 'PostgreSQL denied permission. Grant it to this user, or connect as another user.'],
]
