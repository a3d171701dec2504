import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import { testIntegration } from '../exports/connection-test.ts'
import * as rules from '../exports/integrations.ts'
import { storedJson } from '../json/stored.ts'
import * as store from '../store/integrations.ts'
import type { Area, AreaAccess } from './handler-context.ts'
import { page, paging } from './page.ts'

export const integrations = (deps: Deps): Area<'integrations', store.CountedIntegrationRow> => ({
  subject: ({ params, organization }: AreaAccess<'integrations'>) => rules.get(deps.db, organization.id, params.id),

  operations: {
    'integrations.list': async ({ organization, query, url }) => {
      const { count, rows } = await store.list(deps.db, organization.id, { ...paging(query), kind: query.kind })
      return page({ url, query }, count, rows, serializeIntegration)
    },

    'integrations.create': async ({ actor, organization, body: { name, kind, config } }) =>
      serializeIntegration(await rules.create(deps, actor, organization.id, { name, kind, config: { ...config } })),

    'integrations.retrieve': async ({ subject }) => serializeIntegration(subject),

    'integrations.update': async ({ actor, subject, body = {} }) =>
      serializeIntegration(await rules.update(deps, actor, subject, body)),

    'integrations.delete': ({ actor, subject }) => rules.remove(deps, actor, subject),

    'integrations.test': ({ subject, body = {} }) => testIntegration(deps, subject, body.config ?? {}),
  },
})

/** `config` contains no secrets. */
const serializeIntegration = (row: store.CountedIntegrationRow): components['schemas']['Integration'] => ({
  id: row.id,
  number: row.number,
  name: row.name,
  kind: row.kind,
  config: storedJson(row.config),
  batch_exports_count: row.batch_exports_count,
  created_at: row.created_at,
  last_updated_at: row.last_updated_at,
  secrets_changed_at: row.secrets_changed_at,
})
