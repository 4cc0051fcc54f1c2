import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'

/** Days for which a wallet is followed after the last request for its history. */
const ASKED_DAYS = 30

export type FollowedStore = ReturnType<typeof createFollowedStore>

/**
 * Condition on `history_state`: the history was requested lately, or the wallet is on a paid plan in an address book or
 * subscribed to snapshots.
 */
const isFollowed = sql<boolean>`(
  exists (select from history_sync
    where history_sync.wallet = history_state.wallet
      and requested_at > coffer_now() - make_interval(days => ${ASKED_DAYS}))
  or exists (select from address_book_entry
    where address = history_state.wallet and plan <> 'FREE' and expires_at > coffer_now())
  or exists (select from snapshot_subscription
    where address = history_state.wallet and expires_at > coffer_now()))`

/** Which wallets are followed, and when each was last taken. */
export function createFollowedStore(db: Kysely<Tables>) {
  /** How many wallets are followed on each chain, and the moment from which a round counts. */
  async function countByChain(): Promise<{ chain: string; wallets: number; now: Date }[]> {
    const { rows } = await sql<{ chain: string; wallets: number; now: Date }>`
      select chain, count(*)::integer as wallets, clock_timestamp() as now
      from history_state where ${isFollowed} group by chain`.execute(db)
    return rows
  }

  /**
   * Claims the wallets of a chain that were followed longest ago, and not since `before`. Skips wallets that are set
   * aside. Each wallet goes to one caller in a round.
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

  /**
   * Those of the wallets with movements or adjustments that are not priced: new ones, and ones that could not be priced
   * before. Skips wallets whose pricing is set aside.
   */
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
