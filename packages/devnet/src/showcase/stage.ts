import type { Address } from 'viem'
import type { EthereumActions } from '../actions.ts'
import type { DevChain } from '../chain.ts'
import { accounts, wallets } from '../wallets.ts'

/** A row of `protocols` in the service's configuration file. */
export type ProtocolRow = { family: string; key: string; name: string; chain: string; deployment: object }

/** A row of `tokens` in it. */
export type TokenRow = { chain: string; address: Address; symbol: string; name: string; decimals: number }

/** `list`: puts a token of 18 decimals into the configuration; what no list names has no price while all of it is staked. */
export type Stage = { chain: DevChain; actions: EthereumActions; list: (address: Address, symbol: string) => void }

/** Deploys protocols, opens positions in them, and answers the rows that no shipped catalog can have. */
export type Exhibit = (stage: Stage) => Promise<ProtocolRow[]>

/** The wallet that has the positions. */
export const collector: Address = wallets.collector.address
/** Gives what positions of one wallet alone would lack: the other side of a market, rewards. */
export const provider: Address = accounts.market

const CHAIN = 'ethereum'

export const tokenRow = (address: Address, symbol: string): TokenRow => ({
  ...{ chain: CHAIN, address, symbol, name: symbol, decimals: 18 },
})

export const row = (family: string, key: string, name: string, deployment: object): ProtocolRow => ({
  ...{ family, key, name, chain: CHAIN, deployment },
})
