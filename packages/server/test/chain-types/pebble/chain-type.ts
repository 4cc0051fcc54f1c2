import type { ChainType } from '../../../src/chains/chain-type.ts'
import { PEBBLE, pebbleAddresses, pebbleChain } from './chain.ts'
import { createPebbleReading, pebblePriceSources } from './create-reading.ts'
import { headRequest, networkRequest } from './requests.ts'

/** The least that a chain type can be: one coin. */
export const pebbleChainType: ChainType = {
  name: PEBBLE,
  chains: [pebbleChain],
  sections: [],
  addressForm: { pattern: '[pP][bB][lL]1[0-9a-zA-Z]{20}', described: 'pbl1 and 20 digits on Pebble' },
  addresses: pebbleAddresses,
  ownsAddress: (wallet) => pebbleAddresses.parse(wallet) !== undefined,
  spell: (address) => address.toLowerCase(),
  poolOptions: {},
  proofOf:
    ({ chainId }) =>
    async (endpoint) => {
      const network = await endpoint.request(networkRequest)
      return network === chainId ? undefined : `it is of network ${network}, expected ${chainId}`
    },
  async examine(pool, clock) {
    const { height, time } = await pool.session().request(headRequest)
    return { head: height.toString(), lagSeconds: Math.round(clock.now() / 1_000) - time }
  },
  protocols: [],
  protocolAdapters: new Map(),
  open: createPebbleReading,
  priceSources: pebblePriceSources,
}
