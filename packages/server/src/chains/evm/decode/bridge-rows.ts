import type { EvmAddress } from '../../../domain/evm-address.ts'
import bridges from './bridges.json' with { type: 'json' }
import routers from './routers.json' with { type: 'json' }

export type Bridge = {
  /** snake_case; must differ from protocol keys. */
  key: string
  name: string
  /** By chain key, lower case. */
  contracts: Readonly<Record<string, readonly EvmAddress[]>>
}

/**
 * Canonical bridges of rollups and the largest others: only contracts that take coins in, pay them out or log every
 * transfer. A chain's own bridge is `<chain>_bridge`.
 */
export const bridgeRows = bridges as unknown as readonly Bridge[]

/**
 * A router for several versions has the key of the middle one. Sources: `@uniswap/sdk-core`, `@uniswap/universal-router-sdk`, `@uniswap/v3-periphery` (first router of v3),
 * `@pancakeswap/universal-router-sdk`, `sushi` (SushiSwap v2). Several public repositories name the v2 routers of
 * PancakeSwap, QuickSwap and Trader Joe.
 */
export const exchangeRows = routers as unknown as readonly {
  key: string
  routers: Readonly<Record<string, readonly EvmAddress[]>>
}[]
