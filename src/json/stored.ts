/** Parses JSON that a statement of this program wrote. Its type is known, so it is not checked again. */
export function storedJson<T>(text: string): T {
  return JSON.parse(text)
}
