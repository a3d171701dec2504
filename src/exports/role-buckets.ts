/** S3_ROLE_BUCKETS: the buckets that the exports of an organization may access with the role of the server's machine. */
import { splitList } from '../config.ts'
import type { Db } from '../sql/db.ts'
import * as projects from '../store/projects.ts'

export const roleBucketsOf = (setting: string | undefined, organization_id: string): string[] =>
  splitList(setting ?? '').flatMap((entry) => {
    const [organization, bucket] = entry.split(':', 2)
    return bucket !== undefined && organization?.toLowerCase() === organization_id ? [bucket] : []
  })

export async function roleBucketsOfProject(db: Db, setting: string | undefined, project_id: number): Promise<string[]> {
  if (!setting) return []
  const [organization_id = ''] = await projects.organizationsOf(db, [project_id])
  return roleBucketsOf(setting, organization_id)
}
