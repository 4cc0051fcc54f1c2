import { toFunctionSelector } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { pagesOf } from '../../../../lib/pages.ts'
import { addressSchema } from '../deployment.ts'
import type { Family } from '../family.ts'
import { DEPOSITS, masterChefHistory } from './history.ts'
import { masterChefLens } from './masterchef-lens.bytecode.ts'
import { masterChefRows } from './rows.ts'

/** Pools of one lens call: each may bring the pool up to date and ask a rewarder, which takes 200,000 gas and more. */
const PAGE = 16

const deployment = z.strictObject({
  chef: addressSchema,
  /** The token that the chef pays. */
  reward: addressSchema,
  /** Who keeps the reward, if not the chef. */
  payer: addressSchema.optional(),
  /** The chef's view of a reward, by pool and wallet. */
  pending: z.string().regex(/^[A-Za-z_]\w*$/),
  /**
   * `v1`: pools with their token, as SushiSwap's first chef. `v2`: lists of tokens and rewarders, and stakes for others, as
   * MasterChefV2 and MiniChefV2. `pancake_v2`: a list of tokens, and otherwise v1. `joe`: v1 with a rewarder in each pool,
   * whose bonus the view tells; `joe_boosted`: the same with more fields before it.
   */
  layout: z.enum(['v1', 'v2', 'pancake_v2', 'joe', 'joe_boosted']),
})

type Deployment = z.infer<typeof deployment>

/** Which word of a pool names its rewarder. */
const BONUS_AT: Readonly<Partial<Record<Deployment['layout'], bigint>>> = { joe: 4n, joe_boosted: 5n }

/**
 * MasterChef and its successors: stakes by pool, each with its reward and those of the pool's rewarder. The wallet's
 * deposits lead to its pools, since a chef has hundreds and lists none by wallet. A reward counts as far as its payer has
 * it once the pool is up to date.
 */
export const masterChef: Family<Deployment> = {
  name: 'masterchef',
  deployment,
  rows: masterChefRows,
  lenses: [masterChefLens],

  discover: async () => [],

  keyLogs: ({ chef, layout }) => [{ contract: chef, keyAt: 2, ...DEPOSITS[layout === 'v2' ? 'v2' : 'v1'] }],

  async positions({ reader, wallet, deployment: at, keys, leftOut }) {
    const { chef, reward, payer = chef, pending, layout } = at
    const facts = {
      chef,
      reward,
      payer,
      pending: toFunctionSelector(`${pending}(uint256,address)`),
      hasList: layout === 'v2' || layout === 'pancake_v2',
      hasRewarders: layout === 'v2',
      bonusAt: BONUS_AT[layout] ?? 0n,
    }
    const pids = keys.map(({ key }) => key)
    const answers = await Promise.all(
      pagesOf(pids, PAGE).map((page) =>
        reader.lens(masterChefLens, { functionName: 'stakes', args: [facts, wallet, page] }),
      ),
    )
    for (const pid of answers.flatMap(([, , refused]) => refused)) {
      leftOut(new Error(`pool ${pid} of chef ${chef} could not be read`))
    }
    const stakes = answers.flatMap(([found]) => found)
    let left = stakes.reduce((total, { minted }) => total + minted, answers[0]?.[1] ?? 0n)
    return stakes.map((stake) => {
      if (stake.lacksRewards) leftOut(new Error(`the rewarder of pool ${stake.pid} of chef ${chef} could not be read`))
      const paid = min(stake.pending, left)
      left -= paid
      return draftOf(chef, stake, { token: reward, amountRaw: paid })
    })
  },

  history: ({ chef, layout }) => masterChefHistory(chef, layout === 'v2' ? 'v2' : 'v1'),
}

const min = (a: bigint, b: bigint) => (a < b ? a : b)

type Stake = { pid: bigint; token: string; amount: bigint; more: readonly { token: string; amount: bigint }[] }

function draftOf(pool: EvmAddress, { pid, token, amount, more }: Stake, reward: TokenAmount): PositionDraft {
  return {
    kind: 'farming',
    label: 'Farm',
    pool,
    tokenId: pid,
    supplied: [{ token: evmAddress(token), amountRaw: amount }],
    rewards: [reward, ...more.map((each) => ({ token: evmAddress(each.token), amountRaw: each.amount }))],
  }
}
