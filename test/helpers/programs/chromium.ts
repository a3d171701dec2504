import { spawnSync } from 'node:child_process'
import { type Browser, chromium } from 'playwright-core'

const CANDIDATES = ['chromium', 'chromium-browser', 'google-chrome']
/** Chromium's own requests fail on a closed network. */
const ARGUMENTS = ['--disable-dev-shm-usage', '--disable-background-networking', '--disable-component-update']

/** Starts the Chromium that `CHROMIUM` names, or one on the path. */
export function launchChromium(): Promise<Browser> {
  const found = [process.env.CHROMIUM, ...CANDIDATES].find(
    (name) => name && spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0,
  )
  if (!found)
    throw new Error('No Chromium found. Install one ("apt-get install chromium"), or set CHROMIUM to its path.')
  const executablePath = found.includes('/') ? found : spawnSync('which', [found], { encoding: 'utf8' }).stdout.trim()
  return chromium.launch({ executablePath, args: ARGUMENTS })
}
