import type { Devnet } from '@coffer/devnet'
import { sql } from 'kysely'
import type { Db } from '../src/db/tables.ts'
import type { EvmAddress } from '../src/domain/evm-address.ts'

/** Marks the wallets as requested by the first account, and complete up to the chain's current block. */
export async function followFromNow(
  db: Db,
  client: Devnet['chains']['ethereum']['client'],
  wallets: readonly EvmAddress[],
): Promise<void> {
  const { number, hash, timestamp } = await client.getBlock()
  const at = { chain: 'ethereum', block: number }
  const covered = { chain: 'ethereum', blocks: `{[0,${number}]}` }
  const rows = <T extends object>(row: T) => wallets.map((wallet) => ({ wallet, ...row }))
  for (const purpose of ['history', 'native']) {
    const values = rows({ ...covered, purpose })
    await db.insertInto('wallet_coverage').values(values).execute()
  }
  const seen = rows({ ...at, hash })
  await db.insertInto('known_block').values(seen).execute()
  await sql`
    insert into history_sync (wallet, account_id, state, requested_at)
    select wallet, (select min(id) from account), 'done', coffer_now() from unnest(${wallets}::text[]) as wallet
  `.execute(db)
  const states = rows({ ...at, block_time: new Date(Number(timestamp) * 1_000) })
  await db.insertInto('history_state').values(states).execute()
}
