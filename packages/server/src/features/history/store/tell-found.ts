import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../db/tables.ts'
import type { WalletTransaction } from '../../../domain/transaction.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { tellFollowers } from '../../events/outbox.ts'

/** Older ones come from a first search; the event `sync.ended` counts them. */
const NEW_SECONDS = 7 * 86_400

/** Runs in the transaction that stores them. */
export async function tellFound(
  trx: Kysely<Tables>,
  { wallet, chain }: WalletOnChain,
  found: readonly WalletTransaction[],
): Promise<void> {
  if (found.length === 0) return
  const { rows } = await sql<{ now: number }>`select extract(epoch from coffer_now())::float8 as now`.execute(trx)
  const since = (rows[0]?.now ?? 0) - NEW_SECONDS
  const events = found
    .filter(({ time }) => time >= since)
    .map(({ hash, block, time, type, succeeded }) => ({
      data: {
        address: wallet,
        chain,
        hash,
        type,
        succeeded,
        block: block.toString(),
        time: new Date(time * 1_000).toISOString(),
      },
    }))
  await tellFollowers(trx, 'transaction.found', wallet, events)
}
