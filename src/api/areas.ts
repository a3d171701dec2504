import type { AreaName } from '../contract/operations.ts'
import type { Deps } from '../deps.ts'
import { activity_log } from './activity_log.ts'
import { alerts } from './alerts.ts'
import { api_keys } from './api_keys.ts'
import { batch_export_backfills } from './batch_export_backfills.ts'
import { batch_export_runs } from './batch_export_runs.ts'
import { batch_exports } from './batch_exports.ts'
import { capture } from './capture.ts'
import { domains } from './domains.ts'
import { events } from './events.ts'
import { instance } from './instance.ts'
import { integrations } from './integrations.ts'
import { invites } from './invites.ts'
import { members } from './members.ts'
import { organizations } from './organizations.ts'
import { password_reset } from './password_reset.ts'
import { persons } from './persons.ts'
import { pipelinePlugins } from './pipeline_plugins.ts'
import { plugin_configs } from './plugin_configs.ts'
import { plugin_failed_deliveries } from './plugin_failed_deliveries.ts'
import { plugin_test_events } from './plugin_test_events.ts'
import { project_batch_exports } from './project_batch_exports.ts'
import { organization_projects, projects } from './projects.ts'
import { query } from './query.ts'
import { service } from './service.ts'
import { session } from './session.ts'
import { signup } from './signup.ts'
import { sso } from './sso.ts'
import { two_factor } from './two_factor.ts'
import { users } from './users.ts'

/** The handlers of every area of the contract. A missing or unknown area does not compile. */
export const areas = (deps: Deps) =>
  ({
    organizations: organizations(deps),
    projects: projects(deps),
    organization_projects: organization_projects(deps),
    members: members(deps),
    invites: invites(deps),
    signup: signup(deps),
    domains: domains(deps),
    activity_log: activity_log(deps),
    alerts: alerts(deps),
    users: users(deps),
    session: session(deps),
    password_reset: password_reset(deps),
    two_factor: two_factor(deps),
    sso: sso(deps),
    api_keys: api_keys(deps),
    batch_exports: batch_exports(deps),
    project_batch_exports: project_batch_exports(deps),
    batch_export_runs: batch_export_runs(deps),
    batch_export_backfills: batch_export_backfills(deps),
    integrations: integrations(deps),
    capture: capture(deps),
    events: events(deps),
    persons: persons(deps),
    query: query(deps),
    pipeline_destinations: pipelinePlugins(deps, 'pipeline_destinations'),
    pipeline_frontend_apps: pipelinePlugins(deps, 'pipeline_frontend_apps'),
    pipeline_import_apps: pipelinePlugins(deps, 'pipeline_import_apps'),
    plugin_configs: plugin_configs(deps),
    plugin_failed_deliveries: plugin_failed_deliveries(deps),
    plugin_test_events: plugin_test_events(deps),
    instance: instance(deps),
    service: service(deps),
  }) satisfies Record<AreaName, object>
