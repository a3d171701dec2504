/** The programs of child processes. The build bundles each into one file, so they start quickly. */
export const PROCESSES = {
  'reader-process': 'src/events/reader-process.ts',
  'mirror-process': 'src/mirror/mirror-process.ts',
  'segment-process': 'src/mirror/segment-process.ts',
  'parser-process': 'src/events/parser-process.ts',
  'deliver-process': 'src/exports/deliver-process.ts',
  'sandbox-process': 'src/plugins/runtime/sandbox-process.ts',
  'password-process': 'src/auth/password-process.ts',
  'saml-process': 'src/signin/saml-process.ts',
  'backup-process': 'src/backups/backup-process.ts',
}
