import { sql } from 'kysely'
import { rowTable } from '../../../db/row-table.ts'
import type { Trx } from '../../../db/tables.ts'
import type { BlockRange } from '../../../domain/block-ranges.ts'
import type { WalletTransaction } from '../../../domain/transaction.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { firstDoubted } from './history-changes.ts'

/** `time` in Unix seconds. */
export type Place = { block: bigint; time: number }

const placesOf = (rows: readonly { block: bigint; block_time: Date }[]): Place[] =>
  rows.map(({ block, block_time }) => ({ block, time: block_time.getTime() / 1000 }))

export async function insertFresh(trx: Trx, of: WalletOnChain, transactions: readonly WalletTransaction[]) {
  if (transactions.length === 0) return []
  const fresh = await insertTransactions(trx, of, transactions)
  await insertMovements(trx, of, fresh)
  return fresh
}

const TEXTS = {
  hash: 'text',
  blockHash: 'text',
  from: 'text',
  to: 'text',
  selector: 'text',
  type: 'text',
  protocol: 'text',
  protocolBasis: 'text',
}

async function insertTransactions(trx: Trx, of: WalletOnChain, transactions: readonly WalletTransaction[]) {
  const columns = {
    ...TEXTS,
    block: 'bigint',
    index: 'integer',
    time: 'bigint',
    succeeded: 'boolean',
    feeRaw: 'numeric',
  }
  const { rows } = await sql<{ hash: string }>`
    insert into history_transaction
      (wallet, chain, block, tx_index, hash, block_hash, block_time, sender, recipient, selector, succeeded, fee, type, protocol,
        protocol_basis)
    select ${of.wallet}, ${of.chain}, block, "index", hash, "blockHash", to_timestamp(time), "from", "to", selector, succeeded,
      "feeRaw", type, protocol, "protocolBasis"
    from ${rowTable('found', columns, transactions)}
    on conflict do nothing
    returning hash`.execute(trx)
  const inserted = new Set(rows.map(({ hash }) => hash))
  return transactions.filter(({ hash }) => inserted.has(hash))
}

async function insertMovements(trx: Trx, { wallet, chain }: WalletOnChain, transactions: readonly WalletTransaction[]) {
  const rows = transactions.flatMap(({ block, index, movements }) =>
    movements.map((movement, place) => {
      const { multiplier = null, known = true } = movement.unit ?? {}
      return { ...movement, block, index, place, multiplier, known }
    }),
  )
  const places = {
    block: 'bigint',
    index: 'integer',
    place: 'integer',
    leg: 'integer',
    debt: 'boolean',
    known: 'boolean',
  }
  const amounts = { tokenId: 'numeric', amountRaw: 'numeric', multiplier: 'numeric' }
  const columns = { ...places, ...amounts, token: 'text', counterparty: 'text', treatment: 'text' }
  await sql`
    insert into history_movement
      (wallet, chain, block, tx_index, place, leg, debt, multiplier_known, token_id, amount, multiplier, token,
        counterparty, treatment)
    select ${wallet}, ${chain}, block, "index", place, leg, debt, known, "tokenId", "amountRaw", multiplier, token,
      counterparty, treatment
    from ${rowTable('moved', columns, rows)}`.execute(trx)
}

/** A reorg changes the hash. Other indexes go too: where nodes omit them, transactions are numbered as found. */
export async function dropReplaced(
  trx: Trx,
  { wallet, chain }: WalletOnChain,
  transactions: readonly WalletTransaction[],
): Promise<{ places: Place[]; hashes: ReadonlySet<string> }> {
  if (transactions.length === 0) return { places: [], hashes: new Set() }
  const { rows } = await sql<{ block: bigint; block_time: Date; hash: string }>`
    delete from history_transaction as stored
    using ${rowTable('found', { block: 'bigint', blockHash: 'text', index: 'integer', hash: 'text' }, transactions)}
    where stored.wallet = ${wallet} and stored.chain = ${chain} and stored.block = found.block
      and (stored.block_hash <> found."blockHash" or (stored.tx_index = found."index") <> (stored.hash = found.hash))
    returning stored.block, stored.block_time, stored.hash`.execute(trx)
  return { places: placesOf(rows), hashes: new Set(rows.map(({ hash }) => hash)) }
}

export async function dropOthers(
  trx: Trx,
  { wallet, chain }: WalletOnChain,
  ranges: readonly BlockRange[],
  found: readonly WalletTransaction[],
): Promise<Place[]> {
  if (ranges.length === 0) return []
  const { rows } = await sql<{ block: bigint; block_time: Date }>`
    delete from history_transaction as stored
    using ${rowTable('searched', { fromBlock: 'bigint', toBlock: 'bigint' }, ranges)}
    where stored.wallet = ${wallet} and stored.chain = ${chain} and stored.block between "fromBlock" and "toBlock"
      and stored.hash <> all (${found.map(({ hash }) => hash)}::text[])
    returning stored.block, stored.block_time`.execute(trx)
  return placesOf(rows)
}

/** Stays well below the statement timeout, movements included. */
const DROPPED_AT_ONCE = 10_000

export async function dropFrom(trx: Trx, { wallet, chain }: WalletOnChain, block: bigint): Promise<Place[]> {
  const gone: { block: bigint; block_time: Date }[] = []
  for (let dropped = DROPPED_AT_ONCE; dropped >= DROPPED_AT_ONCE; ) {
    const { rows } = await sql<{ block: bigint; block_time: Date }>`
      delete from history_transaction
      where wallet = ${wallet} and chain = ${chain} and block >= coalesce((
        select block from history_transaction
        where wallet = ${wallet} and chain = ${chain} and block >= ${block}
        order by block desc offset ${DROPPED_AT_ONCE - 1} limit 1), ${block})
      returning block, block_time`.execute(trx)
    // Not spread: a call takes fewer arguments.
    for (const row of rows) gone.push(row)
    dropped = rows.length
  }
  await sql`
    delete from history_state where wallet = ${wallet} and chain = ${chain} and block >= ${block}`.execute(trx)
  return [...placesOf(gone), ...(await dropAdjustments(trx, { wallet, chain }, block))]
}

/** Also returns the first movement of tokens that lost their last gap. */
export async function dropAdjustments(trx: Trx, { wallet, chain }: WalletOnChain, from: bigint): Promise<Place[]> {
  const gone = await trx
    .deleteFrom('history_adjustment')
    .where((eb) => eb.and({ wallet, chain }))
    .where('block', '>=', from)
    .returning(['block', 'block_time', 'token', 'kind'])
    .execute()
  const gaps = gone.filter(({ kind }) => kind === 'gap').map(({ token }) => token)
  const doubted = await firstDoubted(trx, { wallet, chain }, gaps)
  return [...placesOf(gone), ...(doubted === undefined ? [] : [{ block: from, time: doubted }])]
}
