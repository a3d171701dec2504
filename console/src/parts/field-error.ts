import { WorkspaceError } from 'workspace-admin-client'

/** The message of an error about this field; undefined if the error is about something else. */
export const fieldError = (error: unknown, attr: string): string | undefined =>
  error instanceof WorkspaceError && error.attr === attr ? error.detail : undefined

/** The error, unless one of these fields shows it; null if there is none. */
export const errorBeside = (error: unknown, ...attrs: string[]): unknown =>
  error instanceof WorkspaceError && error.attr !== null && attrs.includes(error.attr) ? null : (error ?? null)

/** The error of one item of the list `attr`, such as `properties__2__value`. Undefined if the error is about something else. */
export function itemError(error: unknown, attr: string): { index: number; detail: string } | undefined {
  if (!(error instanceof WorkspaceError) || !error.attr?.startsWith(`${attr}__`)) return undefined
  const index = Number.parseInt(error.attr.slice(attr.length + 2), 10)
  return Number.isNaN(index) ? undefined : { index, detail: error.detail }
}
