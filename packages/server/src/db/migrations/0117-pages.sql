create index history_sync_account on history_sync (account_id, wallet);
create index history_sync_running on history_sync (account_id, wallet) where state = 'running';
create index history_sync_failing on history_sync (wallet) where state in ('failed', 'paused');
create index history_set_aside_wallet on history_set_aside (wallet);
-- One account may have nearly all syncs; without it, plans for the others read the whole table.
alter table history_sync alter account_id set (n_distinct = -0.01);
create index address_book_entry_address on address_book_entry (address);
create index snapshot_early_read_at on snapshot_early_read (at);
update snapshot_subscription set next_date = 'infinity'
where next_date > ((expires_at at time zone 'UTC') - interval '1 microsecond')::date;
create index snapshot_subscription_next on snapshot_subscription (next_date);
drop index webhook_delivery_dead;
create index webhook_delivery_state on webhook_delivery (webhook_id, state, id);
create index watch_due on watch (type, (coalesce(checked_at, '-infinity')), address) where address is not null;
create index watch_validator_unknown on watch (validator) where validator is not null and validator_index is null;
create index watch_credits on watch (id) where type = 'credits';
create index portal_user_totp_secret on portal_user (totp_secret_id) where totp_secret_id is not null;
create index portal_user_totp_pending on portal_user (totp_pending_id) where totp_pending_id is not null;
create index webhook_secret on webhook (secret_id);
create index webhook_old_secret on webhook (old_secret_id) where old_secret_id is not null;
create index account_name on account (lower(name) collate "C", id);

-- Sums of an account's lines. `open_since`: the first line that may close into its day; null: there are none.
create table credit_total (
  account_id bigint primary key,
  lines bigint not null,
  available bigint not null,
  spent bigint not null,
  open_since timestamptz
) with (fillfactor = 50);
create index credit_total_open on credit_total (open_since, account_id);

-- Sums up to a line and with it. An account has one for each thousand lines.
create table credit_checkpoint (
  account_id bigint not null,
  line_id bigint not null,
  at timestamptz not null,
  available bigint not null,
  spent bigint not null,
  primary key (account_id, line_id)
);
create index credit_checkpoint_at on credit_checkpoint (account_id, at, line_id);

create view credit_effect as
select id, at, account_id, kind, source_key,
  case 'available'::credit_bucket when credit then amount when debit then -amount else 0 end as available,
  case 'revenue'::credit_bucket when credit then amount when debit then -amount else 0 end as spent
from credit_entry;

insert into credit_total
select account_id, count(*), sum(available), sum(spent),
  min(at) filter (where kind in ('charge', 'hold') and source_key not like 'closing:%')
from credit_effect group by account_id;

insert into credit_checkpoint
select account_id, id, at, available, spent
from (
  select account_id, id, at, row_number() over lines as number,
    sum(available) over lines as available, sum(spent) over lines as spent
  from credit_effect window lines as (partition by account_id order by id)
) line where number % 1000 = 0;

-- Writers hold the locks of their accounts, so that ids of an account grow in the order of commits.
create function credit_line_adds() returns trigger language plpgsql as $$
begin
  if current_setting('coffer.closing', true) = 'on' then
    return null;
  end if;
  with part as (
    select account_id, count(*) as lines, max(id) as line_id, max(at) as at,
      sum(case 'available'::credit_bucket when credit then amount when debit then -amount else 0 end) as available,
      sum(case 'revenue'::credit_bucket when credit then amount when debit then -amount else 0 end) as spent,
      min(at) filter (where kind in ('charge', 'hold')) as open_since
    from added join credit_transfer using (kind) group by account_id
  ), total as (
    insert into credit_total as total (account_id, lines, available, spent, open_since)
    select account_id, lines, available, spent, open_since from part order by account_id
    on conflict (account_id) do update set lines = total.lines + excluded.lines,
      available = total.available + excluded.available, spent = total.spent + excluded.spent,
      open_since = coalesce(total.open_since, excluded.open_since)
    returning account_id, lines, available, spent
  )
  insert into credit_checkpoint (account_id, line_id, at, available, spent)
  select account_id, line_id, at, total.available, total.spent
  from total join part using (account_id)
  where total.lines / 1000 > (total.lines - part.lines) / 1000;
  return null;
end $$;
create trigger credit_line_added after insert on credit_line referencing new table as added
  for each statement execute function credit_line_adds();

create or replace function credit_grant(p_account_id bigint, p_amount bigint, p_reference text) returns boolean
language plpgsql as $$
declare
  p_key text := 'grant:' || p_account_id || ':' || p_reference;
