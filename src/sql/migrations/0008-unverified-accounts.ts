import type { ColumnTypes } from '../column-types.ts'

/**
 * Marks accounts as unverified that were created with an invite secret from an API response. They were created in the same
 * millisecond as their invite was used, and no mailed secret verified them.
 */
export default (_: ColumnTypes): string => `
update users set is_email_verified = false
where is_email_verified is null and exists (select 1 from used_invites i where i.used_at = users.created_at);
`
