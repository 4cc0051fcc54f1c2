import { toFunctionSelector } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { inPages } from '../../../../lib/pages.ts'
import { moves } from '../../decode/changes.ts'
import { addressTopic, numberTopic, topicOf, word } from '../../decode/log-words.ts'
import type { PositionKey, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import type { DeploymentRow, ProtocolAdapter } from '../adapter.ts'
import { addressSchema } from '../deployment.ts'
import { masterChefLens } from './masterchef-lens.bytecode.ts'

type Layout = 'v1' | 'v2' | 'pancake_v2' | 'joe' | 'joe_boosted'
type ChefRow = { chef: string; reward: string; layout: Layout; payer?: string }

/** Later layouts are another protocol. */
const named = (key: string, name: string, layout: Layout) =>
  layout === 'v1' ? { key, name } : { key: `${key}_v2`, name: `${name} V2` }

const sushi = (chain: string, deployment: ChefRow): DeploymentRow => ({
  ...named('sushiswap_farms', 'SushiSwap Farms', deployment.layout),
  chain,
  siteUrl: 'https://www.sushi.com',
  deployment: { pending: 'pendingSushi', ...deployment },
})

const pancake = (deployment: Omit<ChefRow, 'reward'>): DeploymentRow => ({
  ...named('pancakeswap_farms', 'PancakeSwap Farms', deployment.layout),
  chain: 'binance',
  siteUrl: 'https://pancakeswap.finance',
  deployment: { reward: '0x0e09fabb73bd3ade0a17ecc321fd13a19e81ce82', pending: 'pendingCake', ...deployment },
})

const joe = (generation: string, chef: string, layout: Layout): DeploymentRow => ({
  key: `trader_joe_farms_${generation.toLowerCase()}`,
  name: `Trader Joe Farms ${generation}`,
  chain: 'avalanche',
  siteUrl: 'https://lfj.gg',
  deployment: { chef, reward: '0x6e84a6216ea6dacc71ee8e6b0a5b7322eebc0fdd', pending: 'pendingTokens', layout },
})

const spooky = (chef: string, layout: 'v1' | 'v2'): DeploymentRow => ({
  ...named('spookyswap_farms', 'SpookySwap Farms', layout),
  chain: 'fantom',
  siteUrl: 'https://spooky.fi',
  deployment: { chef, reward: '0x841fad6eae12c286d1fd18d1d525dffa75c7effe', pending: 'pendingBOO', layout },
})

const SUSHI = '0x6b3595068778dd592e39a122f4f5a5cf09c90fe2'

/**
 * Sources: SushiSwap's and PancakeSwap's interfaces, third-party adapters; @traderjoe-xyz/core 2.4.6; SpookySwap's
 * scripts.
 */
const masterChefRows: readonly DeploymentRow[] = [
  sushi('ethereum', { chef: '0xc2edad668740f1aa35e4d8f227fb8e17dca888cd', reward: SUSHI, layout: 'v1' }),
  sushi('ethereum', { chef: '0xef0881ec094552b2e128cf945ef17a6752b4ec5d', reward: SUSHI, layout: 'v2' }),
  sushi('arbitrum', {
    chef: '0xf4d73326c13a4fc5fd7a064217e12780e9bd62c3',
    reward: '0xd4d42f0b6def4ce0383636770ef773390d85c61a',
    layout: 'v2',
  }),
  sushi('gnosis', {
    chef: '0xddcbf776df3de60163066a5dddf2277cb445e0f3',
    reward: '0x2995d1317dcd4f0ab89f4ae60f3f020a4f17c7ce',
    layout: 'v2',
  }),
  sushi('polygon', {
    chef: '0x0769fd68dfb93167989c6f7254cd0d766fb2841f',
    reward: '0x0b3f868e0be5597d5db7feb59e1cadbb0fdda50a',
    layout: 'v2',
  }),
  pancake({
    chef: '0x73feaa1ee314f8c655e354234017be2193c9e24e',
    // The chef mints for its SyrupBar, which pays.
    payer: '0x009cf7bc57584b7998236eff51b98a168dcea9b0',
    layout: 'v1',
  }),
  pancake({ chef: '0xa5f8c5dbd5f286960b9d90548680ae5ebff07652', layout: 'pancake_v2' }),
  joe('V2', '0xd6a4f121ca35509af06a0be99093d08462f53052', 'joe'),
  joe('V3', '0x188bed1968b795d5c9022f6a0bb5931ac4c18f00', 'joe'),
  joe('Boosted', '0x4483f0b6e2f5486d06958c20f8c39a7abe87bf8f', 'joe_boosted'),
  spooky('0x2b2929e785374c651a81a63878ab22742656dcdd', 'v1'),
  spooky('0x18b4f774fdc7bf685daeef66c2990b1ddd9ea6ad', 'v2'),
]

/** A pool costs 200,000 gas and more, with an update and a rewarder. */
const PAGE = 16

const deployment = z.strictObject({
  chef: addressSchema,
  reward: addressSchema,
  /** Holds the reward, if not the chef. */
  payer: addressSchema.optional(),
  pending: z.string().regex(/^[A-Za-z_]\w*$/),
  /**
   * `v1`: SushiSwap's first chef. `v2`: MasterChefV2 and MiniChefV2, with token lists, rewarders, stakes for others.
   * `pancake_v2`: v1 with a token list. `joe`: v1 with a rewarder per pool. `joe_boosted`: with more fields before it.
   */
  layout: z.enum(['v1', 'v2', 'pancake_v2', 'joe', 'joe_boosted']),
})

type Deployment = z.infer<typeof deployment>

/** Word of a pool with its rewarder. */
const BONUS_AT: Readonly<Partial<Record<Deployment['layout'], bigint>>> = { joe: 4n, joe_boosted: 5n }

/** MasterChef and successors. Deposit logs name a wallet's pools. A reward counts only as far as its payer has it. */
export const masterChef: ProtocolAdapter<Deployment> = {
  name: 'masterchef',
  deployment,
  rows: masterChefRows,
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
