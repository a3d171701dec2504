/** Short names of areas. The command understands both, and its help prints the short one. */
export const ALIASES: Record<string, string> = { exports: 'project_batch_exports', runs: 'batch_export_runs' }

export const shortNameOf = (area: string): string =>
  Object.entries(ALIASES).find(([, name]) => name === area)?.[0] ?? area
