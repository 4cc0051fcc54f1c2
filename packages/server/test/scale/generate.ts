import pg from 'pg'

export type Sizes = {
  /** Each read, synced and followed, with ten transactions. */
  wallets: number
  accounts: number
}

/** EVM address by number. */
export const walletOf = (number: number): `0x${string}` => `0x5c${number.toString(16).padStart(38, '0')}`

/** Saves the most wallets that the row limit allows. */
export const SAVED = 10_000
const LINES_A_WALLET = 10
const LEDGER_SECONDS = 60 * 86_400
/** Ledger lines that are charged together. */
const BATCH = 500
const KEYS = 4
const ENDPOINTS = ['getPortfolio', 'getWallet', 'listTransactions', 'getNav', 'getStatus']

/**
 * Adds rows to a migrated database that has account 1 with a webhook, and a read of `wallet` on Ethereum. Account 1
 * has a third of all ledger lines, half of all events and the syncs; account 2 has many saved wallets.
 */
export async function generate(url: string, { wallets, accounts }: Sizes, wallet: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(FUNCTIONS)
    const parts = [
      ...accountRows(accounts),
      ...walletRows(wallets, wallet),
      ...historyRows(wallets),
      ...ledgerRows(wallets * LINES_A_WALLET, accounts),
      ...eventRows(wallets * LINES_A_WALLET, accounts),
      ...ownRows(wallets, accounts),
      ...validatorRows(wallets),
      ...portalRows(wallets),
    ]
    for (const text of parts) await client.query(text)
    await client.query('analyze')
  } finally {
    await client.end()
  }
}

const FUNCTIONS = `
  create function wallet_of(number bigint) returns text language sql immutable as
    $$ select '0x5c' || lpad(to_hex(number), 38, '0') $$;
  create function token_of(number bigint) returns text language sql immutable as
    $$ select '0x70' || lpad(to_hex(number), 38, '0') $$`

const accountRows = (accounts: number): string[] => [
  `insert into account (name, plan, entitlements)
    select 'Account ' || number, 'PRO', '{portfolio,beacon}' from generate_series(2, ${accounts}) number`,
  `insert into credit_account (account_id) select id from account where id > 1`,
  `insert into api_key (account_id, name, display, digest, pepper_version)
    select account.id, 'key ' || number, 'coffer_…' || number, sha256((account.id || ' ' || number)::bytea), 1
    from account cross join generate_series(1, case when account.id = 1 then ${KEYS} else 1 end) number`,
]

const walletRows = (wallets: number, wallet: string): string[] => [
  `insert into token (chain, address, symbol, name, decimals)
    select 'ethereum', token_of(number), 'T' || number, 'Token ' || number, 18 from generate_series(1, ${wallets}) number`,
  `insert into wallet_read (wallet, chain, block, block_hash, block_time, begun_at, read_at, searched_at, body, plan)
    select wallet_of(number), chain, block, block_hash, block_time, begun_at, read_at, read_at, body, plan
    from wallet_read cross join generate_series(1, ${wallets}) number where wallet = '${wallet}' on conflict do nothing`,
  `insert into wallet_use select wallet_of(number), current_date from generate_series(1, ${wallets}) number on conflict do nothing`,
  `insert into wallet_token select wallet_of(number), 'ethereum', token_of(1 + (number * 7919 + place) % ${wallets})
    from generate_series(1, ${wallets}) number, generate_series(1, 3) place on conflict do nothing`,
  `insert into approval (wallet, chain, block, log_index, block_hash, block_time, hash, contract, spender, amount)
    select wallet_of(number), 'ethereum', 1000 + place, place, '0x00', now(), '0x' || md5(number::text), token_of(place),
      token_of(number), 1
    from generate_series(1, ${wallets}) number, generate_series(1, 2) place`,
  `insert into wallet_coverage (wallet, chain, purpose, blocks)
    select wallet_of(number), 'ethereum', purpose, '{[0,20000001)}'
    from generate_series(1, ${wallets}) number, unnest(array['logs', 'history', 'native', 'approvals']) purpose`,
]

