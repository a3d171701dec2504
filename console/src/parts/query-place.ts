import type { WorkspaceError } from 'workspace-admin-client'

/** The index of the character that an error is about. Undefined if the error has no position. */
export function placeIn(text: string, { position }: WorkspaceError): number | undefined {
  if (position === null) return undefined
  const before = text.split('\n').slice(0, position.line - 1)
  const index = before.reduce((sum, { length }) => sum + length + 1, position.column - 1)
  return Math.min(text.length, index)
}
