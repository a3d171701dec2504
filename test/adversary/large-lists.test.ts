/** Lists of the largest items that the contract accepts. */
import t from 'tap'
import { ENGINES } from '../helpers/app.ts'
import { bySize, figure, inTurn } from '../helpers/assertions/figures.ts'
import { openTarget } from './target.ts'

/** The default page size; a quick run fills a part of the page. */
const ITEMS = bySize({ quick: 10, full: 100 })
const FIELDS = Array.from({ length: 900 }, (_, i) => ({ key: `k${i}`, type: 'string' }))
t.setTimeout(20 * 60_000)

for (const engine of inTurn(ENGINES))
  t.test(`lists of the largest items do not block other requests (${engine})`, async (t) => {
    const target = await openTarget(t, engine)
    const { organization_id, project_id } = target.world
    const organization = `/api/organizations/${organization_id}`
    const project = `/api/projects/${project_id}`
    const create = async (path: string, body: object): Promise<{ id: number }> => {
      const headers = { 'content-type': 'application/json' }
      const { text } = await target.send({ method: 'POST', path, headers, body: JSON.stringify(body) })
      return JSON.parse(text)
    }
    const names = Array.from({ length: 200 }, (_, i) => `${i} `.padEnd(200, '"'))
    for (let i = 0; i < ITEMS; i++) {
      const { id: plugin } = await create(`${organization}/pipeline_destinations/`, {
        name: `Large ${i}`,
        description: '"'.repeat(4_000),
        config_schema: FIELDS,
        metrics: { text: 'x'.repeat(4_000) },
        public_jobs: { text: 'x'.repeat(4_000) },
        capabilities: { text: 'x'.repeat(4_000) },
      })
      const config = Object.fromEntries(FIELDS.map(({ key }) => [key, 'x'.repeat(20)]))
      await create(`${project}/plugin_configs/`, { plugin, config })
      await create(`${project}/batch_exports/`, {
        name: `Large ${i}`,
        interval: 'day',
        hogql_query: `select event from events where event != '${'x'.repeat(9_000)}'`,
        destination: { type: 'NoOp', config: { include_events: names, exclude_events: names } },
      })
    }
    const lists = [
      `${project}/plugin_configs/`,
      `${organization}/pipeline_destinations/`,
      `${organization}/pipeline_destinations/activity/`,
      `${organization}/pipeline_destinations/unused/`,
      `${project}/batch_exports/`,
      `${organization}/batch_exports/`,
    ]
    for (const path of lists)
      await target.attack([{ name: `${ITEMS} items at ${path}`, run: (send) => send({ method: 'GET', path }) }])
    t.strictSame(target.failures, [])
    figure(t, {
      area: 'Malicious input',
      count: ITEMS,
      of: 'plugins, configurations and batch exports of maximum size',
      result: `slowest health check during the lists ${Math.round(target.slowest_ms)} ms (limit ${Math.round(target.limit_ms)} ms)`,
    })
  })
