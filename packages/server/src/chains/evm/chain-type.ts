import { evmAddresses } from '@coffer/contract'
import { getAddress } from 'viem'
import { evmAddress } from '../../domain/evm-address.ts'
import type { ChainType } from '../chain-type.ts'
import { EVM, evmChains, ownEvmChain } from './chains.ts'
import { bridgeRows } from './decode/bridge-rows.ts'
import { labelledProtocols } from './decode/contract-labels.ts'
import { functionName, selectorsNamed } from './decode/function-names.ts'
import { createEvmChainProof } from './evm-chain-proof.ts'
import { examineEvm } from './examine.ts'
import { openEvm } from './open.ts'
import { verifyEvmOwner } from './owner-signature.ts'
import { evmPriceSources } from './prices/sources.ts'
import { protocolAdapters, protocolRows } from './protocols/protocols.ts'

const ADDRESS = /^0x[0-9a-f]{40}$/i

export const evmChainType: ChainType = {
  name: EVM,
  chains: evmChains,
  ownChain: ownEvmChain,
  sections: ['protocols', 'bridges', 'priceFeeds', 'blockscoutUrls'],
  addressForm: { pattern: '0x[0-9a-fA-F]{40}', described: '0x and 40 hex digits' },
  addresses: evmAddresses,
  ownsAddress: (wallet) => ADDRESS.test(wallet),
  spell: evmAddress,
  poolOptions: {},
  proofOf: createEvmChainProof,
  examine: examineEvm,
  verifyOwner: verifyEvmOwner,
  signIn: { network: 'Ethereum', chainId: '1', spell: (address) => getAddress(evmAddress(address)) },
  protocols: protocolRows,
  protocolAdapters,
  names: { bridges: bridgeRows, labelled: labelledProtocols, functionName, selectorsNamed },
  open: openEvm,
  priceSources: evmPriceSources,
}
