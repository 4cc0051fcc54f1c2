import type { EvmAddress } from '../../../domain/evm-address.ts'
import routers from './routers.json' with { type: 'json' }

/** Routers by chain, and the protocol that they trade at; of a router for several versions, the one in the middle. */
type Exchange = { key: string; routers: Readonly<Record<string, readonly EvmAddress[]>> }

/**
 * Sources: `@uniswap/sdk-core`, `@uniswap/universal-router-sdk`, `@uniswap/v3-periphery` (the first router of v3),
 * `@pancakeswap/universal-router-sdk`, `sushi` (SushiSwap v2). The v2 routers of PancakeSwap, QuickSwap and Trader Joe are those
 * that several public repositories name.
 */
export const exchangeRows = routers as unknown as readonly Exchange[]
