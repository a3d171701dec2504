/** Site apps: scripts of plugins for the pages of a project. Also serves the frontends of plugins. */
import { createHash } from 'node:crypto'
import type { components } from '../contract/openapi.ts'
import { AppError } from '../errors.ts'
import { storedJson } from '../json/stored.ts'
import type { Db } from '../sql/db.ts'
import * as store from '../store/site_apps.ts'
import type { CodeInspector } from './runtime/sandbox.ts'
import { fieldsOf, siteValues } from './settings.ts'

type SiteApp = components['schemas']['CaptureConfiguration']['siteApps'][number]

/** The site apps of a project, in the order of their configurations. */
export async function list(db: Db, project_id: number): Promise<SiteApp[]> {
  const apps = await store.list(db, project_id)
  return apps.map((app) => ({
    id: app.id,
    url: `/site_app/${app.id}/${app.web_token}/${hashOf(app)}/`,
    type: 'site_app',
  }))
}

export interface SiteAppScript {
  project_id: number
  text: string
  /** Whether the hash is the current one. A URL with another hash may return another script later. */
  isCurrent: boolean
}

/** Throws `missing_site_app_source`, with the same message for every reason. */
export async function script(
  db: Db,
  { plugin_config_id, web_token, hash }: { plugin_config_id: string; web_token: string; hash: string },
): Promise<SiteAppScript> {
  const app = /^[1-9][0-9]{0,14}$/.test(plugin_config_id) ? await store.get(db, Number(plugin_config_id)) : undefined
  if (!app || app.web_token !== web_token)
    throw new AppError({
      code: 'missing_site_app_source',
      detail: 'There is no site app at this URL. Request a URL that `siteApps` of /decide/ lists.',
    })
  const config = siteValues(fieldsOf(app), storedJson(app.config))
  return {
    project_id: app.project_id,
    text: `${app.transpiled}().inject({config:${scriptJson(config)},posthog:window['__$$ph_site_app_${app.id}']})`,
    isCurrent: hash === hashOf(app),
  }
}

/** Times instead of the settings: a hash of settings would let visitors test guesses of their values. */
const hashOf = ({ revision, plugin_updated_at, config_updated_at }: store.SiteAppRow): string =>
  createHash('sha256').update(`${revision} ${plugin_updated_at} ${config_updated_at}`).digest('hex').slice(0, 32)

const ESCAPES: Record<string, string> = { '<': '\\u003c', '\u2028': '\\u2028', '\u2029': '\\u2029' }

/** JSON that is safe in a script, also inside of a page: `</script>` and `<!--` cannot occur. */
const scriptJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[<\u2028\u2029]/g, (character) => ESCAPES[character] ?? character)

/** The ES module of the plugin's frontend, or one that says why there is none. */
export async function frontendModule(db: Db, plugin_id: number): Promise<string> {
  const file = await store.frontend(db, plugin_id)
  if (file?.transpiled) return file.transpiled
  const reason = !file ? { no_frontend: true } : file.error === null ? { transpiling: true } : { error: file.error }
  return `export function getFrontendApp() { return ${scriptJson(reason)} }`
}

/** Transpiles the files that a version without the transpiler stored. */
export async function transpileStored({ db, inspector }: { db: Db; inspector: CodeInspector }): Promise<void> {
  let file = await store.nextUntranspiled(db, { plugin_id: 0, name: '' })
  while (file) {
    const { name } = file
    const { transpiled, errors } = await inspector.inspect({ [name]: file.text })
    const error = errors[name]?.detail ?? (transpiled[name] === undefined ? 'The code cannot be transpiled.' : null)
    await store.setTranspiled(db, file, { transpiled: transpiled[name] ?? null, error })
    file = await store.nextUntranspiled(db, file)
  }
}
