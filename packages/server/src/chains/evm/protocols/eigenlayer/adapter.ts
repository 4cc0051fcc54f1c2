import { parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, addressWord, topicOf, word } from '../../decode/log-words.ts'
import type { LogContext, ProtocolHistory, Step } from '../../decode/protocol-history.ts'
import { type ProtocolAdapter, rowsByChain } from '../adapter.ts'
import { addressSchema, answerOf, isDeployed } from '../deployment.ts'
import chains from './chains.json' with { type: 'json' }
import { eigenLayerLens } from './eigenlayer-lens.bytecode.ts'

const deployment = z.strictObject({
  delegationManager: addressSchema,
  strategyManager: addressSchema,
  eigenPodManager: addressSchema,
  rewardsCoordinator: addressSchema,
  strategies: z.array(addressSchema),
  /** Over a token that backs another one for one, in which they pay: bEIGEN backs EIGEN. */
  wrapped: z.array(z.strictObject({ strategy: addressSchema, token: addressSchema })),
  /** Withdrawals are counted in blocks. */
  blockSeconds: z.int().positive(),
})

type Deployment = z.infer<typeof deployment>

const strategyAbi = parseAbi(['function underlyingToken() view returns (address)'])

/** Each of the three managers has one of these. */
const managerAbi = parseAbi([
  'function stakerStrategyListLength(address staker) view returns (uint256)',
  'function ownerToPod(address owner) view returns (address)',
  'function getQueuedWithdrawalRoots(address staker) view returns (bytes32[] roots)',
])

type Part = { strategy: string; token: string; amount: bigint; unlockAt: bigint; isRefused: boolean }

/** Shares and queued withdrawals count as what they would pay after slashing. */
export const eigenLayer: ProtocolAdapter<Deployment> = {
  name: 'eigenlayer',
  deployment,
  /** Source: the README of Layr-Labs/eigenlayer-contracts (git f84a5151, 1 May 2026). */
  rows: rowsByChain({ key: 'eigenlayer', name: 'EigenLayer', siteUrl: 'https://www.eigencloud.xyz' }, chains),
  lenses: [eigenLayerLens],
  probedOnly: true,

  async discover({ reader, deployment: { delegationManager, strategies, wrapped } }) {
    if (!(await isDeployed(reader, delegationManager))) return []
    const tokens = await Promise.all(
      strategies.map((address) => reader.tryRead({ address, abi: strategyAbi, functionName: 'underlyingToken' })),
    )
    const known = [NATIVE, ...tokens.flatMap((token) => token ?? []), ...wrapped.map(({ token }) => token)]
    const underlyings = [...new Set(known.map(evmAddress))]
    return [{ address: delegationManager, role: 'manager', fungible: false, underlyings }]
  },

  /** Before the slashing release, a wallet with nothing else has no list. */
  async probe({ reader, deployment: { delegationManager, strategyManager, eigenPodManager }, wallet }) {
    const ask = { abi: managerAbi, args: [wallet] } as const
    const list = { ...ask, address: strategyManager, functionName: 'stakerStrategyListLength' } as const
    const [strategies, pod, roots] = await Promise.all([
      answerOf(reader, strategyManager, reader.tryRead(list)),
      answerOf(
        reader,
        eigenPodManager,
        reader.tryRead({ ...ask, address: eigenPodManager, functionName: 'ownerToPod' }),
      ),
      reader.tryRead({ ...ask, address: delegationManager, functionName: 'getQueuedWithdrawalRoots' }),
    ])
    return (strategies ?? 0n) > 0n || (pod ?? NATIVE) !== NATIVE || (roots ?? []).length > 0
  },

  async positions({ reader, wallet, deployment: { delegationManager, wrapped, blockSeconds }, held, leftOut }) {
    if (held.length === 0) return []
    const args = [delegationManager, wallet] as const
    const [[staked, queued], { number, timestamp }] = await Promise.all([
      reader.lens(eigenLayerLens, { functionName: 'stakes', args }),
      reader.header(),
    ])
    const paidIn = new Map(wrapped.map(({ strategy, token }) => [strategy, token]))
    const draftsOf = (parts: readonly Part[], factsOf: (part: Part) => Facts) =>
      parts.flatMap((part): PositionDraft[] => {
        if (part.isRefused) leftOut(new Error(`strategy ${part.strategy} could not be read`))
        if (part.isRefused) return []
        const pool = evmAddress(part.strategy)
        const supplied = [{ token: paidIn.get(pool) ?? evmAddress(part.token), amountRaw: part.amount }]
        return [{ ...factsOf(part), pool, supplied }]
      })
    return [
      ...draftsOf(staked, stakeFacts),
      ...queued.flatMap(({ fromBlock, parts }) => {
        const left = Number(fromBlock - number)
        const pending = {
          label: `Withdrawal, pending until block ${fromBlock}`,
          unlockAt: timestamp + left * blockSeconds,
        }
        return draftsOf(parts, () => ({ kind: 'locked', ...(left > 0 ? pending : { label: 'Withdrawal, ready' }) }))
      }),
    ]
  },

  history: eigenLayerHistory,
}

