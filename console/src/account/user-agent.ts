/** In the order of the checks: many browsers also name those that they descend from. */
const BROWSERS: [name: string, pattern: RegExp][] = [
  ['Edge', /\bEdg(e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(Firefox|FxiOS)\//],
  ['Chrome', /\b(Headless)?(Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
  ['curl', /^curl\//],
]

const SYSTEMS: [name: string, pattern: RegExp][] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['Mac', /\bMac OS X\b|\bMacintosh\b/],
  ['Linux', /\bLinux\b|\bX11\b/],
]

const nameIn = (list: [string, RegExp][], text: string): string | undefined =>
  list.find(([, pattern]) => pattern.test(text))?.[0]

/** For example "Firefox on Windows". A client that is not known is named by its own first words. */
export function deviceName(user_agent: string): string {
  const text = user_agent.slice(0, 500)
  const [browser, system] = [nameIn(BROWSERS, text), nameIn(SYSTEMS, text)]
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? (text.split(/[\s/(]/)[0]?.slice(0, 60) || 'Unknown device')
}
