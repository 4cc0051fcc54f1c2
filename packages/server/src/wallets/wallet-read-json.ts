import { type Decimal, decimal } from '../domain/decimal.ts'
import type { Perpetual, Position, TokenAmount } from '../domain/position.ts'
import type { Price } from '../domain/price.ts'
import type { Holding, WalletRead } from '../domain/wallet-read.ts'

type Stored<T> = T extends bigint
  ? string
  : T extends Decimal
    ? string
    : T extends (infer Item)[]
      ? Stored<Item>[]
      : T extends object
        ? { [K in keyof T]: Stored<T[K]> }
        : T

export type ReadBody = Pick<WalletRead, 'holdings' | 'positions' | 'tokens' | 'prices' | 'gaps'>
export type StoredBody = Stored<ReadBody>

export function encodeBody(body: ReadBody): string {
  const { holdings, positions, tokens, prices, gaps } = body
  return JSON.stringify({ holdings, positions, tokens, prices, gaps }, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}

export function decodeBody(stored: StoredBody): ReadBody {
  return {
    holdings: stored.holdings.map(decodeAmount<Holding>),
    positions: stored.positions.map(decodePosition),
    tokens: stored.tokens,
    prices: stored.prices.map(decodePrice),
    gaps: stored.gaps,
  }
}

function decodeAmount<T extends TokenAmount>(stored: Stored<T>): T {
  const amount = stored as Stored<TokenAmount>
  return { ...stored, amountRaw: BigInt(amount.amountRaw) } as unknown as T
}

function decodePosition({ healthFactorRaw, tokenId, perpetual, ...stored }: Stored<Position>): Position {
  return {
    ...stored,
    supplied: stored.supplied.map(decodeAmount<TokenAmount>),
    borrowed: stored.borrowed.map(decodeAmount<TokenAmount>),
    rewards: stored.rewards.map(decodeAmount<TokenAmount>),
    ...(healthFactorRaw !== undefined && { healthFactorRaw: BigInt(healthFactorRaw) }),
    ...(tokenId !== undefined && { tokenId: BigInt(tokenId) }),
    ...(perpetual && { perpetual: decodePerpetual(perpetual) }),
  }
}

function decodePerpetual({ side, ...figures }: Stored<Perpetual>): Perpetual {
  return { side, ...Object.fromEntries(Object.entries(figures).map(([name, raw]) => [name, BigInt(raw)])) }
}

function decodePrice({ usd, block, ...stored }: Stored<Price>): Price {
  return { ...stored, usd: decimal(usd), ...(block !== undefined && { block: BigInt(block) }) }
}
