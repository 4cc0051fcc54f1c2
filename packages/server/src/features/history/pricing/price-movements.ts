import { sql } from 'kysely'
import type { PricesAt } from '../../../chains/chain-reading.ts'
import { RpcRefusal } from '../../../chains/rpc/json-rpc.ts'
import { rowTable } from '../../../db/row-table.ts'
import type { Db } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import { type Decimal, decimalOrNull, formatDecimal, fromRaw, sum, ZERO } from '../../../domain/decimal.ts'
import type { Price } from '../../../domain/price.ts'
import type { Token } from '../../../domain/token.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { WarnLog } from '../../../lib/logger.ts'
import type { FindTokens } from '../../../wallets/create-reading.ts'
import { noteChange } from '../store/history-changes.ts'

/** Per commit. */
const BLOCKS = 200

type PricingContext = {
  db: Db
  pricesAt: PricesAt
  findTokens: FindTokens
  log: WarnLog
}

export async function priceMovements(context: PricingContext, of: WalletOnChain, signal: AbortSignal): Promise<void> {
  const { db, pricesAt, findTokens } = context
  const pricesOf = pricesAt(of.chain)
  for (;;) {
    signal.throwIfAborted()
    const entries = await findUnpriced(db, of, BLOCKS)
    if (entries.length === 0) return
    const tokens = [...new Set(entries.map(({ token }) => token))]
    const find = await findTokens(of.chain, tokens)
    const blocks = [...Map.groupBy(entries, ({ block }) => block)]
    const asked = blocks.map(([block, of]) => ({ block, time: of[0]?.time ?? 0, amounts: amountsOf(of) }))
    const found = await pricesOf(asked).catch((err: unknown) => refusePrices(context, of, err))
    // The next sync tries again.
    if (!found) return
    const prices = blocks.flatMap(([, inBlock], i) => priceBlock(inBlock, found[i] ?? new Map()))
    const since = entries.reduce((least, { time }) => Math.min(least, time), Number.MAX_SAFE_INTEGER)
    await savePrices(db, of, since, prices, valuesOf(entries, prices, find))
  }
}

/** A refusal of past blocks leaves movements unpriced; other failures fail the sync. */
function refusePrices({ log }: PricingContext, { chain }: WalletOnChain, err: unknown): undefined {
  if (!(err instanceof RpcRefusal) || err.kind === 'rate-limited') throw err
  log.warn(
    { err, chain },
    'a node refused to read past blocks: movements stay unpriced until the next try; an archive node can price them',
  )
}

function amountsOf(entries: readonly UnpricedEntry[]): Map<Address, bigint> {
  const amounts = new Map<Address, bigint>()
  for (const { token, amountRaw } of entries.filter(isPriced)) {
    const size = amountRaw < 0n ? -amountRaw : amountRaw
    if (size > (amounts.get(token) ?? -1n)) amounts.set(token, size)
  }
  return amounts
}

/** Spam, NFTs and amounts of unknown unit have no price. */
const isPriced = ({ treatment, tokenId, multiplierKnown }: UnpricedEntry) =>
  treatment !== 'spam' && tokenId === null && multiplierKnown

function priceBlock(entries: readonly UnpricedEntry[], prices: ReadonlyMap<Address, Price>): EntryPrice[] {
  return entries.map((entry) => {
    const { block, tx_index, place, token, multiplier } = entry
    const price = isPriced(entry) ? prices.get(token) : undefined
    // Dated sources quote displayed units.
    const usd = price && (multiplier === null ? price.usd : price.usd.times(multiplier))
    return { block, tx_index, place, token, usd: usd ? formatDecimal(usd) : null, source: price?.source ?? null }
  })
}

/** In USD. */
function valuesOf(
  entries: readonly UnpricedEntry[],
  prices: readonly EntryPrice[],
  find: (token: Address) => Token | undefined,
): TransactionValue[] {
  const priceOf = new Map(prices.map((price) => [placeOf(price), price.usd]))
  const transactions = Map.groupBy(entries, ({ block, tx_index }) => `${block} ${tx_index}`)
  return [...transactions.values()].flatMap((movements) => {
    const [first] = movements
    if (!first || first.tx_index === null) return []
    const valued = movements.map((movement) => {
      const places = find(movement.token)?.decimals
      // Base units have no price.
      const price = places === undefined ? null : (priceOf.get(placeOf(movement)) ?? null)
      return { ...movement, quantity: fromRaw(movement.amountRaw, places ?? 0), price: decimalOrNull(price) }
    })
    const gas = valued.filter(({ treatment }) => treatment === 'fee')
    const fee = gas.every(({ price }) => price !== null) ? sum(gas.map((each) => worthOf(each).abs())) : null
    const value = valueMoved(valued)
    const { block, tx_index } = first
    return [{ block, tx_index, valueUsd: value && formatDecimal(value), feeUsd: fee && formatDecimal(fee) }]
  })
}

