import { type Kysely, sql } from 'kysely'
import type { PricesAt } from '../../../chains/chain-reading.ts'
import { RpcRefusal } from '../../../chains/rpc/json-rpc.ts'
import type { Tables } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import { type Decimal, decimalOrNull, formatDecimal, fromRaw, sum, ZERO } from '../../../domain/decimal.ts'
import type { Price } from '../../../domain/price.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { Logger } from '../../../lib/logger.ts'
import { noteChange } from '../store/history-changes.ts'

type Moved = { quantity: Decimal; price: Decimal | null; treatment: string; debt: boolean }

/** Returns the larger of received and given USD, without gas and debts; null if nothing moved. */
function valueMoved(movements: readonly Moved[]): Decimal | null {
  const moved = movements.filter(({ treatment, debt }) => treatment !== 'fee' && !debt)
  if (moved.length === 0) return null
  const values = moved.map(({ quantity, price }) => quantity.times(price ?? ZERO))
  const received = sum(values.filter((value) => value.gt(0)))
  const given = sum(values.filter((value) => value.lt(0))).abs()
  return received.gt(given) ? received : given
}

/** Per commit. */
const BLOCKS = 200

type PricingContext = {
  db: Kysely<Tables>
  pricesAt: PricesAt
  /** undefined: not a token. */
  decimalsOf(chain: string, tokens: readonly Address[]): Promise<(token: Address) => number | undefined>
  log: Pick<Logger, 'warn'>
}

/** Prices as of the movement's block. */
export async function priceMovements(context: PricingContext, of: WalletOnChain, signal: AbortSignal): Promise<void> {
  const { db, pricesAt, decimalsOf, log } = context
  const pricesOf = pricesAt(of.chain)
  for (;;) {
    signal.throwIfAborted()
    const entries = await findUnpriced(db, of, BLOCKS)
    if (entries.length === 0) return
    const tokens = [...new Set(entries.map(({ token }) => token))]
    const decimals = await decimalsOf(of.chain, tokens)
    const blocks = [...Map.groupBy(entries, ({ block }) => block)]
    const asked = blocks.map(([block, inBlock]) => ({
      block,
      time: inBlock[0]?.time ?? 0,
      amounts: amountsOf(inBlock),
    }))
    const found = await pricesOf(asked).catch(refusedPrices(of, log))
    // The next sync tries again.
    if (!found) return
    const prices = blocks.flatMap(([, inBlock], i) => priceBlock(inBlock, found[i] ?? new Map()))
    const since = entries.reduce((least, { time }) => Math.min(least, time), Number.MAX_SAFE_INTEGER)
    await savePrices(db, of, since, prices, valuesOf(entries, prices, decimals))
  }
}

/** A refusal of past blocks leaves movements unpriced; rate limits and other failures fail the sync. */
function refusedPrices({ chain }: WalletOnChain, log: Pick<Logger, 'warn'>): (error: unknown) => undefined {
  return (err) => {
    if (!(err instanceof RpcRefusal) || err.kind === 'rate-limited') throw err
    log.warn(
      { err, chain },
      'a node refused to read past blocks: movements stay unpriced until the next try; an archive node can price them',
    )
  }
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
    return {
      block,
      tx_index,
      place,
      token,
      usd: usd ? formatDecimal(usd) : null,
      source: price?.source ?? null,
    }
  })
}

/** In USD. */
function valuesOf(
  entries: readonly UnpricedEntry[],
  prices: readonly EntryPrice[],
  decimals: (token: Address) => number | undefined,
): TransactionValue[] {
  const priceOf = new Map(prices.map((price) => [placeOf(price), price.usd]))
  const moved = entries.filter(({ tx_index }) => tx_index !== null)
  const transactions = Map.groupBy(moved, ({ block, tx_index }) => `${block} ${tx_index}`)
  return [...transactions.values()].flatMap((movements) => {
    const [first] = movements
    if (!first || first.tx_index === null) return []
    const valued = movements.map((movement) => {
      const places = decimals(movement.token)
      // Base units have no price.
      const price = places === undefined ? undefined : priceOf.get(placeOf(movement))
      return {
        ...movement,
        quantity: places === undefined ? ZERO : fromRaw(movement.amountRaw, places),
        price: decimalOrNull(price ?? null),
      }
    })
    const gas = valued.filter(({ treatment }) => treatment === 'fee')
    const fee = gas.every(({ price }) => price !== null)
      ? sum(gas.map(({ quantity, price }) => (price ? quantity.times(price).abs() : quantity)))
      : null
    const value = valueMoved(valued)
    return [
      {
        block: first.block,
        tx_index: first.tx_index,
        valueUsd: value && formatDecimal(value),
        feeUsd: fee && formatDecimal(fee),
      },
    ]
  })
}

