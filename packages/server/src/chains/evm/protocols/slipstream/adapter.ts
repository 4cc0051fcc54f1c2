import { z } from 'zod'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import { pagesOf } from '../../../../lib/pages.ts'
import { TRANSFER } from '../../decode/log-words.ts'
import type { ProtocolAdapter, ProtocolContract } from '../adapter.ts'
import { addressSchema } from '../deployment.ts'
import type { NftState } from '../shared/v3-math.ts'
import { nftDraft, nftPages } from '../shared/v3-positions.ts'
import { slipstreamHistory } from './history.ts'
import { slipstreamRows } from './rows.ts'
import { slipstreamLens } from './slipstream-lens.bytecode.ts'

/** A staked NFT costs some 150,000 gas, others 10,000. */
const PAGE_STAKED = 16

const deployment = z.strictObject({
  registry: addressSchema,
  voter: addressSchema,
  /** Searched in gauges. In wallets all of the registry's are read. */
  managers: z.array(addressSchema).min(1),
})

type Deployment = z.infer<typeof deployment>

type Held = {
  position: NftState & { tokenId: bigint; token0: string; token1: string; fee: number; pool: string }
  gauge: string
  reward: string
  pending: bigint
}

/**
 * Slipstream of Velodrome and Aerodrome. Fees of staked NFTs go to voters, although the manager's figures show them.
 * Earlier fees stay the owner's.
 */
export const slipstream: ProtocolAdapter<Deployment> = {
  name: 'slipstream',
  deployment,
  rows: slipstreamRows,
  lenses: [slipstreamLens],

  async discover({ reader, deployment: { registry } }) {
    const read = { functionName: 'managers', args: [registry] } as const
    const [managers, factories] = await reader.lens(slipstreamLens, read)
    return managers.flatMap((manager, i): ProtocolContract[] => {
      const factory = factories[i]
      if (factory === undefined) return []
      const data = { factory: evmAddress(factory) }
      return [{ address: evmAddress(manager), role: 'manager', fungible: false, underlyings: [], data }]
    })
  },

  /** A gauge takes NFTs only from their owner. */
  keyLogs: ({ managers }) => managers.map((contract) => ({ contract, topic: TRANSFER, walletAt: 2, keyAt: 3 })),

  async positions({ reader, wallet, deployment: { voter }, protocolContracts, held, keys, leftOut }) {
    const owned = held.flatMap(({ balanceRaw, ...manager }) =>
      nftPages(balanceRaw, leftOut).map(async ([start, end]) => {
        const args = [manager.address, factoryOf(manager), wallet, start, end] as const
        const page = await reader.lens(slipstreamLens, { functionName: 'owned', args })
        return page.map(({ position }) => nftDraft(position, manager.address))
      }),
    )
    const staked = protocolContracts.flatMap((manager) => {
      const ids = keys.filter(({ contract }) => contract === manager.address).map(({ key }) => key)
      return pagesOf(ids, PAGE_STAKED).map(async (page) => {
        const args = [voter, manager.address, factoryOf(manager), wallet, page] as const
        const found = await reader.lens(slipstreamLens, { functionName: 'staked', args })
        return found.map((one) => stakedDraft(one, manager.address))
      })
    })
    return (await Promise.all([...owned, ...staked])).flat()
  },

  history: ({ managers }) => slipstreamHistory(managers),
}

function factoryOf({ address, data }: ProtocolContract): EvmAddress {
  const factory = data?.['factory']
  if (factory === undefined) throw new Error(`manager ${address} is stored without its factory`)
  return evmAddress(factory)
}

/** Without fees since settlement: the pool pays them to the gauge. */
function stakedDraft({ position, reward, pending }: Held, manager: EvmAddress): PositionDraft {
  const draft = nftDraft(position, manager)
  const { token0, token1, own } = position
  return {
    ...draft,
    kind: 'farming',
    rewards: [
      { token: evmAddress(token0), amountRaw: own.owed0 },
      { token: evmAddress(token1), amountRaw: own.owed1 },
      { token: evmAddress(reward), amountRaw: pending },
    ],
  }
}
