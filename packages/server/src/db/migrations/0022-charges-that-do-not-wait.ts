import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * The statements that serve many accounts at once take a last argument: `patient`. Without patience they leave accounts
 * that another transaction has locked as they are, and say so, so that a locked account delays no other one. Locks are
 * still taken in one order, charges by id and then accounts by id.
 */
const moving = `
-- Locks those of the accounts that it can have, all of them with patience, and answers them.
create function credit_lock(account_ids bigint[], patient boolean) returns bigint[] language plpgsql as $$
begin
  if patient then
    return array(select account_id from credit_account where account_id = any(account_ids)
      order by account_id for no key update);
  end if;
  return array(select account_id from credit_account where account_id = any(account_ids)
    order by account_id for no key update skip locked);
end $$;

-- As before; an element of the answer is -1 where nothing was done because the account is locked.
drop function credit_charge_many(bigint[], bigint[], text[]);
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

-- As before; state: also busy, where nothing was done because the account is locked.
drop function credit_hold_many(bigint[], bigint[], text[], text[], interval);
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

-- As before, with two answers: the charges that this call closed, and those that it left because they or their account
-- are locked.
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
drop function credit_close_many(bigint[], text, text);

-- As before; what is locked is left to the next sweep.
create or replace function credit_sweep(at_most integer) returns integer language plpgsql as $$
begin
  return (select cardinality(won) from credit_close(array(
    select id from credit_charge where state = 'pending' and expires_at < clock_timestamp()
    order by id limit at_most for no key update skip locked
  ), 'voided', 'expired', false));
end $$;
`

/** Charges, holds and their ends that do not wait for an account that another transaction has locked. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(moving).execute(db)
}
