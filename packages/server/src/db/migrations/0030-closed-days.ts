import { type Kysely, sql } from 'kysely'

/** Days of the ledger that are closed: one line a day, account and kind in the place of those of paid calls. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statements of [closing, violations]) await sql.raw(statements).execute(db)
}

/**
 * A closing line has the key `closing:account:day:kind`, the number and the time of the first line that it stands for, and
 * no charge. Only whole stories are closed: a charge with what was given back of it, a hold with its end. Grants and
 * adjustments stay line by line, and so do holds whose key says that something was paid for once.
 */
const closing = `
alter table credit_line drop constraint credit_line_charge;
alter table credit_line add constraint credit_line_charge check (
  (charge_id is not null) = (kind in ('hold', 'post', 'void')) or charge_id is null and source_key like 'closing:%');

create or replace function credit_line_is_append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('coffer.closing', true) = 'on' then
    return old;
  end if;
  raise exception 'credit_line is append-only';
end $$;

-- Closes what came before a moment among the next lines of an account: looked is the last of them, null when there is none,
-- closed is how many lines went. Holds the account's lock, so that nothing is given back meanwhile.
create function credit_close_lines(
  p_account bigint, p_after bigint, p_before timestamptz, p_at_most integer, out looked bigint, out closed integer
) language plpgsql as $$
declare
  called text[];
  held bigint[];
  keys text[];
begin
  perform credit_lock(array[p_account]);
  select max(id), array_agg(source_key) filter (where kind = 'charge'), array_agg(charge_id) filter (where kind = 'hold')
    into looked, called, held
    from (
      select id, at, kind, source_key, charge_id from credit_line
      where account_id = p_account and id > p_after and kind in ('charge', 'hold') and source_key not like 'closing:%'
      order by id limit p_at_most
    ) next_lines where at < p_before;
  closed := 0;
  if looked is null then
    return;
  end if;
  held := array(select id from credit_charge where id = any(held) and source = 'request' and closed_at < p_before);
  keys := array(
    select key from (
      select unnest(called) as key
      union all select 'close:' || id from unnest(held) as id
    ) ends
    where not exists (select from credit_line r where r.source_key = 'refund:' || key and r.at >= p_before)
  );
  held := array(select id from unnest(held) as id where 'close:' || id = any(keys));
  keys := keys || array(select 'hold:' || id from unnest(held) as id) || array(select 'refund:' || key from unnest(keys) as key);
  select count(*) into closed from credit_line where source_key = any(keys);
  -- With the closing lines that their days have already.
  keys := keys || array(
    select distinct 'closing:' || p_account || ':' || (at at time zone 'UTC')::date || ':' || kind
    from credit_line where source_key = any(keys));
  perform set_config('coffer.closing', 'on', true);
  with gone as (
    delete from credit_line where source_key = any(keys) returning id, at, amount, kind
  )
  insert into credit_line (id, at, account_id, amount, kind, source_key) overriding system value
    select min(id), min(at), p_account, sum(amount), kind,
      'closing:' || p_account || ':' || (at at time zone 'UTC')::date || ':' || kind
    from gone group by (at at time zone 'UTC')::date, kind;
  perform set_config('coffer.closing', 'off', true);
  delete from credit_charge where id = any(held);
end $$;
`

