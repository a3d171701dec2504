export const MAX_SLUG_LENGTH = 48

/** The name as ASCII letters, digits, hyphens and underscores, for URLs. May be empty. */
export function slugOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[^\x20-\x7e\s]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9_\s-]/g, '')
    .replace(/[\s-]+/g, '-')
    .replace(/^[-_]+|(?<![-_])[-_]+$/g, '')
    .slice(0, MAX_SLUG_LENGTH)
}
