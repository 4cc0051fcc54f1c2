import type { PricesAt } from '../../../chains/past-prices.ts'
import { RpcRefusal } from '../../../chains/rpc/json-rpc.ts'
import type { Address } from '../../../domain/address.ts'
import { type Decimal, decimalOrNull, formatDecimal, fromRaw, sum, ZERO } from '../../../domain/decimal.ts'
import type { Price } from '../../../domain/price.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { Logger } from '../../../lib/logger.ts'
import type { EntryPrice, PriceStore, TransactionValue, UnpricedEntry } from './price-store.ts'

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

/** Prices as of the movement's block. */
export function createPriceMovements({
  store,
  pricesAt,
  decimalsOf,
  log,
}: {
  store: PriceStore
  pricesAt: PricesAt
  /** undefined: not a token. */
  decimalsOf(chain: string, tokens: readonly Address[]): Promise<(token: Address) => number | undefined>
  log: Pick<Logger, 'warn'>
}) {
  return async function priceMovements(of: WalletOnChain, signal: AbortSignal): Promise<void> {
    const pricesOf = pricesAt(of.chain)
    for (;;) {
      signal.throwIfAborted()
      const entries = await store.unpriced(of, BLOCKS)
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
      await store.save(of, since, prices, valuesOf(entries, prices, decimals))
    }
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