const violations = `
create or replace view credit_violation as
with line_sum as (
  select account_id,
    sum(case 'available'::credit_bucket when credit then amount when debit then -amount else 0 end) as available,
    sum(case 'pending'::credit_bucket when credit then amount when debit then -amount else 0 end) as pending
  from credit_entry group by account_id
), open_charge as (
  select account_id, sum(amount) as amount from credit_charge where state = 'pending' group by account_id
), charge_lines as (
  select charge_id, min(account_id) as first_account, max(account_id) as last_account,
    min(amount) as least, max(amount) as most,
    count(*) filter (where kind = 'hold') as holds,
    count(*) filter (where kind = 'post') as posts,
    count(*) filter (where kind = 'void') as voids
  from credit_line where charge_id is not null group by charge_id
), closing_sum as (
  select account_id,
    coalesce(sum(amount) filter (where kind = 'hold'), 0) as held,
    coalesce(sum(amount) filter (where kind in ('post', 'void')), 0) as ended,
    coalesce(sum(amount) filter (where kind in ('charge', 'post')), 0) as taken,
    coalesce(sum(amount) filter (where kind = 'refund'), 0) as refunded
  from credit_line where source_key like 'closing:%' group by account_id
)
select 'available is the sum of its lines' as invariant, 'account ' || account_id as subject,
  coalesce(a.available, 0) || ' but lines say ' || coalesce(l.available, 0) as detail
from credit_account a full join line_sum l using (account_id)
where coalesce(a.available, 0) <> coalesce(l.available, 0)
union all
select 'pending is the sum of its lines', 'account ' || account_id,
  coalesce(a.pending, 0) || ' but lines say ' || coalesce(l.pending, 0)
from credit_account a full join line_sum l using (account_id)
where coalesce(a.pending, 0) <> coalesce(l.pending, 0)
union all
select 'no balance is negative', 'account ' || account_id, available || ' available, ' || pending || ' pending'
from credit_account where available < 0 or pending < 0
union all
select 'pending is the sum of the open charges', 'account ' || account_id,
  coalesce(a.pending, 0) || ' but open charges are ' || coalesce(o.amount, 0)
from credit_account a full join open_charge o using (account_id)
where coalesce(a.pending, 0) <> coalesce(o.amount, 0)
union all
select 'a charge has one hold and the close of its state', 'charge ' || coalesce(c.id, l.charge_id),
  coalesce(c.state, 'no charge') || ' with ' || coalesce(l.holds, 0) || ' hold, ' || coalesce(l.posts, 0) || ' post, '
    || coalesce(l.voids, 0) || ' void'
from credit_charge c full join charge_lines l on l.charge_id = c.id
where c.id is null or l.holds is distinct from 1
  or l.posts is distinct from (c.state = 'posted')::int or l.voids is distinct from (c.state = 'voided')::int
union all
select 'the lines of a charge have its account and amount', 'charge ' || c.id,
  'account ' || c.account_id || ' amount ' || c.amount || ' but lines say account ' || l.first_account || ' to '
    || l.last_account || ', amount ' || l.least || ' to ' || l.most
from credit_charge c join charge_lines l on l.charge_id = c.id
where (l.first_account, l.last_account, l.least, l.most) is distinct from (c.account_id, c.account_id, c.amount, c.amount)
union all
select 'what was issued is available, pending or revenue', 'all accounts', issued || ' issued, ' || held || ' held, '
  || revenue || ' revenue'
from (
  select coalesce(sum(case 'issued'::credit_bucket when debit then amount when credit then -amount else 0 end), 0) as issued,
    coalesce(sum(case 'revenue'::credit_bucket when credit then amount when debit then -amount else 0 end), 0) as revenue
  from credit_entry
) l cross join (select coalesce(sum(available + pending), 0) as held from credit_account) a
where issued <> held + revenue
union all
select 'what is given back was charged', 'line ' || v.id, v.amount || ' given back of ' || coalesce(c.amount, 0)
from credit_line v left join credit_entry c on c.source_key = substr(v.source_key, 8) and c.credit = 'revenue'
where v.kind = 'refund' and v.source_key not like 'closing:%'
  and (c.account_id, c.amount) is distinct from (v.account_id, v.amount)
union all
select 'no hold outlives its time by five minutes', 'charge ' || id, 'expired ' || expires_at
from credit_charge where state = 'pending' and expires_at < clock_timestamp() - interval '5 minutes'
union all
select 'closed holds were posted or voided', 'account ' || account_id, held || ' held, ' || ended || ' posted or voided'
from closing_sum where held <> ended
union all
select 'what closed days gave back was charged', 'account ' || account_id, refunded || ' given back of ' || taken
from closing_sum where refunded > taken
union all
select 'a closing line sums charges', 'line ' || id, kind || ' ' || source_key
from credit_line where source_key like 'closing:%' and kind in ('grant', 'adjust_up', 'adjust_down');
`
