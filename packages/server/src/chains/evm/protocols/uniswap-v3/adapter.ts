import { z } from 'zod'
import { type ProtocolAdapter, rowsOfForks } from '../adapter.ts'
import { addressSchema, deployedOf } from '../deployment.ts'
import { v3NftSteps } from '../shared/v3-history.ts'
import { nftDraft, nftPages } from '../shared/v3-positions.ts'
import forks from './forks.json' with { type: 'json' }
import { uniswapV3Lens } from './uniswap-v3-lens.bytecode.ts'

const deployment = z.strictObject({
  manager: addressSchema,
  factory: addressSchema,
  feeTiers: z.array(z.int().positive()).optional(),
})

type Deployment = z.infer<typeof deployment>

/** Leaves out the middle of more than 1,024 NFTs. */
export const uniswapV3: ProtocolAdapter<Deployment> = {
  name: 'uniswap_v3',
  deployment,
  /** Sources: Uniswap's sdk-core (Gnosis: its deployment there), PancakeSwap's v3-sdk, SushiSwap's deployments. */
  rows: rowsOfForks(forks),
  lenses: [uniswapV3Lens],

  discover: ({ reader, deployment: { manager } }) =>
    deployedOf(reader, [{ address: manager, role: 'manager', fungible: false, underlyings: [] }]),

  async positions({ reader, wallet, deployment: { manager, factory }, held, leftOut }) {
    const count = held.find(({ address }) => address === manager)?.balanceRaw ?? 0n
    const pages = await Promise.all(
      nftPages(count, leftOut).map(([start, end]) =>
        reader.lens(uniswapV3Lens, { functionName: 'positions', args: [manager, factory, wallet, start, end] }),
      ),
    )
    return pages.flat().map((nft) => nftDraft(nft, manager))
  },

  poolFactory: ({ factory, feeTiers }) => ({ kind: 'uniswap_v3', factory, ...(feeTiers && { feeTiers }) }),

  history: ({ manager }) => ({ purposes: { manager: 'liquidity' }, nftSteps: (logs) => v3NftSteps(logs, manager) }),
}
