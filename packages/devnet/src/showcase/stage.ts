import type { Address } from 'viem'
import type { EthereumActions } from '../actions.ts'
import type { DevChain } from '../chain.ts'
import { accounts, wallets } from '../wallets.ts'

/** A row of `protocols` in the service's configuration file. */
export type ProtocolRow = { family: string; key: string; name: string; chain: string; deployment: object }

export type Stage = { chain: DevChain; actions: EthereumActions }

/** Deploys protocols, opens positions in them, and answers the rows that no shipped catalog can have. */
export type Exhibit = (stage: Stage) => Promise<ProtocolRow[]>

/** The wallet that has the positions. */
export const collector: Address = wallets.collector.address
/** Gives what positions of one wallet alone would lack: the other side of a market, rewards. */
export const provider: Address = accounts.market

export const row = (family: string, key: string, name: string, deployment: object): ProtocolRow => ({
  ...{ family, key, name, chain: 'ethereum', deployment },
})
