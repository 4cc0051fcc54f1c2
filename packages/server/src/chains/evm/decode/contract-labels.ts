import type { EvmAddress } from '../../../domain/evm-address.ts'
import { readAsset } from '../../../lib/asset.ts'
import type { OwnLabel } from '../../settings.ts'

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

export type LabelsOf = (chain: string) => (address: EvmAddress) => ContractLabel | undefined

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

/** Roles by `usage_category` of the Open Labels Initiative; contracts of other categories name their owner alone. */
const BY_CATEGORY: Readonly<Record<string, ContractRole>> = {
  airdrop: 'distributor',
  bridge: 'bridge',
  dex: 'exchange',
  lending: 'lending',
  nft_marketplace: 'exchange',
  staking: 'staking',
  yield_vaults: 'vault',
}

/** The labels of a chain's contracts: the operator's, then those of published lists. Lower case. */
export function createLabels(own: readonly OwnLabel[]): LabelsOf {
  const byPlace = new Map(
    own.map(({ chain, address, protocol, category }): [string, ContractLabel] => [
      `${chain} ${address}`,
      { protocol, role: BY_CATEGORY[category] ?? 'other' },
    ]),
  )
  return (chain) => {
    const published = labelsOf(chain)
    return (address) => byPlace.get(`${chain} ${address}`) ?? published(address)
  }
}

/** The labels of a chain's contracts, from published lists. Lower case. */
export const labelsOf: LabelsOf = (chain) => {
  const known = allLabels().chains.get(chain)
  return (address) => known?.get(address)
}

/** The protocols in the list. */
export const labelledProtocols = () => allLabels().protocols
