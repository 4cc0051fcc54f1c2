import { sql, type Transaction } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { BlockRange } from '../../domain/block-ranges.ts'
import type { WalletTransaction } from '../../domain/transaction.ts'
import type { Searched } from '../coverage/coverage.ts'

/** Rows of one statement: far below what a statement may have parameters for. */
const BATCH = 1_000

/** A block in which something changed; `time` in Unix seconds. */
export type Place = { block: bigint; time: number }

const placesOf = (rows: readonly { block: bigint; block_time: Date }[]): Place[] =>
  rows.map(({ block, block_time }) => ({ block, time: block_time.getTime() / 1000 }))

/** Stores those that were not there before, and answers them. */
export async function insertFresh(
  trx: Transaction<Tables>,
  of: Searched,
  transactions: readonly WalletTransaction[],
): Promise<WalletTransaction[]> {
  const fresh: WalletTransaction[] = []
  for (let from = 0; from < transactions.length; from += BATCH) {
    fresh.push(...(await insertTransactions(trx, of, transactions.slice(from, from + BATCH))))
  }
  await insertMovements(trx, of, fresh)
  return fresh
}

async function insertTransactions(
  trx: Transaction<Tables>,
  { wallet, chain }: Searched,
  transactions: readonly WalletTransaction[],
): Promise<WalletTransaction[]> {
  const rows = await trx
    .insertInto('history_transaction')
    .values(
      transactions.map((transaction) => ({
        ...{ wallet, chain, block: transaction.block, tx_index: transaction.index, hash: transaction.hash },
        ...{ block_hash: transaction.blockHash, block_time: new Date(transaction.time * 1000) },
        ...{ sender: transaction.from, recipient: transaction.to, selector: transaction.selector },
        ...{ succeeded: transaction.succeeded, fee: transaction.feeRaw.toString() },
        ...{ type: transaction.type, protocol: transaction.protocol, value_usd: null, fee_usd: null },
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning('hash')
    .execute()
  const inserted = new Set(rows.map(({ hash }) => hash))
  return transactions.filter(({ hash }) => inserted.has(hash))
}

async function insertMovements(
  trx: Transaction<Tables>,
  { wallet, chain }: Searched,
  transactions: readonly WalletTransaction[],
): Promise<void> {
  const rows = transactions.flatMap(({ block, index, movements }) =>
    movements.map((movement, place) => ({
      ...{ wallet, chain, block, tx_index: index, place, token: movement.token },
      ...{ token_id: movement.tokenId?.toString() ?? null, amount: movement.amountRaw.toString() },
      ...{ counterparty: movement.counterparty, debt: movement.debt, leg: movement.leg },
      ...{ treatment: movement.treatment, price: null, price_source: null, priced_at: null },
    })),
  )
  for (let from = 0; from < rows.length; from += BATCH) {
    await trx
      .insertInto('history_movement')
      .values(rows.slice(from, from + BATCH))
      .execute()
  }
}

/** Transactions in whose block there is another one by now: the chain was reorganised since they were stored. */
export async function dropReplaced(
  trx: Transaction<Tables>,
  { wallet, chain }: Searched,
  transactions: readonly WalletTransaction[],
): Promise<Place[]> {
  if (transactions.length === 0) return []
  const { rows } = await sql<{ block: bigint; block_time: Date }>`
    delete from history_transaction as stored
    using unnest(${transactions.map(({ block }) => block.toString())}::bigint[],
      ${transactions.map(({ blockHash }) => blockHash)}::text[]) as found (block, block_hash)
    where stored.wallet = ${wallet} and stored.chain = ${chain}
      and stored.block = found.block and stored.block_hash <> found.block_hash
    returning stored.block, stored.block_time`.execute(trx)
  return placesOf(rows)
}

/** What is stored of searched blocks and was not found there. */
export async function dropOthers(
  trx: Transaction<Tables>,
  { wallet, chain }: Searched,
  { ranges, found }: { ranges: readonly BlockRange[]; found: readonly WalletTransaction[] },
): Promise<Place[]> {
  if (ranges.length === 0) return []
  const { rows } = await sql<{ block: bigint; block_time: Date }>`
    delete from history_transaction as stored
    using unnest(${ranges.map(({ fromBlock }) => fromBlock.toString())}::bigint[],
      ${ranges.map(({ toBlock }) => toBlock.toString())}::bigint[]) as searched (from_block, to_block)
    where stored.wallet = ${wallet} and stored.chain = ${chain}
      and stored.block between searched.from_block and searched.to_block
      and stored.hash <> all (${found.map(({ hash }) => hash)}::text[])
    returning stored.block, stored.block_time`.execute(trx)
  return placesOf(rows)
}

/** Everything from a block on. */
export async function dropFrom(trx: Transaction<Tables>, { wallet, chain }: Searched, block: bigint): Promise<Place[]> {
  const gone = await trx
    .deleteFrom('history_transaction')
    .where('wallet', '=', wallet)
    .where('chain', '=', chain)
    .where('block', '>=', block)
    .returning(['block', 'block_time'])
    .execute()
  for (const table of ['known_block', 'history_state'] as const) {
    await trx
      .deleteFrom(table)
      .where('wallet', '=', wallet)
      .where('chain', '=', chain)
      .where('block', '>=', block)
      .execute()
  }
  return [...placesOf(gone), ...(await dropAdjustments(trx, { wallet, chain }, block))]
}

/** What balances showed beyond the movements, from a block on. */
export async function dropAdjustments(
  trx: Transaction<Tables>,
  { wallet, chain }: Searched,
  from: bigint,
): Promise<Place[]> {
  const gone = await trx
    .deleteFrom('history_adjustment')
    .where('wallet', '=', wallet)
    .where('chain', '=', chain)
    .where('block', '>=', from)
    .returning(['block', 'block_time'])
    .execute()
  return placesOf(gone)
}
