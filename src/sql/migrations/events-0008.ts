import type { ColumnTypes } from '../column-types.ts'

/**
 * The columnar mirror. `mirrors` has the projects that a node mirrors. A node may read events once no transaction runs that
 * could delete some without recording them: on PostgreSQL when the horizon has reached `ready_position`. All events below
 * `mirrored_to` are in the segments, which are files of the node. `mirror_deletions` are deleted events that may still be
 * in them. The first was noticed at `deletions_since`.
 */
export default (d: ColumnTypes): string => `
create table mirrors (
  project_id ${d.integer} not null,
  node ${d.text} not null,
  ready_position ${d.integer},
  mirrored_to ${d.integer} not null default 0,
  deletions_since ${d.text},
  seen_at ${d.text} not null,
  primary key (project_id, node)
) ${d.keyed};
create index mirrors_by_node on mirrors (node);

create table mirror_segments (
  project_id ${d.integer} not null,
  node ${d.text} not null,
  from_position ${d.integer} not null,
  to_position ${d.integer} not null,
  file ${d.text} not null,
  events ${d.integer} not null,
  properties ${d.text} not null,
  primary key (project_id, node, from_position)
) ${d.keyed};

create table mirror_deletions (
  project_id ${d.integer} not null,
  node ${d.text} not null,
  position ${d.integer} not null,
  seq ${d.integer} not null,
  primary key (project_id, node, position, seq)
) ${d.keyed};
`
