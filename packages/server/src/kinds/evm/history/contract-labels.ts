import type { EvmAddress } from '../../../domain/evm-address.ts'
import { readAsset } from '../../../lib/asset.ts'

/** The purpose of a protocol's contract, as far as that determines what a call of it did. */
export type ContractRole =
  | 'bridge'
  | 'distributor'
  | 'exchange'
  | 'lending'
  | 'staking'
  | 'vault'
  /** Only the owner of the contract is known. */
  | 'other'

/** The owner of a contract: `protocol` is a key of the catalog of labels. */
export type ContractLabel = { protocol: string; role: ContractRole }

type File = {
  protocols: Record<string, string>
  chains: Record<string, Record<string, [protocol: string, role: ContractRole]>>
}

type Labels = {
  protocols: readonly { key: string; name: string }[]
  chains: ReadonlyMap<string, ReadonlyMap<string, ContractLabel>>
}

let labels: Labels | undefined

/** Loads the list on first use. */
function allLabels(): Labels {
  labels ??= read(JSON.parse(readAsset('contract-labels.json')) as File)
  return labels
}

function read({ protocols, chains }: File): Labels {
  const ofChain = (contracts: File['chains'][string]) =>
    new Map(Object.entries(contracts).map(([address, [protocol, role]]) => [address, { protocol, role }]))
  return {
    protocols: Object.entries(protocols).map(([key, name]) => ({ key, name })),
    chains: new Map(Object.entries(chains).map(([chain, contracts]) => [chain, ofChain(contracts)])),
  }
}

/** The labels of a chain's contracts, from published lists. Lower case. */
export function labelsOf(chain: string): (address: EvmAddress) => ContractLabel | undefined {
  const known = allLabels().chains.get(chain)
  return (address) => known?.get(address)
}

/** The protocols in the list. */
export const labelledProtocols = () => allLabels().protocols
