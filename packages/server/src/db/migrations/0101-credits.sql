-- Double entry: each line balances by itself. `credit_account` stores sums, so that an overdraft is a check.
create type credit_bucket as enum ('issued', 'available', 'pending', 'revenue');
create type credit_kind as enum ('grant', 'adjust_up', 'adjust_down', 'charge', 'hold', 'post', 'void', 'refund');

-- What each kind of line moves: a line says its kind alone, so that none can contradict it.
create table credit_transfer (
  kind credit_kind primary key,
  debit credit_bucket not null,
  credit credit_bucket not null,
  check (debit <> credit)
);
insert into credit_transfer values
  ('grant', 'issued', 'available'),
  ('adjust_up', 'issued', 'available'),
  ('adjust_down', 'available', 'issued'),
  ('charge', 'available', 'revenue'),
  ('hold', 'available', 'pending'),
  ('post', 'pending', 'revenue'),
  ('void', 'pending', 'available'),
  ('refund', 'revenue', 'available');

-- The upper bound keeps every balance exact as a JSON number. Half-filled pages let balance updates stay on their page.
create table credit_account (
  account_id bigint primary key references account,
  available bigint not null default 0 check (available between 0 and 9007199254740991),
  pending bigint not null default 0 check (pending >= 0)
) with (fillfactor = 50);

create table credit_charge (
  id bigint generated always as identity primary key,
  account_id bigint not null references credit_account,
  source text not null check (source in ('request', 'sync_batch', 'snapshot_term')),
  source_key text not null,
  amount bigint not null check (amount > 0),
  state text not null default 'pending' check (state in ('pending', 'posted', 'voided')),
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  closed_at timestamptz,
  reason text,
  check ((state = 'pending') = (closed_at is null)),
  unique (account_id, source, source_key)
);
create index credit_charge_open on credit_charge (expires_at) where state = 'pending';

-- account_id has no foreign key: accounts are never deleted, and the check would cost more than the insert. This is the
-- table that every paid call waits for: PostgreSQL reads its checks anew for each statement, so they are few and small.
create table credit_line (
  id bigint generated always as identity,
  at timestamptz not null default clock_timestamp(),
  account_id bigint not null,
  amount bigint not null check (amount > 0),
  charge_id bigint,
  kind credit_kind not null,
  source_key text not null unique,
  primary key (account_id, id),
  constraint credit_line_charge check (
    (charge_id is not null) = (kind in ('hold', 'post', 'void')) or charge_id is null and source_key like 'closing:%')
);
create index credit_line_of_charge on credit_line (charge_id) where charge_id is not null;

create view credit_entry as
select l.id, l.at, l.account_id, l.amount, l.charge_id, l.kind, t.debit, t.credit, l.source_key
from credit_line l join credit_transfer t using (kind);

create function credit_line_is_append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('coffer.closing', true) = 'on' then
    return old;
  end if;
  raise exception 'credit_line is append-only';
end $$;
create trigger credit_line_append_only before update or delete on credit_line
  for each row execute function credit_line_is_append_only();
create trigger credit_line_no_truncate before truncate on credit_line
  for each statement execute function credit_line_is_append_only();

-- Locks charges by id, then accounts by id, against deadlocks. Without `patient`, locked accounts are skipped and
-- delay no others.
create function credit_lock(account_ids bigint[]) returns void language plpgsql as $$
begin
  perform 1 from credit_account where account_id = any(account_ids) order by account_id for no key update;
end $$;

-- Locks the accounts, with patience all of them, and returns those that it locked.
create function credit_lock(account_ids bigint[], patient boolean) returns bigint[] language plpgsql as $$
begin
  if patient then
    return array(select account_id from credit_account where account_id = any(account_ids)
      order by account_id for no key update);
  end if;
  return array(select account_id from credit_account where account_id = any(account_ids)
    order by account_id for no key update skip locked);
end $$;

-- True when the lines are new; false when this very grant was made before. Another amount under one reference is an error.
create function credit_grant(p_account_id bigint, p_amount bigint, p_reference text) returns boolean language plpgsql as $$
declare
  p_key text := 'grant:' || p_account_id || ':' || p_reference;
begin
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

-- Many charges, each decided as if they had come one after another in array order. Element i of the result is null when
-- charge i was taken, -1 when its account is locked, else the credits that were available. Accounts that can pay all of
-- their charges, which is nearly always all of them, are processed in one statement.
create function credit_charge_many(account_ids bigint[], amounts bigint[], source_keys text[], patient boolean default true)
returns bigint[] language plpgsql as $$
declare
  refused bigint[] := array_fill(null::bigint, array[cardinality(account_ids)]);
  locked bigint[];
  payers bigint[];
  taken integer;
begin
  locked := credit_lock(account_ids, patient);
  with payer as (
    update credit_account a set available = a.available - r.total
    from (
      select account_id, sum(amount)::bigint as total
      from unnest(account_ids, amounts) as r (account_id, amount) group by account_id
    ) r
    where a.account_id = r.account_id and a.account_id = any(locked) and a.available >= r.total
    returning a.account_id
  ), line as (
    insert into credit_line (account_id, amount, kind, source_key)
    select account_id, r.amount, 'charge', r.source_key
    from unnest(account_ids, amounts, source_keys) as r (account_id, amount, source_key) join payer using (account_id)
    returning account_id
  )
  select count(*), array_agg(distinct account_id) into taken, payers from line;
  if taken = cardinality(account_ids) then
    return refused;
  end if;
  for i in 1 .. cardinality(account_ids) loop
    continue when account_ids[i] = any(coalesce(payers, '{}'));
    if not account_ids[i] = any(locked) then
      perform 1 from credit_account where account_id = account_ids[i];
      if not found then
        raise exception 'no such account' using errcode = 'foreign_key_violation';
      end if;
      refused[i] := -1;
      continue;
    end if;
    update credit_account set available = available - amounts[i]
      where account_id = account_ids[i] and available >= amounts[i];
    if found then
      insert into credit_line (account_id, amount, kind, source_key)
        values (account_ids[i], amounts[i], 'charge', source_keys[i]);
    else
      refused[i] := (select available from credit_account where account_id = account_ids[i]);
    end if;
  end loop;
  return refused;
