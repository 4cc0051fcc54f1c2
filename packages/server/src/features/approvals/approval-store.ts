import { sql } from 'kysely'
import type { Coverage } from '../../db/coverage.ts'
import type { Db, Trx } from '../../db/tables.ts'
import type { Approval, LogPlace } from '../../domain/approval.ts'
import type { BlockRange } from '../../domain/block-ranges.ts'
import type { WalletOnChain } from '../../domain/wallet-on-chain.ts'
import { pagesOf } from '../../lib/pages.ts'
import { plainRow } from '../../lib/plain-row.ts'
import { tellFollowers } from '../events/outbox.ts'

/** Unix seconds; null: not read yet. */
export type StoredApproval = Approval & { time: number | null }

const BATCH = 1_000

export const saveApprovals = (
  coverage: Coverage,
  of: WalletOnChain,
  covered: readonly BlockRange[],
  approvals: readonly Approval[],
): Promise<void> =>
  coverage.update(of, async (trx) => {
    const { wallet, chain } = of
    for (const { fromBlock, toBlock } of covered) {
      await sql`
        delete from approval
        where wallet = ${wallet} and chain = ${chain} and block between ${fromBlock} and ${toBlock}`.execute(trx)
    }
    const rows = approvals.map(({ block, blockHash, logIndex, hash, contract, spender, amountRaw }) => ({
      wallet,
      chain,
      block,
      log_index: logIndex,
      block_hash: blockHash,
      block_time: null,
      hash,
      contract,
      spender,
      amount: amountRaw.toString(),
    }))
    for (const page of pagesOf(rows, BATCH)) await trx.insertInto('approval').values(page).execute()
    await tellNew(trx, of, approvals)
    return covered
  })

/** Newest first. */
export async function selectApprovals(
  db: Db,
  { wallet, chain }: WalletOnChain,
  { top, below }: { top: bigint; below: LogPlace | undefined },
  limit: number,
): Promise<StoredApproval[]> {
  const rows = await db
    .selectFrom('approval')
    .select(['block', 'block_hash as blockHash', 'log_index as logIndex', 'hash', 'contract', 'spender'])
    .select(['amount', 'block_time'])
    .where((eb) => eb.and({ wallet, chain }))
    .where('block', '<=', top)
    .$if(below !== undefined, (query) =>
      query.where(sql<boolean>`(block, log_index) < (${below?.block}, ${below?.logIndex})`),
    )
    .orderBy('block', 'desc')
    .orderBy('log_index', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ amount, block_time, ...row }) => ({
    ...row,
    amountRaw: BigInt(amount),
    time: block_time && block_time.getTime() / 1000,
  }))
}

/** Emits only blocks above all searched before: a first search finds past approvals. */
async function tellNew(trx: Trx, of: WalletOnChain, approvals: readonly Approval[]): Promise<void> {
  if (approvals.length === 0) return
  const { wallet, chain } = of
  const { rows } = await sql<{ top: bigint | null }>`
    select upper(blocks) - 1 as top from wallet_coverage
    where wallet = ${wallet} and chain = ${chain} and purpose = 'approvals'`.execute(trx)
  const top = rows[0]?.top ?? null
  const events = approvals
    .filter(({ block }) => top !== null && block > top)
    .toSorted((a, b) => Number(a.block - b.block) || a.logIndex - b.logIndex)
    .map(({ block, logIndex, hash, contract, spender, amountRaw }) => ({
      data: plainRow({ address: wallet, chain, hash, logIndex, contract, spender, block, amountRaw }),
    }))
  await tellFollowers(trx, 'approval.set', wallet, events)
}

export const dropApprovals = (trx: Trx, { wallet, chain }: WalletOnChain, from: bigint): Promise<unknown> =>
  sql`delete from approval where wallet = ${wallet} and chain = ${chain} and block >= ${from}`.execute(trx)
