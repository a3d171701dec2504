import { X509Certificate } from 'node:crypto'

/** Reads a certificate from PEM or from bare base64, with or without line breaks. Undefined for anything else. */
export function parseCertificate(text: string): X509Certificate | undefined {
  const base64 = text.replace(/-----(?:BEGIN|END) CERTIFICATE-----/g, '').replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined
  try {
    return new X509Certificate(Buffer.from(base64, 'base64'))
  } catch {
    return undefined
  }
}

/** XML signatures are verified with RSA only. */
export const isRsa = ({ publicKey }: X509Certificate): boolean => publicKey.asymmetricKeyType === 'rsa'
