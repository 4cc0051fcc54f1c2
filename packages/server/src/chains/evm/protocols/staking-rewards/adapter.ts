import { parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { ProtocolAdapter, ProtocolContract } from '../adapter.ts'
import { addressSchema, answerOf, isDeployed } from '../deployment.ts'
import { eachAlone } from '../each-alone.ts'
import { stakingRewardsHistory } from './history.ts'
import { stakingRewardsRows } from './rows.ts'

const poolAbi = parseAbi([
  'function stakingToken() view returns (address)',
  'function rewardsToken() view returns (address)',
  'function earned(address account) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])

const tokenAbi = parseAbi(['function balanceOf(address account) view returns (uint256)'])

const deployment = z.strictObject({
  pools: z.array(addressSchema).min(1),
})

type Deployment = z.infer<typeof deployment>

/**
 * StakingRewards by Synthetix and its copies. Logs do not lead to them. A reward counts only as far as the pool holds
 * it on top of the stakes.
 */
export const stakingRewards: ProtocolAdapter<Deployment> = {
  name: 'staking_rewards',
  deployment,
  rows: stakingRewardsRows,
  eachAlone: true,

  async discover({ reader, deployment: { pools } }) {
    const found = await Promise.all(pools.map((pool) => discoverPool(reader, pool)))
    return found.flat()
  },

  /** Rewards outlast the stake. */
  async probe({ reader, wallet, protocolContract: { address } }) {
    const call = { address, abi: poolAbi, functionName: 'earned', args: [wallet] } as const
    return ((await answerOf(reader, address, reader.tryRead(call))) ?? 0n) > 0n
  },

  positions: eachAlone(async ({ reader, wallet }, pool) => {
    const { staked, rewarded } = tokensOf(pool)
    const reward = rewarded && (await payableReward(reader, pool.address, { staked, rewarded, wallet }))
    return {
      kind: 'farming',
      label: 'Farm',
      pool: pool.address,
      supplied: [{ token: staked, amountRaw: pool.balanceRaw }],
      rewards: reward ? [reward] : [],
    }
  }),

  history: () => stakingRewardsHistory,
}

async function discoverPool(reader: EvmReader, address: EvmAddress): Promise<ProtocolContract[]> {
  if (!(await isDeployed(reader, address))) return []
  const pool = { address, abi: poolAbi } as const
  const [staked, rewarded] = await Promise.all([
    reader.read({ ...pool, functionName: 'stakingToken' }),
    reader.read({ ...pool, functionName: 'rewardsToken' }),
  ])
  // The reward is missing if a pool counts points.
  const underlyings = [evmAddress(staked), evmAddress(rewarded)].filter((token) => token !== NATIVE)
  return [{ address, role: 'pool', fungible: false, underlyings }]
}

function tokensOf({ address, underlyings: [staked, rewarded] }: ProtocolContract) {
  if (!staked) throw new Error(`pool ${address} is stored without its token`)
  return { staked, rewarded }
}

async function payableReward(
  reader: EvmReader,
  address: EvmAddress,
  { staked, rewarded, wallet }: { staked: EvmAddress; rewarded: EvmAddress; wallet: EvmAddress },
): Promise<TokenAmount> {
  const pool = { address, abi: poolAbi } as const
  const [earned, kept, stakes] = await Promise.all([
    reader.read({ ...pool, functionName: 'earned', args: [wallet] }),
    reader.read({ address: rewarded, abi: tokenAbi, functionName: 'balanceOf', args: [address] }),
    staked === rewarded ? reader.read({ ...pool, functionName: 'totalSupply' }) : 0n,
  ])
  const free = kept > stakes ? kept - stakes : 0n
  return { token: rewarded, amountRaw: earned < free ? earned : free }
}
