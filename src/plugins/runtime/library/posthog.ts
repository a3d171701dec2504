import { ask } from './host.ts'
import { watchAll, watched } from './promises.ts'

const unavailable = (name: string) => async (): Promise<never> => {
  throw new Error(`posthog.api.${name} is not available in plugins. Use fetch with an API key from the settings.`)
}

export const posthog = {
  capture: watched((event: unknown, properties: unknown = {}) => ask('capture', [{ event, properties }])),
  api: watchAll(Object.fromEntries(['get', 'post', 'put', 'patch', 'delete'].map((name) => [name, unavailable(name)]))),
}
