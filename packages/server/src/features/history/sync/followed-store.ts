import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'

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