type Valued = UnpricedEntry & { quantity: Decimal; price: Decimal | null }

const worthOf = ({ quantity, price }: Valued) => quantity.times(price ?? ZERO)

/** The larger of received and given USD, without gas and debts; null: nothing moved. */
function valueMoved(movements: readonly Valued[]): Decimal | null {
  const values = movements.filter(({ treatment, debt }) => treatment !== 'fee' && !debt).map(worthOf)
  if (values.length === 0) return null
  const received = sum(values.filter((value) => value.gt(0)))
  const given = sum(values.filter((value) => value.lt(0))).abs()
  return received.gt(given) ? received : given
}

const placeOf = ({ block, tx_index, place }: EntryPlace) => `${block} ${tx_index} ${place}`

/** `tx_index` null: an adjustment. */
type EntryPlace = { block: bigint; tx_index: number | null; place: number; token: Address }

type UnpricedEntry = EntryPlace & {
  time: number
  tokenId: string | null
  amountRaw: bigint
  debt: boolean
  treatment: string
  /** Displayed units per stored unit; null: equal. */
  multiplier: string | null
  multiplierKnown: boolean
}

/** USD per stored unit; null: unknown. */
type EntryPrice = EntryPlace & { usd: string | null; source: string | null }

type TransactionValue = { block: bigint; tx_index: number; valueUsd: string | null; feeUsd: string | null }

/** Includes priced movements of the same blocks. */
async function findUnpriced(db: Db, { wallet, chain }: WalletOnChain, blocks: number): Promise<UnpricedEntry[]> {
  const { rows } = await sql<Omit<UnpricedEntry, 'amountRaw' | 'time'> & { amount: string; block_time: Date }>`
    with block as (
      select block from (
        select block from history_movement where wallet = ${wallet} and chain = ${chain} and priced_at is null
        union
        select block from history_adjustment where wallet = ${wallet} and chain = ${chain} and priced_at is null) as open
      order by block desc limit ${blocks})
    select movement.block, block_time, movement.tx_index, place, token, token_id as "tokenId", amount, debt, treatment,
      multiplier::text, multiplier_known as "multiplierKnown"
    from block
    join history_movement as movement on movement.wallet = ${wallet} and movement.chain = ${chain}
      and movement.block = block.block
    join history_transaction as tx on tx.wallet = ${wallet} and tx.chain = ${chain}
      and tx.block = movement.block and tx.tx_index = movement.tx_index
    union all
    select block, block_time, null, 0, token, null, amount, debt, kind, null, true
    from history_adjustment
    where wallet = ${wallet} and chain = ${chain} and priced_at is null and block in (select block from block)`.execute(
    db,
  )
  return rows.map(({ amount, block_time, ...row }) => ({
    ...row,
    time: block_time.getTime() / 1000,
    amountRaw: BigInt(amount),
  }))
}

const PRICED = { block: 'bigint', usd: 'numeric', source: 'text' }
const VALUED = { block: 'bigint', tx_index: 'integer', valueUsd: 'numeric', feeUsd: 'numeric' }

async function savePrices(
  db: Db,
  { wallet, chain }: WalletOnChain,
  since: number,
  prices: readonly EntryPrice[],
  values: readonly TransactionValue[],
): Promise<void> {
  const now = new Date()
  const moved = prices.filter(({ tx_index }) => tx_index !== null)
  const adjusted = prices.filter(({ tx_index }) => tx_index === null)
  await db.transaction().execute(async (trx) => {
    await sql`
      update history_movement as movement
      set price = priced.usd, price_source = priced.source, priced_at = ${now}
      from ${rowTable('priced', { ...PRICED, tx_index: 'integer', place: 'integer' }, moved)}
      where movement.wallet = ${wallet} and movement.chain = ${chain} and movement.block = priced.block
        and movement.tx_index = priced.tx_index and movement.place = priced.place`.execute(trx)
    await sql`
      update history_adjustment as adjustment
      set price = priced.usd, price_source = priced.source, priced_at = ${now}
      from ${rowTable('priced', { ...PRICED, token: 'text' }, adjusted)}
      where adjustment.wallet = ${wallet} and adjustment.chain = ${chain} and adjustment.block = priced.block
        and adjustment.token = priced.token`.execute(trx)
    await sql`
      update history_transaction as tx set value_usd = valued."valueUsd", fee_usd = valued."feeUsd"
      from ${rowTable('valued', VALUED, values)}
      where tx.wallet = ${wallet} and tx.chain = ${chain} and tx.block = valued.block
        and tx.tx_index = valued.tx_index`.execute(trx)
    await noteChange(trx, wallet, since)
  })
}
