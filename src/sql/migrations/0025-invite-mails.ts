import type { ColumnTypes } from '../column-types.ts'

/**
 * The email that contains an invite, and the last invite email of an organization to each mailbox. A mailbox is a hash of the
 * organization and the address without its variable parts. There is no foreign key: the emails of deleted invites count too.
 * Invites that exist already share no email.
 */
export default (d: ColumnTypes): string => `
alter table invites add column mailbox_hash ${d.text};
alter table invites add column mail_id ${d.text};
update invites set mailbox_hash = id;
create index invites_to_mailbox on invites (mailbox_hash);

create table invite_mails (
  mailbox_hash ${d.text} primary key,
  mail_id ${d.text} not null,
  sent_at ${d.text} not null
) ${d.strict};
create index invite_mails_by_age on invite_mails (sent_at);

create index made_invites_of_organization on made_invites (organization_id, created_at);
create index made_invites_of_inviter on made_invites (inviter_id, created_at);
`
