import { erc20Abi, parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, topicOf, word } from '../../decode/log-words.ts'
import { type LogContext, putOrTaken, type Step } from '../../decode/protocol-history.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { type ProtocolAdapter, rowsOfForks } from '../adapter.ts'
import { addressSchema, answerOf, discoverEach, eachAlone } from '../deployment.ts'
import { min } from '../shared/v3-positions.ts'
import forks from './forks.json' with { type: 'json' }

const poolAbi = parseAbi([
  'function stakingToken() view returns (address)',
  'function rewardsToken() view returns (address)',
  'function earned(address account) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])

const deployment = z.strictObject({ pools: z.array(addressSchema).min(1) })

type Deployment = z.infer<typeof deployment>

/** Synthetix' StakingRewards. Logs do not lead to them. A reward counts as far as the pool holds it beyond stakes. */
export const stakingRewards: ProtocolAdapter<Deployment> = {
  name: 'staking_rewards',
  deployment,
  /**
   * Sources: Uniswap's governance documentation (for pairs of WETH with USDT, USDC, DAI, WBTC); Sky's ChainLog (for USDS,
   * paying SKY, Chronicle points, SPK, GROVE); Instadapp/fluid-contracts-public (git a9949b4; for Fluid's lending tokens
   * of USDC and USDT, paying FLUID).
   */
  rows: rowsOfForks(forks),
  eachAlone: true,

  discover: ({ reader, deployment: { pools } }) =>
    discoverEach(reader, pools, async (address) => {
      const pool = { address, abi: poolAbi } as const
      const [staked, rewarded] = await Promise.all([
        reader.read({ ...pool, functionName: 'stakingToken' }),
        reader.read({ ...pool, functionName: 'rewardsToken' }),
      ])
      // The reward is missing if a pool counts points.
      const underlyings = [evmAddress(staked), evmAddress(rewarded)].filter((token) => token !== NATIVE)
      return { address, role: 'pool', fungible: false, underlyings }
    }),

  /** Rewards outlast the stake. */
  async probe({ reader, wallet, protocolContract: { address } }) {
    const call = { address, abi: poolAbi, functionName: 'earned', args: [wallet] } as const
    return ((await answerOf(reader, address, reader.tryRead(call))) ?? 0n) > 0n
  },

  positions: eachAlone(async ({ reader, wallet }, { address, underlyings: [staked, rewarded], balanceRaw }) => {
    if (!staked) throw new Error(`pool ${address} is stored without its token`)
    const reward = rewarded && (await payableReward(reader, address, { staked, rewarded, wallet }))
    return {
      kind: 'farming',
      label: 'Farm',
      pool: address,
      supplied: [{ token: staked, amountRaw: balanceRaw }],
      rewards: reward ? [reward] : [],
    }
  }),

  history: () => ({ purposes: {}, step }),
}

async function payableReward(
  reader: EvmReader,
  address: EvmAddress,
  { staked, rewarded, wallet }: { staked: EvmAddress; rewarded: EvmAddress; wallet: EvmAddress },
): Promise<TokenAmount> {
  const pool = { address, abi: poolAbi } as const
  const [earned, kept, stakes] = await Promise.all([
    reader.read({ ...pool, functionName: 'earned', args: [wallet] }),
    reader.read({ address: rewarded, abi: erc20Abi, functionName: 'balanceOf', args: [address] }),
    staked === rewarded ? reader.read({ ...pool, functionName: 'totalSupply' }) : 0n,
  ])
  const free = kept > stakes ? kept - stakes : 0n
  return { token: rewarded, amountRaw: min(earned, free) }
}

const STAKED = topicOf('Staked(address,uint256)')
const WITHDRAWN = topicOf('Withdrawn(address,uint256)')
const REWARD_PAID = topicOf('RewardPaid(address,uint256)')

function step(log: ReceiptLog, wallet: EvmAddress, { underlyings: [staked, rewarded] }: LogContext): Step | undefined {
  const amountRaw = word(log, 0)
  if (!staked || amountRaw === undefined || addressTopic(log, 1) !== wallet) return undefined
  if (log.topics[0] === REWARD_PAID) return rewarded && { kind: 'claim', token: rewarded, amountRaw }
  return putOrTaken(log, [STAKED, WITHDRAWN], { purpose: 'stake', token: staked, amountRaw })
}
