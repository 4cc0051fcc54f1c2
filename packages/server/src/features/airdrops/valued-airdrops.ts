import { type Decimal, fromRaw, sum } from '../../domain/decimal.ts'
import type { Price } from '../../domain/price.ts'
import type { SolanaAddress } from '../../domain/solana-address.ts'
import type { Token } from '../../domain/token.ts'
import { type ValuedAsset, valueAsset } from '../../domain/valuation.ts'
import type { SolanaReader } from '../../kinds/solana/reader/solana-reader.ts'
import type { Clock } from '../../lib/clock.ts'
import { askCoinRates, type CoinRates, conversionRates, type UsdPerEach } from '../portfolio/conversion-rates.ts'
import type { Airdrop, AirdropPart } from './airdrop.ts'
import type { FindAirdrops, FoundAirdrops } from './find-airdrops.ts'

/**
 * Prices tokens for the given amounts, in base units; tokens without a price are absent. A source that fails leaves its
 * tokens without one.
 */
export type PriceMints = (
  reader: SolanaReader,
  amounts: readonly { token: Token; amountRaw: bigint }[],
) => Promise<ReadonlyMap<SolanaAddress, Price>>

export type ValuedPart = AirdropPart & { asset: ValuedAsset }

/** `value` counts what can be claimed now. */
export type ValuedAirdrop = Omit<Airdrop, 'parts'> & { parts: readonly ValuedPart[]; value: Decimal }

export type WalletAirdrops = Pick<FoundAirdrops, 'clock' | 'gaps'> & {
  address: SolanaAddress
  /** Unix milliseconds. */
  readAt: number
  airdrops: readonly ValuedAirdrop[]
  /** USD per unit by symbol in capitals; null if unknown. */
  rates: CoinRates
}

/** Rejects with `UpstreamError` when the chain cannot be read. */
export type ReadAirdrops = (wallet: SolanaAddress) => Promise<WalletAirdrops>

export function createReadAirdrops({
  openReader,
  find,
  price,
  usdPerEach,
  clock,
}: {
  openReader(): SolanaReader
  find: FindAirdrops
  price: PriceMints
  usdPerEach: UsdPerEach
  clock: Clock
}): ReadAirdrops {
  return async function readAirdrops(wallet) {
    const reader = openReader()
    const coins = askCoinRates(usdPerEach)
    const { airdrops, tokens, ...found } = await find(reader, wallet).catch((error: unknown) =>
      coins.then(() => Promise.reject(error)),
    )
    const named = new Map(airdrops.map(({ mint }) => [mint, tokenOf(mint, airdrops, tokens)]))
    const amounts = [...named].map(([mint, token]) => ({ token, amountRaw: claimableOf(airdrops, mint) }))
    const prices = amounts.length > 0 ? await price(reader, amounts) : new Map()
    const valued = airdrops.map((airdrop) => valueAirdrop(airdrop, named.get(airdrop.mint) as Token, prices))
    const assets = valued.flatMap(({ parts }) => parts.map(({ asset }) => asset))
    const rates = conversionRates(assets, await coins)
    return { address: wallet, readAt: clock.now(), ...found, airdrops: valued, rates }
  }
}

/** The token as lists name it, otherwise as a source with a proven claim on it does, otherwise as its mint does. */
function tokenOf(mint: SolanaAddress, airdrops: readonly Airdrop[], tokens: ReadonlyMap<SolanaAddress, Token>): Token {
  const token = tokens.get(mint) as Token
  const said = airdrops.find((airdrop) => airdrop.mint === mint && airdrop.token)?.token
  return token.listed || !said ? token : { ...token, ...said }
}

function claimableOf(airdrops: readonly Airdrop[], mint: SolanaAddress): bigint {
  const parts = airdrops.flatMap((airdrop) => (airdrop.mint === mint ? airdrop.parts : []))
  return parts.reduce((total, { isClaimable, amountRaw }) => (isClaimable ? total + amountRaw : total), 0n)
}

function valueAirdrop(airdrop: Airdrop, token: Token, prices: ReadonlyMap<SolanaAddress, Price>): ValuedAirdrop {
  const parts = airdrop.parts.map((part) => ({
    ...part,
    asset: valueAsset(token, fromRaw(part.amountRaw, token.decimals), prices.get(token.address)),
  }))
  return { ...airdrop, parts, value: sum(parts.filter((part) => part.isClaimable).map(({ asset }) => asset.value)) }
}
