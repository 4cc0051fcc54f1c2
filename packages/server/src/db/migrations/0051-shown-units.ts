import { type Kysely, sql } from 'kysely'

/** The unit in which movements are shown (interest-bearing and scaled tokens of Token-2022). */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(statements).execute(db)
}

const statements = `
alter table history_movement
  add column multiplier numeric,
  add column multiplier_known boolean not null default true;
comment on column history_movement.multiplier is
  'Shown units per stored unit at that time; null: amounts are shown as they are stored';
comment on column history_movement.multiplier_known is
  'False: the chain does not keep the multiplier of that time, so that the movement has no price';
`
