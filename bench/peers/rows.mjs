/** Shared by the Node peers: database queries and the key check. */
import { createHash } from 'node:crypto'
import Sqlite from 'better-sqlite3'

const ORGANIZATION = `o.id, o.name, o.slug, o.created_at, o.updated_at, m.level as membership_level,
  o.plugins_access_level, o.is_member_join_email_enabled, o.customer_id, o.enforce_2fa, o.member_count
  from members m join organizations o on o.id = m.organization_id where m.user_id = ?`

export function openRows(file) {
  const db = new Sqlite(file, { readonly: true })
  const key = db.prepare(
    'select k.*, u.id as user_id from api_keys k join users u on u.id = k.user_id where k.value_hash = ? and u.is_active',
  )
  const one = db.prepare(`select ${ORGANIZATION} and o.id = ?`)
  const some = db.prepare(`select ${ORGANIZATION} order by o.created_at, o.id limit ? offset ?`)
  const count = db.prepare('select count(*) as count from members where user_id = ?')
  const projects = db.prepare('select * from projects where organization_id = ? order by id')

  const team = (row) => ({
    id: row.id,
    uuid: row.uuid,
    organization: row.organization_id,
    api_token: row.api_token,
    name: row.name,
    timezone: row.timezone,
    completed_snippet_onboarding: false,
    has_completed_onboarding_for: null,
    ingested_event: Boolean(row.ingested_event),
    is_demo: false,
    access_control: false,
  })
  const organization = (row) => ({
    id: row.id,
    name: row.name,
    slug: row.slug,
    created_at: row.created_at,
    updated_at: row.updated_at,
    membership_level: row.membership_level,
    plugins_access_level: row.plugins_access_level,
    teams: projects.all(row.id).map(team),
    available_product_features: [],
    is_member_join_email_enabled: Boolean(row.is_member_join_email_enabled),
    metadata: '{"instance_tag":"none"}',
    customer_id: row.customer_id,
    enforce_2fa: row.enforce_2fa === null ? null : Boolean(row.enforce_2fa),
    member_count: String(row.member_count),
  })

  return {
    /** The id of the key's user, or undefined for an invalid key. */
    userOf(authorization) {
      const value = /^bearer\s+(\S+)\s*$/i.exec(authorization ?? '')?.[1]
      const found = value && key.get(createHash('sha256').update(value).digest('hex'))
      if (!found || (found.expires_at !== null && found.expires_at <= new Date().toISOString())) return undefined
      const scopes = JSON.parse(found.scopes)
      return scopes.includes('*') || scopes.includes('organization:read') ? found.user_id : undefined
    },
    retrieve(user_id, id) {
      const row = one.get(user_id, id)
      return row && organization(row)
    },
    list(user_id, limit, offset) {
      const total = count.get(user_id).count
      return {
        count: total,
        next: offset + limit < total ? `/api/organizations/?limit=${limit}&offset=${offset + limit}` : null,
        previous: null,
        results: some.all(user_id, limit, offset).map(organization),
      }
    },
  }
}

/** Prints the server's URL for the parent process. */
export const ready = (server) => console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` }))
