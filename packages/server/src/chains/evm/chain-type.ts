import { evmAddresses } from '@coffer/contract'
import { getAddress } from 'viem'
import { evmAddress } from '../../domain/evm-address.ts'
import type { Chain } from '../chain.ts'
import type { ChainType } from '../chain-type.ts'
import { RpcRefusal, type RpcRequest } from '../rpc/json-rpc.ts'
import { requestEach } from '../rpc/request-each.ts'
import type { RpcEndpoint } from '../rpc/rpc-endpoint.ts'
import type { ChainProof } from '../rpc/rpc-pool.ts'
import { hashRequest } from './blocks.ts'
import { EVM, evmChains, ownEvmChain } from './chains.ts'
import { evmReading } from './create-reading.ts'
import { bridgeRows } from './decode/contract-directory.ts'
import { labelledProtocols } from './decode/contract-labels.ts'
import { functionName, selectorsNamed } from './decode/named-actions.ts'
import { examineEvm } from './examine.ts'
import { evmPriceSources } from './prices/sources.ts'
import { protocolAdapters, protocolRows } from './protocols/protocols.ts'
import { type Hex, parseQuantity } from './rpc-values.ts'
import { verifyEvmOwner } from './wallet-signature.ts'

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
  proofOf,
  examine: examineEvm,
  verifyOwner: verifyEvmOwner,
  signIn: { network: 'Ethereum', chainId: '1', spell: (address) => getAddress(evmAddress(address)) },
  protocols: protocolRows,
  protocolAdapters,
  names: { bridges: bridgeRows, labelled: labelledProtocols, functionName, selectorsNamed },
  open: evmReading,
  priceSources: evmPriceSources,
}

const chainIdRequest: RpcRequest<bigint> = {
  method: 'eth_chainId',
  params: [],
  parse: parseQuantity,
}

/** A local chain proves only its ID: it may restart. */
function proofOf({ chainId, isLocal }: Chain, recallGenesis: (shown: Hex) => Promise<string>): ChainProof {
  return async (endpoint) => {
    const { id, first } = await shownBy(endpoint, isLocal)
    if (String(id) !== chainId) return `it shows chain id ${id}, expected ${chainId}`
    if (first === null) return undefined
    const expected = await recallGenesis(first)
    return expected === first ? undefined : `its first block is ${first}, expected ${expected}`
  }
}

async function shownBy(endpoint: RpcEndpoint, isLocal: boolean): Promise<{ id: bigint; first: Hex | null }> {
  if (isLocal) return { id: await endpoint.request(chainIdRequest), first: null }
  // Nodes without history may answer null or refuse; the chain ID then suffices.
  const [id, first] = await requestEach<bigint | Hex | null>(endpoint, [chainIdRequest, hashRequest(0n)])
  if (id instanceof RpcRefusal) throw id
  return { id: BigInt(id ?? 0), first: typeof first === 'string' ? first : null }
}
