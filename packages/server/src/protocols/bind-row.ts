import type { EvmReader } from '../chains/evm/evm-reader.ts'
import { type EvmAddress, evmAddress } from '../domain/evm-address.ts'
import type { Position } from '../domain/position.ts'
import type { Adapter, Family, PositionDraft, ProtocolRow } from './adapter.ts'

/** Applies a family to a row. Throws when the row's deployment is not what the family needs: a fault of the catalog or the configuration. */
export function bindRow<D>(family: Family<D>, row: ProtocolRow): Adapter {
  const { key, name, chain, siteUrl } = row
  const deployment = family.deployment.parse(row.deployment)
  const at = (reader: EvmReader) => ({ reader, deployment })
  return {
    id: `${key} ${JSON.stringify(row.deployment)}`,
    family: family.name,
    key,
    name,
    chain,
    siteUrl,
    contracts: contractsIn(row.deployment),
    readsEveryWallet: family.readsEveryWallet ?? false,
    history: family.history?.(deployment) ?? { purposes: {} },
    discover: (reader) => family.discover(at(reader)),
    recognise: async (reader, tokens) => (await family.recognise?.({ ...at(reader), tokens })) ?? [],
    decompose: async (reader, instrument, amountRaw) => family.decompose?.({ ...at(reader), instrument, amountRaw }),
    async positions(reader, wallet, held, instruments) {
      const drafts = await family.positions({ ...at(reader), wallet, held, instruments })
      return drafts.map((draft) => stamp(draft, key, chain)).filter(isHeld)
    },
  }
}

const ADDRESSES = /\b0x[0-9a-fA-F]{40}\b/g

function contractsIn(deployment: ProtocolRow['deployment']): EvmAddress[] {
  const named = JSON.stringify(deployment).match(ADDRESSES) ?? []
  return [...new Set(named.map(evmAddress))]
}

/** Empty amounts are dropped here, once, for all families. */
function stamp(draft: PositionDraft, protocol: string, chain: string): Position {
  const nonZero = (amounts: Position['supplied']) => amounts.filter(({ amountRaw }) => amountRaw > 0n)
  return {
    ...draft,
    protocol,
    chain,
    supplied: nonZero(draft.supplied),
    borrowed: nonZero(draft.borrowed),
    rewards: nonZero(draft.rewards),
  }
}

const isHeld = ({ supplied, borrowed, rewards }: Position) => supplied.length + borrowed.length + rewards.length > 0
