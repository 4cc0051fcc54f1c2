import type { EvmAddress } from '../../../domain/evm-address.ts'
import { readAsset } from '../../../lib/asset.ts'
import type { OwnLabel } from '../../settings.ts'

export type ContractRole = 'bridge' | 'distributor' | 'exchange' | 'lending' | 'staking' | 'vault' | 'other'

/** `protocol`: key in the catalog of labels. */
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

/** By `usage_category` of the Open Labels Initiative. Contracts of other categories get `other`. */
const BY_CATEGORY: Readonly<Record<string, ContractRole>> = {
  airdrop: 'distributor',
  bridge: 'bridge',
  dex: 'exchange',
  lending: 'lending',
  nft_marketplace: 'exchange',
  staking: 'staking',
  yield_vaults: 'vault',
}

/** The operator's labels precede published ones. */
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

/** Addresses are lower case. */
export const labelsOf: LabelsOf = (chain) => {
  const known = allLabels().chains.get(chain)
  return (address) => known?.get(address)
}

export const labelledProtocols = () => allLabels().protocols