/** A fiftieth of the syncs failed, a fiftieth are paused; a fiftieth of the wallets is set aside. */
const historyRows = (wallets: number): string[] => [
  `insert into history_transaction (wallet, chain, block, tx_index, hash, block_hash, block_time, sender, recipient,
      selector, succeeded, fee, type, value_usd, fee_usd)
    select wallet_of(number), 'ethereum', 1000000 + place * 1000, 0, '0x' || md5(number || ' ' || place) || md5('x'),
      '0x' || md5(place::text) || md5('y'), timestamptz '2021-01-01' + make_interval(days => place::integer * 100, secs => number),
      wallet_of(number), token_of(1 + number % 5000), '0xa9059cbb', true, 21000000000000, 'TRANSFERIN', 100, 0.05
    from generate_series(1, ${wallets}::bigint) number, generate_series(1, 10) place`,
  `insert into history_movement (wallet, chain, block, tx_index, place, token, amount, debt, leg, treatment, price,
      price_source, priced_at)
    select wallet, chain, block, tx_index, 0, token_of(1 + block % 200), 2000000000000000000, false, 0, 'acquire', 1.5,
      'chainlink', now()
    from history_transaction`,
  `insert into history_state select wallet_of(number), 'ethereum', 20000000, now() from generate_series(1, ${wallets}) number`,
  `insert into history_follow (chain, wallet, due_at) select chain, wallet, now() from history_state`,
  `insert into history_change (wallet, since)
    select wallet_of(number), timestamptz '2021-01-01' from generate_series(1, ${wallets}) number`,
  `insert into history_sync (wallet, account_id, state, stored, requested_at, ended_at, completed_at)
    select wallet_of(number), 1, case number % 50 when 1 then 'failed' when 2 then 'paused' else 'done' end, 10,
      now() - interval '1 day', now() - interval '1 day', now() - interval '1 day'
    from generate_series(1, ${wallets}) number`,
  `insert into history_set_aside (chain, wallet, step, reason, since, retry_at)
    select 'ethereum', wallet_of(number), 'search', 'refused', now(), now() + interval '1 day'
    from generate_series(1, ${wallets}) number where number % 50 = 3`,
]

const ledgerRows = (lines: number, accounts: number): string[] => [
  `insert into credit_line (account_id, amount, kind, source_key)
    select id, 100000000, 'grant', 'grant:' || id || ':generated' from account order by id`,
  `do $$ begin
    for batch in 0 .. ${lines / BATCH - 1} loop
      insert into credit_line (at, account_id, amount, kind, source_key)
        select now() - make_interval(secs => (${lines} - number) * ${LEDGER_SECONDS / lines}),
          case when number % 10 < 3 then 1 else 2 + number % ${accounts - 1} end, 1, 'charge', 'charge:generated:' || number
        from generate_series(batch * ${BATCH} + 1, (batch + 1) * ${BATCH}) number;
    end loop;
  end $$`,
  `update credit_account set available = total.available from credit_total as total
    where total.account_id = credit_account.account_id`,
]

const eventRows = (events: number, accounts: number): string[] => [
  `insert into secret (id, account_id, purpose, key_id, key_nonce, wrapped_key, nonce, ciphertext)
    select gen_random_uuid(), account.id, purpose, key_id, key_nonce, wrapped_key, nonce, ciphertext
    from secret cross join account cross join generate_series(1, case when account.id = 1 then 8 else 1 end)`,
  `insert into webhook (id, account_id, url, kinds, enabled, secret_id)
    select gen_random_uuid(), account_id, 'https://hooks.example.invalid/', '{sync.ended}', account_id = 1, id from secret where not exists (select from webhook where secret_id = secret.id)`,
  `insert into event (account_id, kind, subject, data, at)
    select case when number % 2 = 0 then 1 else 2 + number % ${accounts - 1} end, 'sync.ended',
      'wallet ' || wallet_of(1 + number % 50000), jsonb_build_object('address', wallet_of(1 + number % 50000), 'state', 'done'),
      now() - make_interval(secs => (${events} - number) * 2)
    from generate_series(1, ${events}::bigint) number`,
  `insert into webhook_delivery (webhook_id, event_id, subject, state, since, attempts, tried_at, status)
    select webhook.id, event.id, event.subject,
      case when event.id % 20 < 9 then 'dead' when event.id > ${Math.floor(events * 0.99)} then 'waiting' else 'delivered' end,
      event.at, 1, event.at, 200
    from event join (select id, account_id, row_number() over (partition by account_id order by id) as number from webhook) webhook
      on webhook.account_id = event.account_id and webhook.number = case when event.account_id = 1 then 1 + event.id / 2 % 9 else 1 end
    order by event.id`,
  `insert into webhook_lane (webhook_id, subject, next_at)
    select webhook_id, subject, case when bool_or(state = 'waiting') then now() + interval '1 day' end
    from webhook_delivery group by 1, 2`,
]

