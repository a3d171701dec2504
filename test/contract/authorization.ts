/**
 * What each kind of caller may do with each operation. `authorization.test.ts` sends every combination to a server.
 *
 * The callers, in the order of the columns:
 *
 *   nobody       no key and no session
 *   expired      an expired key of an owner, and an unknown key
 *   deactivated  a key and a session of a deactivated owner
 *   stranger     a key of an owner of another organization
 *   member       a key with the scope `*` of a member (level 1), an administrator (8) and an owner (15)
 *   admin
 *   owner
 *   scope        a key of the owner with only the scope that the contract requires
 *   others       a key of the owner with all scopes except that one
 *   in-org       a key of the owner that is restricted to this organization
 *   in-project   … to this project
 *   org2         … to another organization of the owner
 *   project2     … to a project of that organization
 *   session      a session of the owner with a second factor
 *   old          the same session, two hours after the sign-in
 *   weak         a session of the owner without a second factor, while this organization enforces one
 *   enforced     the key of the owner while this organization enforces a second factor
 *
 * The results:
 *
 *   yes    the caller is authorized; the request may still be invalid
 *   401    not_authenticated or authentication_failed
 *   403    permission_denied
 *   404    not_found, or does_not_exist for an id in the body
 *   2fa    403 two_factor_setup_required
 *   again  403 reauthentication_required
 *   .      not sent
 *
 * Rules that depend on stored data, such as the secrets of a plugin, are in the suites of their areas.
 */
import type { OperationId } from '../../src/contract/operations.ts'

const TABLE = `
                          nobody expired deactivated stranger member admin owner scope others in-org in-project org2 project2 session old   weak  enforced
public                    yes    .       .           yes      .      .     .     .     .      .      .          .    .        .       .     .     .
any key                   401    401     401         yes      yes    yes   yes   yes   yes    yes    yes        yes  yes      yes     yes   yes   yes
own key                   401    401     401         yes      yes    yes   yes   yes   yes    yes    yes        yes  yes      404     404   404   yes
account                   401    401     401         yes      yes    yes   yes   yes   403    yes    yes        yes  yes      yes     yes   yes   yes
profile                   401    401     401         yes      yes    yes   yes   yes   403    403    403        403  403      yes     yes   yes   yes
session                   401    401     401         403      403    403   403   403   403    403    403        403  403      yes     yes   yes   403
session, sensitive        401    401     401         403      403    403   403   403   403    403    403        403  403      yes     again yes   403
new key                   401    401     401         yes      yes    yes   yes   yes   403    403    403        403  403      yes     again 2fa   2fa
key                       401    401     401         404      404    404   yes   yes   403    yes    yes        yes  yes      yes     yes   yes   yes
key, sensitive            401    401     401         404      404    404   yes   yes   403    403    403        403  403      yes     again 2fa   2fa
key to revoke             401    401     401         404      404    404   yes   yes   403    403    403        403  403      yes     again yes   yes
new organization          401    401     401         yes      yes    yes   yes   yes   403    403    403        403  403      yes     yes   yes   yes
new project               401    401     401         404      403    yes   yes   yes   403    yes    404        404  404      yes     yes   2fa   yes
installation              401    401     401         403      403    403   yes   yes   403    yes    403        403  403      yes     yes   2fa   yes
organization member       401    401     401         404      yes    yes   yes   yes   403    yes    404        404  404      yes     yes   2fa   yes
organization admin        401    401     401         404      403    yes   yes   yes   403    yes    404        404  404      yes     yes   2fa   yes
organization admin, sensitive 401 401    401         404      403    yes   yes   yes   403    yes    404        404  404      yes     again 2fa   yes
organization owner, sensitive 401 401    401         404      403    403   yes   yes   403    yes    404        404  404      yes     again 2fa   yes
membership                401    401     401         404      403    yes   yes   yes   403    yes    404        404  404      yes     yes   2fa   yes
invite                    401    401     401         404      403    yes   yes   yes   403    yes    404        404  404      yes     yes   2fa   yes
project member            401    401     401         404      yes    yes   yes   yes   403    yes    yes        404  404      yes     yes   2fa   yes
project admin             401    401     401         404      403    yes   yes   yes   403    yes    yes        404  404      yes     yes   2fa   yes
`

const [header = '', ...lines] = TABLE.trim().split('\n')

export const CALLERS = header.trim().split(/ +/)

/** The results of a kind of operation, by caller. */
export const KINDS = new Map<string, Map<string, string>>(
  lines.map((line) => {
    const words = line.split(/ +/)
    const results = words.slice(-CALLERS.length)
    return [words.slice(0, -CALLERS.length).join(' '), new Map(CALLERS.map((caller, i) => [caller, results[i] ?? '']))]
  }),
)

