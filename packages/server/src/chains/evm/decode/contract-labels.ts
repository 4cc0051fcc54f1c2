import type { EvmAddress } from '../../../domain/evm-address.ts'
import { readAsset } from '../../../lib/asset.ts'
import type { OwnLabel } from '../../settings.ts'

export type ContractRole = 'bridge' | 'distributor' | 'exchange' | 'lending' | 'staking' | 'vault' | 'other'

export type ContractLabel = { protocol: string; role: ContractRole }

export type LabelsOf = (chain: string) => (address: EvmAddress) => ContractLabel | undefined

type File = {
  protocols: Record<string, string>
  chains: Record<string, Record<string, [protocol: string, role: ContractRole]>>
}

let file: File | undefined

function published(): File {
  file ??= JSON.parse(readAsset('contract-labels.json')) as File
  return file
}

/** `usage_category` of the Open Labels Initiative. */
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
    const labelOf = labelsOf(chain)
    return (address) => byPlace.get(`${chain} ${address}`) ?? labelOf(address)
  }
}

/** Addresses are lower case. */
export const labelsOf: LabelsOf = (chain) => {
  const known = published().chains[chain]
  return (address) => {
    const found = known?.[address]
    return found && { protocol: found[0], role: found[1] }
  }
}

export const labelledProtocols = () => Object.entries(published().protocols).map(([key, name]) => ({ key, name }))
