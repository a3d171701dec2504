import type { ColumnTypes } from '../column-types.ts'

/**
 * Accounts made with a secret from an API answer used to say nothing about their address. They were created in the same
 * millisecond as their invite was used, and no mailed secret made them verified.
 */
export default (_: ColumnTypes): string => `
update users set is_email_verified = false
where is_email_verified is null and exists (select 1 from used_invites i where i.used_at = users.created_at);
`