const placeOf = ({ block, tx_index, place }: Pick<EntryPrice, 'block' | 'tx_index' | 'place'>) =>
  `${block} ${tx_index} ${place}`

/** `tx_index` null: an adjustment. */
type UnpricedEntry = {
  block: bigint
  time: number
  tx_index: number | null
  place: number
  token: Address
  tokenId: string | null
  amountRaw: bigint
  debt: boolean
  treatment: string
  /** Displayed units per stored unit; null: equal. */
  multiplier: string | null
  multiplierKnown: boolean
}

/** USD per stored unit; null: unknown. */
type EntryPrice = Pick<UnpricedEntry, 'block' | 'tx_index' | 'place' | 'token'> & {
  usd: string | null
  source: string | null
}

type TransactionValue = { block: bigint; tx_index: number; valueUsd: string | null; feeUsd: string | null }

/** The newest `blocks` blocks with unpriced entries, and all movements in them. */
async function findUnpriced(
  db: Kysely<Tables>,
  { wallet, chain }: WalletOnChain,
  blocks: number,
): Promise<UnpricedEntry[]> {
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

async function savePrices(
  db: Kysely<Tables>,
  { wallet, chain }: WalletOnChain,
  since: number,
  prices: readonly EntryPrice[],
  values: readonly TransactionValue[],
): Promise<void> {
  const moved = prices.filter(({ tx_index }) => tx_index !== null)
  const adjusted = prices.filter(({ tx_index }) => tx_index === null)
  await db.transaction().execute(async (trx) => {
    await sql`
      update history_movement as movement
      set price = priced.usd::numeric, price_source = priced.source, priced_at = clock_timestamp()
      from unnest(${moved.map(({ block }) => block.toString())}::bigint[],
        ${moved.map(({ tx_index }) => tx_index)}::integer[], ${moved.map(({ place }) => place)}::integer[],
        ${moved.map(({ usd }) => usd)}::text[], ${moved.map(({ source }) => source)}::text[])
        as priced (block, tx_index, place, usd, source)
      where movement.wallet = ${wallet} and movement.chain = ${chain} and movement.block = priced.block
        and movement.tx_index = priced.tx_index and movement.place = priced.place`.execute(trx)
    await sql`
      update history_adjustment as adjustment
      set price = priced.usd::numeric, price_source = priced.source, priced_at = clock_timestamp()
      from unnest(${adjusted.map(({ block }) => block.toString())}::bigint[],
        ${adjusted.map(({ token }) => token)}::text[], ${adjusted.map(({ usd }) => usd)}::text[],
        ${adjusted.map(({ source }) => source)}::text[]) as priced (block, token, usd, source)
      where adjustment.wallet = ${wallet} and adjustment.chain = ${chain} and adjustment.block = priced.block
        and adjustment.token = priced.token`.execute(trx)
    await sql`
      update history_transaction as tx
      set value_usd = valued.value_usd::numeric, fee_usd = valued.fee_usd::numeric
      from unnest(${values.map(({ block }) => block.toString())}::bigint[],
        ${values.map(({ tx_index }) => tx_index)}::integer[], ${values.map(({ valueUsd }) => valueUsd)}::text[],
        ${values.map(({ feeUsd }) => feeUsd)}::text[]) as valued (block, tx_index, value_usd, fee_usd)
      where tx.wallet = ${wallet} and tx.chain = ${chain} and tx.block = valued.block
        and tx.tx_index = valued.tx_index`.execute(trx)
    await noteChange(trx, wallet, since)
  })
}