begin
  perform credit_lock(array[p_account_id]);
  insert into credit_line (account_id, amount, kind, source_key)
    values (p_account_id, p_amount, 'grant', p_key) on conflict (source_key) do nothing;
  if not found then
    perform 1 from credit_line where source_key = p_key and amount = p_amount;
    if not found then
      raise exception 'grant reference used with another amount' using errcode = 'unique_violation';
    end if;
    return false;
  end if;
  update credit_account set available = available + p_amount where account_id = p_account_id;
  if not found then
    raise exception 'no such account' using errcode = 'foreign_key_violation';
  end if;
  return true;
end $$;

-- As before, and keeps the sums. After the last lines, `open_since` is the first that still may close.
create or replace function credit_close_lines(
  p_account bigint, p_after bigint, p_before timestamptz, p_at_most integer, out looked bigint, out closed integer
) language plpgsql as $$
declare
  called text[];
  held bigint[];
  keys text[];
  first_line bigint;
  last_line bigint;
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
    update credit_total set open_since = (
      select at from credit_line left join credit_charge on credit_charge.id = charge_id
      where credit_line.account_id = p_account and credit_line.source_key not like 'closing:%'
        and (kind = 'charge' or kind = 'hold' and source = 'request')
      order by credit_line.id limit 1
    ) where account_id = p_account;
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
  select min(id), max(id) into first_line, last_line from credit_line where source_key = any(keys);
  perform set_config('coffer.closing', 'on', true);
  with gone as (
    delete from credit_line where source_key = any(keys) returning id, at, amount, kind
  ), sums as (
    insert into credit_line (id, at, account_id, amount, kind, source_key) overriding system value
    select min(id), min(at), p_account, sum(amount), kind,
      'closing:' || p_account || ':' || (at at time zone 'UTC')::date || ':' || kind
    from gone group by (at at time zone 'UTC')::date, kind
    returning id, amount, kind
  ), moved as (
    select id, case 'available'::credit_bucket when credit then amount when debit then -amount else 0 end as available,
      case 'revenue'::credit_bucket when credit then amount when debit then -amount else 0 end as spent
    from (select id, -amount as amount, kind from gone union all select id, amount, kind from sums) change
      join credit_transfer using (kind)
  )
  update credit_checkpoint as checkpoint
    set available = available + (select sum(available) from moved where id <= line_id),
      spent = spent + (select sum(spent) from moved where id <= line_id)
    where account_id = p_account and line_id >= first_line and line_id < last_line;
  perform set_config('coffer.closing', 'off', true);
  delete from credit_checkpoint as checkpoint
    where account_id = p_account and line_id between first_line and last_line and not exists (
      select from credit_line where credit_line.account_id = p_account and id = line_id);
  delete from credit_charge where id = any(held);
end $$;

alter view credit_violation rename to credit_line_violation;
create view credit_violation as
select invariant, subject, detail from credit_line_violation
union all
select 'totals are the sums of the lines', 'account ' || account_id,
  (total.available, total.spent)::text || ' but lines say ' || (line.available, line.spent)::text
from credit_total as total full join (
  select account_id, sum(available) as available, sum(spent) as spent from credit_effect group by account_id
) as line using (account_id)
where (total.available, total.spent) is distinct from (line.available, line.spent)
union all
select 'a checkpoint is the sum up to its line', 'line ' || line_id,
  (checkpoint.available, checkpoint.spent)::text || ' but lines say ' || (line.available, line.spent)::text
from credit_checkpoint as checkpoint left join (
  select account_id, id as line_id, sum(available) over lines as available, sum(spent) over lines as spent
  from credit_effect window lines as (partition by account_id order by id)
) as line using (account_id, line_id)
where (checkpoint.available, checkpoint.spent) is distinct from (line.available, line.spent);

-- The portal shows days.
create table usage_day (
  account_id bigint not null references account,
  day date not null,
  key_id bigint not null references api_key,
  endpoint text not null,
  outcome text not null check (outcome in ('ok', 'input', 'access', 'credits', 'rate', 'busy', 'failed')),
  requests bigint not null check (requests > 0),
  credits bigint not null check (credits >= 0),
  primary key (account_id, day, key_id, endpoint, outcome)
);
create index usage_day_day on usage_day (day);
comment on table usage_day is 'Statistics: a process that is killed loses its last seconds. Money is in credit_line alone.';
insert into usage_day
select account_id, (hour at time zone 'UTC')::date, key_id, endpoint, outcome, sum(requests), sum(credits)
from usage_hour group by 1, 2, 3, 4, 5;
drop table usage_hour;
