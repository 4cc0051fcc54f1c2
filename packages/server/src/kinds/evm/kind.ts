import { evmAddress } from '../../domain/evm-address.ts'
import type { ChainKind } from '../kind.ts'
import { createEvmChainProof } from './evm-chain-proof.ts'
import { examineEvm } from './examine.ts'
import { evmPriceSources } from './prices/sources.ts'

const ADDRESS = /^0x[0-9a-f]{40}$/i

export const evmKind: ChainKind = {
  name: 'evm',
  ownsAddress: (wallet) => ADDRESS.test(wallet),
  spell: evmAddress,
  poolOptions: {},
  proofOf: createEvmChainProof,
  examine: examineEvm,
  keepsPastStates: true,
  priceSources: evmPriceSources,
}
