import { sql } from 'kysely'
import { READ_AGAIN } from '../db/coverage.ts'
import type { Db } from '../db/tables.ts'
import type { Address } from '../domain/address.ts'

/** `chain` null: all. `after`: deletes above this block. */
type Forgotten = { wallet: Address; chain: string | null; after: bigint }

/** Keeps the history: it was paid for. */
export async function forgetWallet(db: Db, what: Forgotten): Promise<string[]> {
  const chains = what.chain === null ? await chainsOf(db, what.wallet) : [what.chain]
  for (const chain of chains) await forgetOn(db, { ...what, chain })
  return chains
}

async function chainsOf(db: Db, wallet: Address): Promise<string[]> {
  const { rows } = await sql<{ chain: string }>`
    select chain from wallet_read where wallet = ${wallet}
    union select chain from wallet_coverage where wallet = ${wallet} and (not isempty(blocks) or heads <> '[]')
    union select chain from history_gap where wallet = ${wallet}
    order by chain`.execute(db)
  return rows.map(({ chain }) => chain)
}

async function forgetOn(db: Db, { wallet, chain, after }: Forgotten & { chain: string }): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const isOf = sql`wallet = ${wallet} and chain = ${chain}`
    await sql`delete from wallet_read where ${isOf} and block > ${after.toString()}::numeric`.execute(trx)
    await sql`delete from approval where ${isOf} and block > ${after.toString()}::numeric`.execute(trx)
    await sql`delete from wallet_point where ${isOf} and (block is null or block > ${after.toString()}::numeric)`.execute(
      trx,
    )
    if (after < 0n) await sql`delete from wallet_token where ${isOf}`.execute(trx)
    await sql`delete from wallet_due_contract where ${isOf} and block > ${after.toString()}::numeric`.execute(trx)
    await sql`delete from wallet_key where ${isOf} and block > ${after.toString()}::numeric`.execute(trx)
    await sql`
      update wallet_coverage set heads = '[]', blocks = blocks - int8multirange(int8range(${after}, null, '()'))
      where ${isOf} and purpose = any (${READ_AGAIN})`.execute(trx)
    // Kept tokens and keys are found through their row.
    if (after < 0n) {
      await sql`delete from wallet_coverage where ${isOf} and isempty(blocks) and heads = '[]'`.execute(trx)
    }
  })
}
