import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'

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
