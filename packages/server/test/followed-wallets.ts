import type { Devnet } from '@coffer/devnet'
import { sql } from 'kysely'
import type { Context } from '../src/context.ts'
import type { Db } from '../src/db/tables.ts'
import type { EvmAddress } from '../src/domain/evm-address.ts'
import { followWhole } from '../src/features/history/store/followed-wallets.ts'

/** Marks the wallets as requested by the first account, and complete up to the chain's current block. */
export async function followFromNow(
  db: Db,
  client: Devnet['chains']['ethereum']['client'],
  wallets: readonly EvmAddress[],
): Promise<void> {
  const { number, hash, timestamp } = await client.getBlock()
  const at = { chain: 'ethereum', block: number }
  const heads = JSON.stringify([{ block: number.toString(), hash }])
  const covered = { chain: 'ethereum', blocks: `{[0,${number}]}`, heads }
  const rows = <T extends object>(row: T) => wallets.map((wallet) => ({ wallet, ...row }))
  for (const purpose of ['history', 'native']) {
    const values = rows({ ...covered, purpose })
    await db.insertInto('wallet_coverage').values(values).execute()
  }
  await sql`
    insert into history_sync (wallet, account_id, state, requested_at)
    select wallet, (select min(id) from account), 'done', coffer_now() from unnest(${wallets}::text[]) as wallet
  `.execute(db)
  const states = rows({ ...at, block_time: new Date(Number(timestamp) * 1_000) })
  await db.insertInto('history_state').values(states).execute()
  await db.transaction().execute((trx) => followWhole(trx, 'ethereum', wallets))
}

/** Ends claims; failing wallets keep their pauses. */
export async function makeDue(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select chain || ' ' || wallet as name from history_set_aside where step = 'search' and retry_at > now()`.execute(db)
  const paused = rows.map(({ name }) => name)
  await sql`update history_follow set due_at = now() where chain || ' ' || wallet <> all (${paused})`.execute(db)
}

/** Begins a round of all followed wallets. */
export async function beginRound({ database, jobs }: Context, name = 'now'): Promise<void> {
  await makeDue(database.db)
  await jobs.send('follow-wallets', {}, { singletonKey: name })
}
