import { z } from 'zod'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import { addressSchema, isDeployed } from '../deployment.ts'
import type { Family } from '../family.ts'
import { nftDraft, nftPages } from '../shared/v3-positions.ts'
import { chefAbi, tokenAbi } from './abi.ts'
import { pancakeChefHistory } from './history.ts'
import { pancakeChefLens } from './pancake-chef-lens.bytecode.ts'
import { pancakeChefRows } from './rows.ts'

const deployment = z.strictObject({
  chef: addressSchema,
  /** Of the v3 fork whose NFTs the chef takes. */
  manager: addressSchema,
  factory: addressSchema,
})

type Deployment = z.infer<typeof deployment>

/**
 * PancakeSwap's MasterChefV3: position NFTs that a wallet has staked. The chef owns them, and lists them by who staked
 * them. Liquidity and fees stay the wallet's and are those of the NFT; the reward is `pendingCake`, which grows when
 * the pool's farm is touched and not with each block. Of a wallet with more than 1,024 staked NFTs, the middle is left
 * out.
 */
export const pancakeChef: Family<Deployment> = {
  name: 'pancake_chef',
  deployment,
  rows: pancakeChefRows,
  lenses: [pancakeChefLens],

  async discover({ reader, deployment: { chef } }) {
    if (!(await isDeployed(reader, chef))) return []
    const reward = await reader.read({ address: chef, abi: chefAbi, functionName: 'CAKE' })
    return [{ address: chef, role: 'chef', fungible: false, underlyings: [evmAddress(reward)] }]
  },

  async positions({ reader, wallet, deployment: { chef, manager, factory }, held, leftOut }) {
    const [instrument] = held
    const [reward] = instrument?.underlyings ?? []
    if (!instrument || !reward) throw new Error(`chef ${chef} is stored without its reward`)
    const [kept, ...pages] = await Promise.all([
      reader.read({ address: reward, abi: tokenAbi, functionName: 'balanceOf', args: [chef] }),
      ...nftPages(instrument.balanceRaw, leftOut).map(([start, end]) =>
        reader.lens(pancakeChefLens, { functionName: 'staked', args: [chef, manager, factory, wallet, start, end] }),
      ),
    ])
    const staked = pages.flat()
    const rewards = payable(
      staked.map(({ pending }) => pending),
      kept,
    )
    return staked.map(({ position }, i) => withReward(nftDraft(position, manager), reward, rewards[i] ?? 0n))
  },

  history: ({ chef, manager }) => pancakeChefHistory(chef, manager),
}

/** What claiming one after the other pays: the chef pays no more than it has. */
function payable(pending: readonly bigint[], kept: bigint): bigint[] {
  let left = kept
  return pending.map((amountRaw) => {
    const paid = min(amountRaw, left)
    left -= paid
    return paid
  })
}

const min = (a: bigint, b: bigint) => (a < b ? a : b)

function withReward(draft: PositionDraft, token: EvmAddress, amountRaw: bigint): PositionDraft {
  return { ...draft, kind: 'farming', rewards: [...(draft.rewards ?? []), { token, amountRaw }] }
}
