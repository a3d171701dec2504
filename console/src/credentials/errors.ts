import { WorkspaceError } from '../api.ts'

export const CONFIG_ATTR = 'config__'

/** The error of a setting, by its key. */
export const configErrors = (error: unknown): Record<string, string> =>
  error instanceof WorkspaceError && error.attr?.startsWith(CONFIG_ATTR)
    ? { [error.attr.slice(CONFIG_ATTR.length)]: error.detail }
    : {}
