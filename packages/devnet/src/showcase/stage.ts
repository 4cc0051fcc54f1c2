import type { Address } from 'viem'
import type { EthereumActions } from '../actions.ts'
import type { DevChain } from '../chain.ts'
import { accounts, wallets } from '../wallets.ts'

/** Entry of `protocols` in the configuration. */
export type ProtocolRow = { family: string; key: string; name: string; chain: string; deployment: object }

/** Entry of `tokens` in the configuration. */
export type TokenRow = { chain: string; address: Address; symbol: string; name: string; decimals: number }

/** `list` adds a token of 18 decimals to the configuration. An unlisted one has no price while fully staked. */
export type Stage = { chain: DevChain; actions: EthereumActions; list: (address: Address, symbol: string) => void }

/** Returns deployments that no shipped catalog has. */
export type Exhibit = (stage: Stage) => Promise<ProtocolRow[]>

export const collector: Address = wallets.collector.address
/** Provides the other side of markets, and rewards. */
export const provider: Address = accounts.market

const CHAIN = 'ethereum'

export const tokenRow = (address: Address, symbol: string): TokenRow => ({
  ...{ chain: CHAIN, address, symbol, name: symbol, decimals: 18 },
})

export const row = (family: string, key: string, name: string, deployment: object): ProtocolRow => ({
  ...{ family, key, name, chain: CHAIN, deployment },
})
