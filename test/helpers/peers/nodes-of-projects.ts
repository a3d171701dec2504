/** PostgreSQL that behaves like a cluster: the database node of a project can be down. */
import type { Db } from '../../../src/sql/db.ts'
import { isDistributed } from '../../../src/sql/distribution.ts'
import { describeTables } from '../../../src/sql/tables.ts'
import { sql } from '../../../src/sql/template.ts'

export interface ProjectNodes {
  /** Every statement that reads a row of the project in a distributed table fails. */
  lose(project_id: number): Promise<void>
  restore(project_id: number): Promise<void>
}

/** Replaces each distributed table by a view. */
export async function simulateNodes(db: Db): Promise<ProjectNodes> {
  const tables = (await describeTables(db)).filter(isDistributed)
  await db.exec(`
    create table lost_projects (id bigint primary key);
    create function reach(project bigint) returns boolean language plpgsql as $$ begin
      if exists (select 1 from lost_projects where id = project) then
        raise exception 'connection to the remote node 127.0.0.1:9701 failed' using errcode = '08006';
      end if;
      return true;
    end $$;`)
  for (const { name } of tables)
    await db.exec(`
      alter table ${name} rename to stored_${name};
      create view ${name} as select * from stored_${name} where reach(project_id);`)
  return {
    lose: async (id) => void (await db.run(sql`insert into lost_projects (id) values (${id})`)),
    restore: async (id) => void (await db.run(sql`delete from lost_projects where id = ${id}`)),
  }
}
