import { toFunctionSelector } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { inPages } from '../../../../lib/pages.ts'
import { moves } from '../../decode/changes.ts'
import { addressTopic, numberTopic, topicOf, word } from '../../decode/log-words.ts'
import type { PositionKey, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import { type ProtocolAdapter, rowsOfForks } from '../adapter.ts'
import { addressSchema } from '../deployment.ts'
import { min } from '../shared/v3-positions.ts'
import forks from './forks.json' with { type: 'json' }
import { masterChefLens } from './masterchef-lens.bytecode.ts'

/** A pool costs 200,000 gas and more, with an update and a rewarder. */
const PAGE = 16

const deployment = z.strictObject({
  chef: addressSchema,
  reward: addressSchema,
  /** Holds the reward, if not the chef: PancakeSwap's first chef mints for its SyrupBar. */
  payer: addressSchema.optional(),
  pending: z.string().regex(/^[A-Za-z_]\w*$/),
  /**
   * `v1`: SushiSwap's first chef. `v2`: MasterChefV2, MiniChefV2: rewarders, stakes for others. `pancake_v2`: v1 with a
   * token list. `joe`: v1 with a rewarder per pool. `joe_boosted`: more fields before it.
   */
  layout: z.enum(['v1', 'v2', 'pancake_v2', 'joe', 'joe_boosted']),
})

type Deployment = z.infer<typeof deployment>

/** Word of a pool with its rewarder. */
const BONUS_AT: Readonly<Partial<Record<Deployment['layout'], bigint>>> = { joe: 4n, joe_boosted: 5n }

/** Deposit logs name a wallet's pools. A reward counts only as far as its payer has it. */
export const masterChef: ProtocolAdapter<Deployment> = {
  name: 'masterchef',
  deployment,
  /**
   * Sources: SushiSwap's and PancakeSwap's interfaces, third-party adapters; @traderjoe-xyz/core 2.4.6; SpookySwap's
   * scripts.
   */
  rows: rowsOfForks(forks),
  lenses: [masterChefLens],

  discover: async () => [],

  keyLogs: ({ chef, layout }) => [{ contract: chef, keyAt: 2, ...DEPOSITS[layout === 'v2' ? 'v2' : 'v1'] }],

  async positions({ reader, wallet, deployment, keys, leftOut }) {
    const { chef, reward, payer = chef, pending, layout } = deployment
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
    const answers = await inPages(pids, PAGE, (page) =>
      reader.lens(masterChefLens, { functionName: 'stakes', args: [facts, wallet, page] }),
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
      const more = stake.more.map(({ token, amount }) => ({ token: evmAddress(token), amountRaw: amount }))
      return {
        kind: 'farming',
        label: 'Farm',
        pool: chef,
        tokenId: stake.pid,
        supplied: [{ token: evmAddress(stake.token), amountRaw: stake.amount }],
        rewards: [{ token: reward, amountRaw: paid }, ...more],
      }
    })
  },

  history: ({ chef, layout }) => masterChefHistory(chef, layout === 'v2' ? 'v2' : 'v1'),
}

const DEPOSITS = {
  v1: { topic: topicOf('Deposit(address,uint256,uint256)'), walletAt: 1 },
  v2: { topic: topicOf('Deposit(address,uint256,uint256,address)'), walletAt: 3 },
} as const

const WITHDRAWALS: Readonly<Record<'v1' | 'v2', ReadonlySet<string | undefined>>> = {
  v1: new Set([topicOf('Withdraw(address,uint256,uint256)'), topicOf('EmergencyWithdraw(address,uint256,uint256)')]),
  v2: new Set([
    topicOf('Withdraw(address,uint256,uint256,address)'),
    topicOf('EmergencyWithdraw(address,uint256,uint256,address)'),
  ]),
}

const CALLER_TOPIC = 1
const PID_TOPIC = 2
const RECEIVER_TOPIC = 3

/** Events name no token: the chef's last transfer of the amount does. */
function masterChefHistory(chef: EvmAddress, generation: 'v1' | 'v2'): ProtocolHistory {
  const { topic, walletAt } = DEPOSITS[generation]
  return {
    purposes: {},
    rewarders: [chef],
    step(log, wallet, { earlier }) {
      const isPut = log.topics[0] === topic
      if (!isPut && !WITHDRAWALS[generation].has(log.topics[0])) return undefined
      const stake = stakeOf(log, earlier(), isPut ? 'to' : 'from')
      const [owner, other] = isPut ? [walletAt, CALLER_TOPIC] : [CALLER_TOPIC, RECEIVER_TOPIC]
      return stake && stepOf(stake, isPut, wallet, [addressTopic(log, owner), addressTopic(log, other)])
    },
  }
}

function stakeOf(log: ReceiptLog, earlier: readonly ReceiptLog[], side: 'to' | 'from') {
  const [amountRaw, id] = [word(log, 0), numberTopic(log, PID_TOPIC)]
  if (amountRaw === undefined || id === undefined) return undefined
  const token = earlier.findLast(moves(log.address, side, amountRaw))?.address
  return token && { position: { contract: log.address, id }, token, amountRaw }
}

function stepOf(
  { position, token, amountRaw }: { position: PositionKey; token: EvmAddress; amountRaw: bigint },
  isPut: boolean,
  wallet: EvmAddress,
  [owner, other]: readonly (EvmAddress | undefined)[],
): Step | undefined {
  if (owner === wallet) return { kind: isPut ? 'put' : 'take', purpose: 'stake', position, token, amountRaw }
  return other === wallet ? { kind: isPut ? 'send' : 'receive', token, amountRaw, other: owner } : undefined
}
