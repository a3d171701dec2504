import type { Ids } from '../../../src/ids.ts'

/** Predictable ids, in order, the same on both engines. */
export function knownIds(): Ids {
  let last = 0
  const next = (): string => String(++last)
  return {
    uuid: () => `00000000-0000-7000-8000-${next().padStart(12, '0')}`,
    keyValue: () => `phx_known${next().padStart(40, '0')}`,
    keyId: () => `key${next().padStart(8, '0')}`,
    projectToken: () => `phc_known${next().padStart(38, '0')}`,
    webToken: () => `web${next().padStart(40, '0')}`,
    inviteToken: () => `invite${next().padStart(37, '0')}`,
    sessionToken: () => `session${next().padStart(36, '0')}`,
    totpSecret: () =>
      next()
        .padStart(32, 'A')
        .replace(/[0189]/g, 'B'),
    backupCode: () =>
      next()
        .padStart(16, 'a')
        .replace(/(.{4})(?=.)/g, '$1-'),
    challenge: () => `challenge${next().padStart(34, '0')}`,
    webhookSecret: () => `whsec_${Buffer.from(next().padStart(32, '0')).toString('base64')}`,
    slugSuffix: () =>
      next()
        .padStart(4, '0')
        .slice(-4)
        .replace(/\d/g, (digit) => String.fromCharCode(97 + Number(digit))),
  }
}