end $$;

-- Many holds in array order. state: held (charge_id set), insufficient (available set), duplicate (the charge that has the
-- key) or busy (the account is locked).
create function credit_hold_many(
  account_ids bigint[], amounts bigint[], sources text[], source_keys text[], ttl interval, patient boolean default true
) returns table ("position" integer, state text, charge_id bigint, available bigint) language plpgsql as $$
#variable_conflict use_column
declare
  locked bigint[];
  new_charge bigint;
  held boolean;
begin
  locked := credit_lock(account_ids, patient);
  for i in 1 .. cardinality(account_ids) loop
    "position" := i;
    charge_id := null;
    available := null;
    if not account_ids[i] = any(locked) then
      perform 1 from credit_account a where a.account_id = account_ids[i];
      if not found then
        raise exception 'no such account' using errcode = 'foreign_key_violation';
      end if;
      state := 'busy';
      return next;
      continue;
    end if;
    select c.id into charge_id from credit_charge c
      where c.account_id = account_ids[i] and c.source = sources[i] and c.source_key = source_keys[i];
    if found then
      state := 'duplicate';
      return next;
      continue;
    end if;
    update credit_account a set available = a.available - amounts[i], pending = a.pending + amounts[i]
      where a.account_id = account_ids[i] and a.available >= amounts[i];
    held := found;
    select a.available into available from credit_account a where a.account_id = account_ids[i];
    if held then
      insert into credit_charge (account_id, source, source_key, amount, expires_at)
        values (account_ids[i], sources[i], source_keys[i], amounts[i], clock_timestamp() + ttl) returning id into new_charge;
      insert into credit_line (account_id, amount, charge_id, kind, source_key)
        values (account_ids[i], amounts[i], new_charge, 'hold', 'hold:' || new_charge);
      state := 'held';
      charge_id := new_charge;
    else
      state := 'insufficient';
      charge_id := null;
    end if;
    return next;
  end loop;
end $$;

-- Closes those of the charges that are still pending, as 'posted' or 'voided'. Of several closers of one charge exactly one
-- gets it in won; busy are those that it left because they or their account are locked.
create function credit_close(charge_ids bigint[], target text, why text, patient boolean, out won bigint[], out busy bigint[])
language plpgsql as $$
declare
  mine bigint[];
  locked bigint[];
begin
  if patient then
    mine := array(select id from credit_charge where id = any(charge_ids) and state = 'pending'
      order by id for no key update);
  else
    mine := array(select id from credit_charge where id = any(charge_ids) and state = 'pending'
      order by id for no key update skip locked);
  end if;
  locked := credit_lock(array(select account_id from credit_charge where id = any(mine)), patient);
  won := array(select id from credit_charge where id = any(mine) and account_id = any(locked));
  busy := array(select id from credit_charge
    where not patient and id = any(charge_ids) and id <> all(won) and state = 'pending');
  with closed as (
    update credit_charge set state = target, closed_at = clock_timestamp(), reason = why where id = any(won)
    returning id, account_id, amount
  ), moved as (
    update credit_account a set pending = a.pending - c.amount,
      available = a.available + case when target = 'voided' then c.amount else 0 end
    from (select account_id, sum(amount)::bigint as amount from closed group by account_id) c
    where a.account_id = c.account_id
  )
  insert into credit_line (account_id, amount, charge_id, kind, source_key)
    select account_id, amount, id, case when target = 'voided' then 'void' else 'post' end::credit_kind, 'close:' || id
    from closed;
end $$;

-- Voids holds that outlived their time; what is locked is left to the next sweep.
create function credit_sweep(at_most integer) returns integer language plpgsql as $$
begin
  return (select cardinality(won) from credit_close(array(
    select id from credit_charge where state = 'pending' and expires_at < clock_timestamp()
    order by id limit at_most for no key update skip locked
  ), 'voided', 'expired', false));
end $$;

-- Gives back what was charged or posted under these keys, once each; keys that took nothing are passed over.
create function credit_give_back(source_keys text[]) returns integer language plpgsql as $$
declare
  given integer;
begin
  perform credit_lock(array(select account_id from credit_line where source_key = any(source_keys)));
  with line as (
    insert into credit_line (account_id, amount, kind, source_key)
      select account_id, amount, 'refund', 'refund:' || source_key
      from credit_entry where source_key = any(source_keys) and credit = 'revenue'
    on conflict (source_key) do nothing returning account_id, amount
  ), moved as (
    update credit_account a set available = a.available + l.amount
    from (select account_id, sum(amount)::bigint as amount from line group by account_id) l
    where a.account_id = l.account_id
  )
  select count(*) into given from line;
  return given;
end $$;

-- A closing line has the key `closing:account:day:kind` and number and time of its first line. Only complete stories
-- close: a charge with refunds, a hold with its end. Grants, adjustments and one-time payments stay.
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

-- Invariants that valid rows can break together.
create view credit_violation as
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
