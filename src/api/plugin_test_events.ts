import { isUuid, requirePluginAccess } from '../auth/access.ts'
import type { components } from '../contract/openapi.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import * as testEvents from '../plugins/test-events.ts'
import type { PluginConfigRow } from '../store/plugin_configs.ts'
import type { TestEventRow } from '../store/plugin_test_events.ts'
import * as store from '../store/plugin_test_events.ts'
import type { Area } from './handler-context.ts'
import { page, paging } from './page.ts'
import { pluginConfigOf, projectOf } from './plugin_configs.ts'

interface Subject {
  config: PluginConfigRow
  /** Undefined in operations on all test events of the configuration. */
  test: TestEventRow | undefined
}

export const plugin_test_events = (deps: Deps): Area<'plugin_test_events', Subject> => {
  const { db } = deps
  return {
    subject: async (access) => {
      const { plugin_config_id = '', id } = access.params
      const config = await pluginConfigOf(db, access, plugin_config_id)
      if (id === undefined) return { config, test: undefined }
      const test = isUuid(id) ? await store.get(db, config.id, id.toLowerCase()) : undefined
      if (!test) throw notFound()
      return { config, test }
    },
    admit: async (access) =>
      requirePluginAccess(projectOf(access).plugins_access_level, access.operation.plugin_access),

    operations: {
      'plugin_test_events.list': async ({ subject, query, url }) => {
        const { count, rows } = await store.list(db, subject.config.id, paging(query))
        return page({ url, query }, count, rows, serializeTestEvent)
      },

      'plugin_test_events.create': async ({ project: { organization_id }, subject: { config }, body, actor }) =>
        serializeTestEvent(await testEvents.create(deps, { organization_id, config }, body, actor)),

      'plugin_test_events.run': ({ project, subject, body = {} }) =>
        testEvents.run(deps, project, subject.config, body),

      'plugin_test_events.retrieve': async ({ subject }) => serializeTestEvent(testOf(subject)),

      'plugin_test_events.update': async ({ project: { organization_id }, subject, body = {}, actor }) => {
        const place = { organization_id, config: subject.config }
        return serializeTestEvent(await testEvents.update(deps, place, testOf(subject), body, actor))
      },

      'plugin_test_events.delete': ({ project: { organization_id }, subject, actor }) =>
        testEvents.remove(deps, { organization_id, config: subject.config }, testOf(subject), actor),
    },
  }
}

function testOf({ test }: Subject): TestEventRow {
  if (!test) throw notFound()
  return test
}

const serializeTestEvent = ({ event, expected, ...row }: TestEventRow): components['schemas']['PluginTestEvent'] => ({
  ...row,
  event: JSON.parse(event),
  expected: expected === null ? null : JSON.parse(expected),
})
