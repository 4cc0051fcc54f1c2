import type { Address } from '../src/domain/address.ts'
import { decimal } from '../src/domain/decimal.ts'
import type { Position } from '../src/domain/position.ts'
import type { Price } from '../src/domain/price.ts'
import type { Token } from '../src/domain/token.ts'
import type { Holding, WalletRead } from '../src/domain/wallet-read.ts'

/** Listed, on Ethereum, with 18 decimals and its symbol as its name. */
export const tokenOf = <A extends Address>(address: A, symbol: string, more: Partial<Token<A>> = {}): Token<A> => ({
  ...{ chain: 'ethereum', address, symbol, name: symbol, decimals: 18, listed: true },
  ...more,
})

/** A sure price, on Ethereum. */
export const priceOf = (token: Address, usd: string, more: Partial<Price> = {}): Price => ({
  ...{ chain: 'ethereum', token, usd: decimal(usd), source: 'chainlink', confidence: 1 },
  ...more,
})

export const heldOf = (token: Address, amountRaw: bigint, receipt = false): Holding => ({ token, amountRaw, receipt })

/** Empty, on Ethereum. */
export const readOf = (wallet: Address, more: Partial<WalletRead> = {}): WalletRead => ({
  ...{ chain: 'ethereum', wallet, block: 1n, blockTime: 1, readAt: 1_000 },
  ...{ holdings: [], positions: [], tokens: [], prices: [], gaps: [] },
  ...more,
})

/** Empty, in Aave's main market on Ethereum. */
export const lendingOf = (more: Partial<Position>): Position => ({
  ...{ protocol: 'aave_v3', chain: 'ethereum', kind: 'lending', label: 'Main' },
  ...{ supplied: [], borrowed: [], rewards: [], receipts: [] },
  ...more,
})
