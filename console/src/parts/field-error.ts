import { WorkspaceError } from 'workspace-admin-client'

/** The message of an error about this field; undefined if the error is about something else. */
export const fieldError = (error: unknown, attr: string): string | undefined =>
  error instanceof WorkspaceError && error.attr === attr ? error.detail : undefined

/** The error, unless one of these fields shows it; null if there is none. */
export const errorBeside = (error: unknown, ...attrs: string[]): unknown =>
  error instanceof WorkspaceError && error.attr !== null && attrs.includes(error.attr) ? null : (error ?? null)
