import { erc20Abi, parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, Step } from '../../decode/protocol-history.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { DeploymentRow, ProtocolAdapter } from '../adapter.ts'
import { addressSchema, answerOf, discoverEach } from '../deployment.ts'
import { eachAlone } from '../each-alone.ts'
import { min } from '../shared/v3-math.ts'

/** Pools for Fluid's lending tokens of USDC and USDT, which pay FLUID. */
const fluidStaking = (chain: string, pools: readonly string[]): DeploymentRow => ({
  key: 'fluid_staking',
  name: 'Fluid Staking',
  chain,
  siteUrl: 'https://fluid.io',
  deployment: { pools },
})

/** Sources: Uniswap's governance documentation; Sky's ChainLog; Instadapp/fluid-contracts-public (git a9949b4). */
const stakingRewardsRows: readonly DeploymentRow[] = [
  {
    key: 'uniswap_liquidity_mining',
    name: 'Uniswap Liquidity Mining',
    chain: 'ethereum',
    siteUrl: 'https://app.uniswap.org',
    deployment: {
      pools: [
        '0x6c3e4cb2e96b01f4b866965a91ed4437839a121a', // WETH/USDT
        '0x7fba4b8dc5e7616e59622806932dbea72537a56b', // USDC/WETH
        '0xa1484c3aa22a66c62b77e0ae78e15258bd0cb711', // DAI/WETH
        '0xca35e32e7926b96a9988f61d510e038108d8068e', // WBTC/WETH
      ],
    },
  },
  {
    key: 'sky_farms',
    name: 'Sky Farms',
    chain: 'ethereum',
    siteUrl: 'https://sky.money',
    deployment: {
      // All take USDS.
      pools: [
        '0x0650caf159c5a49f711e8169d4336ecb9b950275', // SKY
        '0x10ab606b067c9c461d8893c47c7512472e19e2ce', // Chronicle points
        '0x173e314c7635b45322cd8cb14f44b312e079f3af', // SPK
        '0x4e41488c19cd35eb4de3083fc3e204854c75c86a', // GROVE
      ],
    },
  },
  fluidStaking('ethereum', [
    '0x2fa6c95b69c10f9f52b8990b6c03171f13c46225',
    '0x490681095ed277b45377d28ca15ac41d64583048',
  ]),
  fluidStaking('arbitrum', [
    '0x48f89d731c5e3b5bee8235162fc2c639ba62db7d',
    '0x65241f6cacde58c03400cb84542a2c197d6de9c3',
  ]),
]

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
  rows: stakingRewardsRows,
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
  const moved = { purpose: 'stake', position: { contract: log.address, id: 0n }, token: staked, amountRaw } as const
  switch (log.topics[0]) {
    case STAKED:
      return { kind: 'put', ...moved }
    case WITHDRAWN:
      return { kind: 'take', ...moved }
    case REWARD_PAID:
      return rewarded && { kind: 'claim', token: rewarded, amountRaw }
    default:
      return undefined
  }
}
