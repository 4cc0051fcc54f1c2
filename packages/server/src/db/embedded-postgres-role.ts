import pg from 'pg'

/** Owns the database `coffer`, without other rights. */
export const SERVICE_ROLE = 'coffer_service'
const LOCK_WAIT = '30s'

/** Older folders and backups have objects of the superuser, which connects. Requires the data folder's lock. */
export async function giveToService(admin: pg.Client, options: { url: string; password: string }): Promise<void> {
  const { rows } = await admin.query<{ known: boolean; owner: string }>(
    `select exists (select from pg_roles where rolname = $1) as known, pg_get_userbyid(datdba) as owner
      from pg_database where datname = 'coffer'`,
    [SERVICE_ROLE],
  )
  const [state] = rows
  if (!state?.known) await admin.query(`create role ${SERVICE_ROLE}`)
  await admin.query(
    `alter role ${SERVICE_ROLE} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls
      password ${pg.escapeLiteral(options.password)}`,
  )
  if (state?.owner !== SERVICE_ROLE) await admin.query(`alter database coffer owner to ${SERVICE_ROLE}`)
  const inside = new pg.Client({ connectionString: options.url, application_name: 'coffer in use' })
  await inside.connect()
  try {
    await inside.query(`set lock_timeout = '${LOCK_WAIT}'`)
    await inside.query(TAKE_OVER)
  } finally {
    await inside.end()
  }
}

/** Objects of the bootstrap superuser cannot be reassigned as a whole. All or none. */
const TAKE_OVER = `
do $$
declare
  service constant oid := '${SERVICE_ROLE}'::regrole;
  ours constant oid[] := array(select oid from pg_namespace
    where nspname !~ '^pg_' and nspname <> 'information_schema');
  statement text;
begin
  for statement in
    -- The owner of the database owns 'public' already.
    select format('alter schema %I owner to ${SERVICE_ROLE}', nspname) from pg_namespace
      where oid = any (ours) and nspowner not in (service, 'pg_database_owner'::regrole)
    union all
    -- Indexes, and sequences that belong to a column, follow their table.
    select format('alter %s %I.%I owner to ${SERVICE_ROLE}',
        case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence'
          when 'f' then 'foreign table' when 'c' then 'type' else 'table' end,
        nspname, relname)
      from pg_class c join pg_namespace n on n.oid = relnamespace
      where n.oid = any (ours) and relowner <> service and relkind in ('r', 'p', 'v', 'm', 'S', 'f', 'c')
        and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid
          and (deptype = 'e' or relkind = 'S' and deptype in ('a', 'i') and refclassid = 'pg_class'::regclass))
    union all
    select format('alter routine %s owner to ${SERVICE_ROLE}', p.oid::regprocedure) from pg_proc p
      where pronamespace = any (ours) and proowner <> service
        and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = p.oid and deptype in ('i', 'e'))
    union all
    -- Types of rows and arrays follow what they are of.
    select format('alter type %s owner to ${SERVICE_ROLE}', t.oid::regtype) from pg_type t
      where typnamespace = any (ours) and typowner <> service and typtype in ('e', 'd', 'r')
        and not exists (select from pg_depend where classid = 'pg_type'::regclass and objid = t.oid and deptype = 'e')
  loop
    execute statement;
  end loop;
end $$`
