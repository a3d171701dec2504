/** Finds the rare entries of an item, a user or an area among a million others. */
export default (): string => `
create index activity_log_of_item on activity_log (organization_id, item_id, created_at, id);
create index activity_log_of_actor on activity_log (organization_id, user_uuid, created_at, id);
create index activity_log_of_area on activity_log (organization_id, area, created_at, id);
`
