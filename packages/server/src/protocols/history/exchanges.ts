import type { EvmAddress } from '../../domain/evm-address.ts'

/** Routers by chain and the key of the protocol that they trade at. */
type Exchange = { key: string; routers: Readonly<Record<string, readonly EvmAddress[]>> }

/** Source: Uniswap's deployments (`@uniswap/v2-periphery`, `@uniswap/v3-periphery`). */
const exchanges: readonly Exchange[] = [
  {
    key: 'uniswap_v2',
    routers: {
      ethereum: ['0x7a250d5630b4cf539739df2c5dacb4c659f2488d'],
    },
  },
  {
    key: 'uniswap_v3',
    routers: {
      ethereum: ['0xe592427a0aece92de3edee1f18e0157c05861564'],
    },
  },
]

/** Routers on a chain with the keys of their protocols. */
export function exchangesOn(chain: string): [EvmAddress, string][] {
  return exchanges.flatMap(({ key, routers }) =>
    (routers[chain] ?? []).map((address): [EvmAddress, string] => [address, key]),
  )
}
