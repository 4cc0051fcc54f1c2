import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'

/** A wallet whose history was asked for is followed so long after. */
const ASKED_DAYS = 30

export type FollowedStore = ReturnType<typeof createFollowedStore>

/** Which wallets are followed: asked for lately, on a plan in an address book, or subscribed to snapshots. */
export function createFollowedStore(db: Kysely<Tables>) {
  /** Those of a chain whose history was whole there once. */
  async function list(chain: string): Promise<Address[]> {
    const { rows } = await sql<{ wallet: Address }>`
      select wallet from history_state
      where chain = ${chain} and (
        exists (select from history_sync
          where history_sync.wallet = history_state.wallet
            and requested_at > coffer_now() - make_interval(days => ${ASKED_DAYS}))
        or exists (select from address_book_entry
          where address = wallet and plan <> 'FREE' and expires_at > coffer_now())
        or exists (select from snapshot_subscription
          where address = wallet and expires_at > coffer_now()))
      order by wallet`.execute(db)
    return rows.map(({ wallet }) => wallet)
  }

  /** Those of them with something that is not priced yet: it came since, or could not be priced when it came. */
  async function listUnpriced(chain: string, wallets: readonly Address[]): Promise<Address[]> {
    const { rows } = await sql<{ wallet: Address }>`
      select wallet from history_movement
      where chain = ${chain} and wallet = any (${wallets}) and priced_at is null
      union
      select wallet from history_adjustment
      where chain = ${chain} and wallet = any (${wallets}) and priced_at is null
      order by wallet`.execute(db)
    return rows.map(({ wallet }) => wallet)
  }

  return { list, listUnpriced }
}