const ownRows = (wallets: number, accounts: number): string[] => [
  `insert into address_book_entry (account_id, address, label, plan, expires_at)
    select 2, wallet_of(number), 'Wallet ' || number, 'PRO', now() + interval '300 days' from generate_series(1, ${SAVED}) number`,
  `insert into address_book_entry (account_id, address, label, plan, expires_at)
    select 3 + number % ${accounts - 2}, wallet_of(number), 'Wallet ' || number, 'PRO', now() + interval '300 days'
    from generate_series(1, ${wallets}) number`,
  `insert into usage_day (account_id, day, key_id, endpoint, outcome, requests, credits)
    select account_id, current_date - day, id, endpoint, 'ok', 10, 10
    from api_key, generate_series(0, case when account_id = 1 then 365 else 29 end) day,
      unnest(array[${ENDPOINTS.map((name) => `'${name}'`)}]) endpoint
    where account_id = 1 or endpoint = 'getNav' on conflict do nothing`,
  `insert into audit_event (account_id, user_name, action, detail, address)
    select 1 + number % 3, 'user', 'key.create', '{}', '127.0.0.1' from generate_series(1, ${2 * wallets}) number`,
  `insert into snapshot_subscription (account_id, address, subscribed_at, expires_at, next_date)
    select 1, wallet_of(number), now() - interval '100 days', now() + interval '265 days', current_date + 1
    from generate_series(1, ${wallets}) number`,
  `insert into snapshot_subscription (account_id, address, subscribed_at, expires_at, next_date)
    select 1, wallet_of(number), now() - interval '900 days', now() - interval '535 days', 'infinity'
    from generate_series(1, ${wallets}) number`,
  `insert into wallet_snapshot (address, date, reads)
    select wallet_of(number), current_date - day, '[]' from generate_series(1, ${Math.ceil(wallets / 100)}) number, generate_series(1, 100) day`,
  `insert into account_snapshot select 1, address, date, id from wallet_snapshot on conflict do nothing`,
  `insert into snapshot_early_read (wallet, at, chain, block_hash, read)
    select wallet_of(number), extract(epoch from now())::bigint, 'ethereum', '0x00', '{}' from generate_series(1, ${wallets}) number`,
  `insert into watch (id, account_id, type, threshold, is_above, address, checked_at)
    select gen_random_uuid(), account_id, 'netWorth', 1, true, address, now() + interval '1 day' from address_book_entry`,
  `insert into watch (id, account_id, type, threshold, is_above, is_past, settled_at)
    select gen_random_uuid(), id, 'credits', 1, false, false, now() from account`,
  `insert into virtual_user (account_id, type, label) select 1 + number % 3, 'BALANCE', 'User ' || number from generate_series(1, 300) number`,
  `insert into virtual_balance_change (virtual_user_id, symbol, price_source, amount, changed_at)
    select id, 'USD', 'fx', day, now() - make_interval(days => day) from virtual_user, generate_series(1, 200) day`,
]

const validatorRows = (wallets: number): string[] => [
  `insert into validator (index, pubkey, covered)
    select number, '0x' || lpad(to_hex(number), 96, '0'), '{[0,2250)}' from generate_series(1000, ${1000 + Math.ceil(wallets / 100)}) number`,
  `insert into validator_epoch select index, epoch, '0' from validator, generate_series(0, 224) epoch on conflict do nothing`,
  `insert into validator_withdrawal (index, amount_gwei, validator, slot, address)
    select number + 100, 1, 1 + number % 3, number * 32, '\\x00' from generate_series(1, ${wallets}) number`,
  `insert into validator_deposit (index, amount_gwei, slot, search_slot, signed, pubkey, withdrawal_credentials, signature)
    select number + 100, 1, number, 0, true, decode(lpad(to_hex(number), 96, '0'), 'hex'), '\\x00', '\\x00'
    from generate_series(1, ${wallets}) number`,
]

const portalRows = (wallets: number): string[] => [
  `insert into portal_user (name) select 'generated ' || number from generate_series(1, ${wallets}) number`,
  `insert into portal_member (user_id, account_id, role) select id, 4, 'viewer' from portal_user`,
  `insert into portal_session (digest, user_id, address, agent)
    select sha256(id::text::bytea), id, '127.0.0.1', 'test' from portal_user`,
  `insert into portal_failed_password (subject, failures, failed_at, wait_until)
    select 'user ' || number, 1, now(), now() from generate_series(1, ${wallets}) number`,
  `insert into portal_challenge (challenge, purpose, subject, expires_at, origin, opened_by)
    select md5(number::text), 'sign-in', '', now() + interval '5 minutes', '', 'network ' || number
    from generate_series(1, ${wallets}) number`,
  `insert into rate_limit_window select 'key ' || number, 1, extract(epoch from now())::bigint * 1000 + 60000
    from generate_series(1, ${wallets}) number`,
  `insert into jobs.job (name, state, created_on, started_on, completed_on, singleton_key)
    select 'sync-wallet', 'completed', now(), now(), now(), wallet_of(number) from generate_series(1, ${wallets}) number`,
]
