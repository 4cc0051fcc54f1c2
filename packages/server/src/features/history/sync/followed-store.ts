import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'

/** After the last request for the history. */
const ASKED_DAYS = 30

export type FollowedStore = ReturnType<typeof createFollowedStore>

const isFollowed = sql<boolean>`(
  exists (select from history_sync
    where history_sync.wallet = history_state.wallet
      and requested_at > coffer_now() - make_interval(days => ${ASKED_DAYS}))
  or exists (select from address_book_entry
    where address = history_state.wallet and plan <> 'FREE' and expires_at > coffer_now())
  or exists (select from snapshot_subscription
    where address = history_state.wallet and expires_at > coffer_now()))`

export function createFollowedStore(db: Kysely<Tables>) {
  /** `now`: start of the round. */
  async function countByChain(): Promise<{ chain: string; wallets: number; now: Date }[]> {
    const { rows } = await sql<{ chain: string; wallets: number; now: Date }>`
      select chain, count(*)::integer as wallets, clock_timestamp() as now
      from history_state where ${isFollowed} group by chain`.execute(db)
    return rows
  }

  /**
   * Claims wallets not followed since `before`, longest ago first, without those set aside. Each goes to one caller per
   * round.
   */
  async function take(chain: string, before: Date, limit: number): Promise<Address[]> {
    const { rows } = await sql<{ wallet: Address }>`
      insert into history_follow as follow (chain, wallet, followed_at)
      select ${chain}, history_state.wallet, clock_timestamp()
      from history_state left join history_follow as last using (chain, wallet)
      where chain = ${chain} and (last.followed_at is null or last.followed_at < ${before}) and ${isFollowed}
        and not exists (select from history_set_aside as aside
          where aside.chain = ${chain} and aside.wallet = history_state.wallet and step = 'search'
            and retry_at > clock_timestamp())
      order by last.followed_at nulls first, history_state.wallet
      limit ${limit}
      on conflict (chain, wallet) do update set followed_at = excluded.followed_at
        where follow.followed_at < ${before}
      returning wallet`.execute(db)
    return rows.map(({ wallet }) => wallet)
  }

  /** Skips wallets whose pricing is set aside. */
  async function listUnpriced(chain: string, wallets: readonly Address[]): Promise<Address[]> {
    const { rows } = await sql<{ wallet: Address }>`
      select wallet from (
        select wallet from history_movement
        where chain = ${chain} and wallet = any (${wallets}) and priced_at is null
        union
        select wallet from history_adjustment
        where chain = ${chain} and wallet = any (${wallets}) and priced_at is null) as unpriced
      where not exists (select from history_set_aside as aside
        where aside.chain = ${chain} and aside.wallet = unpriced.wallet and step = 'price'
          and retry_at > clock_timestamp())
      order by wallet`.execute(db)
    return rows.map(({ wallet }) => wallet)
  }

  return { countByChain, take, listUnpriced }
}

/** Doubles with each failure. */
const FIRST_PAUSE_SECONDS = 60
const LONGEST_PAUSE_SECONDS = 3_600
/** Keeps the power of two in range. */
const MOST_DOUBLINGS = 10
const LONGEST_REASON = 500

/** `price` includes comparing balances. */
export type FollowStep = 'search' | 'price'

export type SetAsideStore = ReturnType<typeof createSetAsideStore>

export function createSetAsideStore(db: Kysely<Tables>) {
  async function add({ chain, wallet }: WalletOnChain, step: FollowStep, reason: string) {
    const pause = sql`least(${FIRST_PAUSE_SECONDS} * power(2, least(aside.failures, ${MOST_DOUBLINGS})),
      ${LONGEST_PAUSE_SECONDS}) * interval '1 second'`
    const { rows } = await sql<{ failures: number; retry_at: Date }>`
      insert into history_set_aside as aside (chain, wallet, step, reason, since, retry_at)
      values (${chain}, ${wallet}, ${step}, ${reason.slice(0, LONGEST_REASON)}, clock_timestamp(),
        clock_timestamp() + ${FIRST_PAUSE_SECONDS} * interval '1 second')
      on conflict (chain, wallet, step) do update set
        failures = aside.failures + 1, reason = excluded.reason, retry_at = clock_timestamp() + ${pause}
      returning failures, retry_at`.execute(db)
    return rows[0]
  }

  /** Keeps wallets within their pause: they were not tried. */
  async function remove(chain: string, wallets: readonly Address[], step: FollowStep): Promise<void> {
    await db
      .deleteFrom('history_set_aside')
      .where((eb) => eb.and({ chain, step }))
      .where('wallet', 'in', [...wallets, ''])
      .where(sql<boolean>`retry_at <= clock_timestamp()`)
      .execute()
  }

  return { add, remove }
}