type Facts = Omit<PositionDraft, 'pool' | 'supplied'>

const stakeFacts = ({ token, unlockAt }: Part): Facts => ({
  kind: 'staked',
  label: token === NATIVE ? 'Pod' : 'Stake',
  ...(unlockAt > 0n && { unlockAt: Number(unlockAt) }),
})

/** Staker, strategy, shares; before the slashing release with the token second. */
const DEPOSITED = topicOf('Deposit(address,address,uint256)')
const DEPOSITED_EARLIER = topicOf('Deposit(address,address,address,uint256)')
/** Withdrawal root; since the slashing release, and before. */
const COMPLETED = topicOf('SlashingWithdrawalCompleted(bytes32)')
const COMPLETED_EARLIER = topicOf('WithdrawalCompleted(bytes32)')
const RATE = topicOf('ExchangeRateEmitted(uint256)')
/** Logged by a pod: recipient, amount. */
const POD_PAID = topicOf('RestakedBeaconChainETHWithdrawn(address,uint256)')
/** Earner, claimer, recipient; root, token, amount. */
const CLAIMED = topicOf('RewardsClaimed(bytes32,address,address,address,address,uint256)')

/** Address under which pod positions lie. */
const BEACON = evmAddress('0xbeaC0eeEeeeeEEeEeEEEEeeEEeEeeeEeeEEBEaC0')

/**
 * An operator may queue a withdrawal, whose log has no staker topic. Completions name no staker; payments follow in
 * order.
 */
function eigenLayerHistory(contracts: Deployment): ProtocolHistory {
  const { delegationManager, strategyManager, eigenPodManager, rewardsCoordinator } = contracts
  return {
    purposes: {},
    contracts: [delegationManager, strategyManager, eigenPodManager],
    rewarders: [rewardsCoordinator],
    step(log, wallet, context) {
      const [topic] = log.topics
      if (topic === CLAIMED) return claimed(log, wallet)
      if (isCompletion(log)) return paid(wallet, context)
      if (topic === DEPOSITED) return deposited(addressWord(log, 0), addressWord(log, 1), wallet, context)
      return topic === DEPOSITED_EARLIER
        ? deposited(addressWord(log, 0), addressWord(log, 2), wallet, context)
        : undefined
    },
  }
}

/**
 * Shares return from the queue without a transfer. Unwrapped EIGEN: the wallet's own payment counts before the last
 * one.
 */
function deposited(
  staker: EvmAddress | undefined,
  strategy: EvmAddress | undefined,
  wallet: EvmAddress,
  { earlier }: LogContext,
): Step | undefined {
  if (staker === undefined || strategy === undefined) return undefined
  const payments = earlier()
    .flatMap(transfersOf)
    .filter(({ to }) => to === strategy)
  const payment = payments.findLast(({ from }) => from === wallet) ?? payments.at(-1)
  if (!payment) return undefined
  const { token, amountRaw } = payment
  if (staker === wallet)
    return { kind: 'put', purpose: 'stake', position: { contract: strategy, id: 0n }, token, amountRaw }
  return payment.from === wallet ? { kind: 'send', token, amountRaw, other: staker } : undefined
}

function paid(wallet: EvmAddress, { earlier, later }: LogContext): Step[] {
  const following = later()
  const next = following.findIndex(isCompletion)
  const own = next < 0 ? following : following.slice(0, next)
  const rated = new Set([...earlier(), ...own].filter(({ topics }) => topics[0] === RATE).map(({ address }) => address))
  return own.flatMap((log): Step[] => [
    ...transfersOf(log)
      .filter(({ from, to }) => to === wallet && rated.has(from))
      .map(({ token, from, amountRaw }) => taken(from, token, amountRaw)),
    ...fromPod(log, wallet),
  ])
}

const taken = (contract: EvmAddress, token: EvmAddress, amountRaw: bigint): Step => ({
  kind: 'take',
  purpose: 'stake',
  position: { contract, id: 0n },
  token,
  amountRaw,
})

const isCompletion = ({ topics }: ReceiptLog) => topics[0] === COMPLETED || topics[0] === COMPLETED_EARLIER

function fromPod(log: ReceiptLog, wallet: EvmAddress): Step[] {
  const amountRaw = word(log, 0)
  if (log.topics[0] !== POD_PAID || addressTopic(log, 1) !== wallet || amountRaw === undefined) return []
  return [taken(BEACON, NATIVE, amountRaw)]
}

function claimed(log: ReceiptLog, wallet: EvmAddress): Step | undefined {
  const [token, amountRaw] = [addressWord(log, 1), word(log, 2)]
  if (addressTopic(log, 3) !== wallet || token === undefined || amountRaw === undefined) return undefined
  return { kind: 'claim', token, amountRaw }
}