/** The kind of every operation. A new operation does not compile without one. */
export const OPERATIONS: Record<OperationId, string> = {
  'organizations.list': 'account',
  'organizations.create': 'new organization',
  'organizations.retrieve': 'organization member',
  'organizations.update': 'organization admin',
  'organizations.delete': 'organization owner, sensitive',
  'projects.list': 'account',
  'projects.create': 'new project',
  'projects.retrieve': 'project member',
  'projects.update': 'project admin',
  'projects.delete': 'project admin',
  'projects.reset_token': 'project admin',
  'organization_projects.list': 'organization member',
  'organization_projects.create': 'organization admin',
  'organization_projects.retrieve': 'organization member',
  'organization_projects.update': 'organization admin',
  'organization_projects.delete': 'organization admin',
  'organization_projects.reset_token': 'organization admin',
  'members.list': 'organization member',
  'members.update': 'membership',
  'members.remove': 'membership',
  'invites.list': 'organization member',
  'invites.create': 'invite',
  'invites.bulk': 'organization member',
  'invites.delete': 'organization member',
  'domains.list': 'organization member',
  'domains.create': 'organization admin, sensitive',
  'domains.retrieve': 'organization member',
  'domains.update': 'organization admin, sensitive',
  'domains.delete': 'organization admin, sensitive',
  'domains.verify': 'organization admin, sensitive',
  'alerts.list': 'organization admin',
  'alerts.create': 'organization admin',
  'alerts.retrieve': 'organization admin',
  'alerts.update': 'organization admin',
  'alerts.delete': 'organization admin',
  'alerts.test': 'organization admin',
  'activity_log.list': 'organization admin',
  'users.me': 'any key',
  'users.update': 'profile',
  'users.verify_email': 'public',
  'users.request_email_verification': 'account',
  'two_factor.status': 'session',
  'two_factor.start_setup': 'session, sensitive',
  'two_factor.validate': 'session, sensitive',
  'two_factor.backup_codes': 'session, sensitive',
  'two_factor.disable': 'session, sensitive',
  'session.list': 'session',
  'session.end_others': 'session, sensitive',
  'session.end': 'session, sensitive',
  'session.precheck': 'public',
  'session.create': 'public',
  'session.verify_second_factor': 'public',
  'session.use_link': 'public',
  'session.delete': 'any key',
  'password_reset.request': 'public',
  'password_reset.check': 'public',
  'password_reset.complete': 'public',
  'session.page': 'public',
  'sso.begin': 'public',
  'sso.complete_saml': 'public',
  'sso.complete': 'public',
  'sso.metadata': 'public',
  'api_keys.list': 'account',
  'api_keys.create': 'new key',
  'api_keys.current': 'own key',
  'api_keys.retrieve': 'key',
  'api_keys.update': 'key, sensitive',
  'api_keys.revoke': 'key to revoke',
  'api_keys.roll': 'key, sensitive',
  'signup.retrieve': 'public',
  'signup.accept': 'public',
  'signup.page': 'public',
  'integrations.list': 'organization member',
  'integrations.create': 'organization admin',
  'integrations.retrieve': 'organization member',
  'integrations.update': 'organization admin',
  'integrations.delete': 'organization admin',
  'integrations.test': 'organization member',
  'batch_exports.list': 'organization member',
  'batch_exports.create': 'organization member',
  'batch_exports.test': 'organization member',
  'batch_exports.retrieve': 'organization member',
  'batch_exports.update': 'organization member',
  'batch_exports.delete': 'organization member',
  'batch_exports.backfill': 'organization member',
  'batch_exports.pause': 'organization member',
  'batch_exports.run': 'organization member',
  'batch_exports.unpause': 'organization member',
  'project_batch_exports.list': 'project member',
  'project_batch_exports.create': 'project member',
  'project_batch_exports.test': 'project member',
  'project_batch_exports.preview': 'project member',
  'project_batch_exports.retrieve': 'project member',
  'project_batch_exports.update': 'project member',
  'project_batch_exports.delete': 'project member',
  'project_batch_exports.backfill': 'project member',
  'project_batch_exports.pause': 'project member',
  'project_batch_exports.run': 'project member',
  'project_batch_exports.unpause': 'project member',
  'project_batch_exports.logs': 'project member',
  'batch_export_runs.list': 'project member',
  'batch_export_runs.retrieve': 'project member',
  'batch_export_runs.retry': 'project member',
  'batch_export_runs.cancel': 'project member',
  'batch_export_runs.logs': 'project member',
  'batch_export_backfills.list': 'project member',
  'batch_export_backfills.create': 'project member',
  'batch_export_backfills.estimate': 'project member',
  'batch_export_backfills.retrieve': 'project member',
  'batch_export_backfills.cancel': 'project member',
  'pipeline_destinations.list': 'organization member',
  'pipeline_destinations.create': 'organization member',
  'pipeline_destinations.retrieve': 'organization member',
  'pipeline_destinations.update': 'organization member',
  'pipeline_destinations.delete': 'organization member',
  'pipeline_destinations.check_for_updates': 'organization member',
  'pipeline_destinations.source': 'organization member',
  'pipeline_destinations.update_source': 'organization member',
  'pipeline_destinations.upgrade': 'organization member',
  'pipeline_destinations.activity': 'organization member',
  'pipeline_destinations.exports_unsubscribe_configs': 'organization member',
  'pipeline_destinations.repository': 'organization member',
  'pipeline_destinations.unused': 'organization member',
  'pipeline_frontend_apps.list': 'organization member',
  'pipeline_frontend_apps.create': 'organization member',
  'pipeline_frontend_apps.retrieve': 'organization member',
  'pipeline_frontend_apps.update': 'organization member',
  'pipeline_frontend_apps.delete': 'organization member',
  'pipeline_frontend_apps.check_for_updates': 'organization member',
  'pipeline_frontend_apps.source': 'organization member',
  'pipeline_frontend_apps.update_source': 'organization member',
  'pipeline_frontend_apps.upgrade': 'organization member',
  'pipeline_frontend_apps.activity': 'organization member',
  'pipeline_frontend_apps.exports_unsubscribe_configs': 'organization member',
  'pipeline_frontend_apps.repository': 'organization member',
  'pipeline_frontend_apps.unused': 'organization member',
  'pipeline_import_apps.list': 'organization member',
  'pipeline_import_apps.create': 'organization member',
  'pipeline_import_apps.retrieve': 'organization member',
  'pipeline_import_apps.update': 'organization member',
  'pipeline_import_apps.delete': 'organization member',
  'pipeline_import_apps.check_for_updates': 'organization member',
  'pipeline_import_apps.source': 'organization member',
  'pipeline_import_apps.update_source': 'organization member',
  'pipeline_import_apps.upgrade': 'organization member',
  'pipeline_import_apps.activity': 'organization member',
  'pipeline_import_apps.exports_unsubscribe_configs': 'organization member',
  'pipeline_import_apps.repository': 'organization member',
  'pipeline_import_apps.unused': 'organization member',
  'plugin_configs.list': 'project member',
  'plugin_configs.create': 'project member',
  'plugin_configs.test': 'project member',
  'plugin_configs.retrieve': 'project member',
  'plugin_configs.update': 'project member',
  'plugin_configs.delete': 'project member',
  'plugin_configs.frontend': 'project member',
  'plugin_configs.logs': 'project member',
  'plugin_configs.metrics': 'project member',
  'plugin_configs.start_job': 'project member',
  'plugin_failed_deliveries.list': 'project member',
  'plugin_failed_deliveries.replay_all': 'project member',
  'plugin_failed_deliveries.replay': 'project member',
  'plugin_test_events.list': 'project member',
  'plugin_test_events.create': 'project member',
  'plugin_test_events.run': 'project member',
  'plugin_test_events.retrieve': 'project member',
  'plugin_test_events.update': 'project member',
  'plugin_test_events.delete': 'project member',
  'events.list': 'project member',
  'events.values': 'project member',
  'query.run': 'project member',
  'events.histogram': 'project member',
  'events.tail': 'project member',
  'events.names': 'project member',
  'events.property_names': 'project member',
  'events.retrieve': 'project member',
  'persons.list': 'project member',
  'persons.retrieve': 'project member',
  'persons.delete': 'project admin',
  'capture.capture_get': 'public',
  'capture.capture': 'public',
  'capture.capture_options': 'public',
  'capture.batch_get': 'public',
  'capture.batch': 'public',
  'capture.batch_options': 'public',
  'capture.e_get': 'public',
  'capture.e': 'public',
  'capture.e_options': 'public',
  'capture.i_v0_e_get': 'public',
  'capture.i_v0_e': 'public',
  'capture.i_v0_e_options': 'public',
  'capture.decide': 'public',
  'capture.decide_options': 'public',
  'capture.flags': 'public',
  'capture.flags_options': 'public',
  'capture.array_config': 'public',
  'capture.site_app': 'public',
  'instance.status': 'installation',
  'service.preflight': 'public',
  'service.live': 'public',
  'service.ready': 'public',
  'service.metrics': 'public',
  'service.openapi': 'public',
  'service.docs': 'public',
  'service.docs_script': 'public',
}
