import { parseAbi } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, topicOf, word } from '../../decode/log-words.ts'
import { type LogContext, type ProtocolHistory, putOrTaken, type Step } from '../../decode/protocol-history.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { At, HeldContract, PositionScope, ProtocolAdapter, ProtocolContract } from '../adapter.ts'
import { addressSchema, eachAlone } from '../deployment.ts'
import { hasLocked, isLock, lockPosition, lockStep, type VoteEscrow } from './vote-escrow.ts'

/** More than Curve's gauges have. */
const MOST_REWARDS = 8

const gaugeAbi = parseAbi([
  'function lp_token() view returns (address)',
  'function symbol() view returns (string)',
  'function reward_tokens(uint256 i) view returns (address)',
  'function integrate_fraction(address owner) view returns (uint256)',
  'function claimable_tokens(address owner) returns (uint256)',
  'function claimable_reward(address owner, address token) returns (uint256)',
  'function claimable_reward_write(address owner, address token) returns (uint256)',
])
const controllerAbi = parseAbi(['function gauge_types(address gauge) view returns (int128)'])
const factoryAbi = parseAbi([
  'function get_gauge_from_lp_token(address token) view returns (address)',
  'function isGaugeFromFactory(address gauge) view returns (bool)',
])

export const gaugeMakers = z.strictObject({
  /** On the chain where votes are counted. */
  controller: addressSchema.optional(),
  /** Gauge factories of other chains. */
  factories: z.array(addressSchema).default([]),
  makers: z.array(addressSchema).default([]),
  emitted: addressSchema,
  minter: addressSchema.optional(),
})

export type GaugeMakers = z.infer<typeof gaugeMakers>
type Scope = PositionScope<unknown>

/** Undefined unless the makers, or the deployment (`isListed`), vouch for it. */
export async function gaugeAt(
  reader: EvmReader,
  makers: GaugeMakers,
  address: EvmAddress,
  isListed = false,
): Promise<ProtocolContract | undefined> {
  const gauge = { address, abi: gaugeAbi } as const
  // Most tokens are not gauges.
  const share = await reader.tryRead({ ...gauge, functionName: 'lp_token' })
  if (share === undefined) return undefined
  const token = evmAddress(share)
  const [symbol, rewards, isKnown] = await Promise.all([
    reader.tryRead({ ...gauge, functionName: 'symbol' }),
    rewardsIn(reader, address),
    isListed || isVouched(reader, makers, address, token),
  ])
  if (!isKnown) return undefined
  const alsoShown = [...new Set([makers.emitted, ...rewards])]
  const data = rewards.length > 0 ? { rewards: rewards.join(' ') } : {}
  if (symbol !== undefined) return { address, role: 'gauge', fungible: true, underlyings: [token], alsoShown, data }
  // Gauges of the first version log no transfers.
  const underlyings = [token, ...alsoShown]
  return { address, role: 'silent_gauge', fungible: false, underlyings, data: { ...data, silent: 'true' } }
}

export const isGauge = ({ role }: { role: string }) => role === 'gauge' || role === 'silent_gauge'

/** The controller reverts for unknown gauges. */
async function isVouched(
  reader: EvmReader,
  { controller, factories, makers }: GaugeMakers,
  gauge: EvmAddress,
  share: EvmAddress,
): Promise<boolean> {
  const type = { abi: controllerAbi, functionName: 'gauge_types', args: [gauge] } as const
  const made = { abi: factoryAbi, functionName: 'get_gauge_from_lp_token', args: [share] } as const
  const isMade = { abi: factoryAbi, functionName: 'isGaugeFromFactory', args: [gauge] } as const
  const [voted, gauges, flags] = await Promise.all([
    controller && reader.tryRead({ address: controller, ...type }),
    Promise.all(factories.map((address) => reader.tryRead({ address, ...made }))),
    Promise.all(makers.map((address) => reader.tryRead({ address, ...isMade }))),
  ])
  return voted !== undefined || flags.includes(true) || gauges.some((one) => one && evmAddress(one) === gauge)
}

async function rewardsIn(reader: EvmReader, address: EvmAddress): Promise<EvmAddress[]> {
  const call = { address, abi: gaugeAbi, functionName: 'reward_tokens' } as const
  const found = await Promise.all(
    Array.from({ length: MOST_REWARDS }, (_, i) => reader.tryRead({ ...call, args: [BigInt(i)] })),
  )
  return found.flatMap((token) => (token === undefined || evmAddress(token) === NATIVE ? [] : [evmAddress(token)]))
}

/** Emissions may wait after the stake is gone. */
async function hasEarned(reader: EvmReader, { address }: ProtocolContract, wallet: EvmAddress) {
  const call = { address, abi: gaugeAbi, functionName: 'integrate_fraction', args: [wallet] } as const
  return ((await reader.tryRead(call)) ?? 0n) > 0n
}

async function gaugePosition(scope: Scope, makers: GaugeMakers, gauge: HeldContract): Promise<PositionDraft> {
  return {
    kind: 'farming',
    label: 'Gauge',
    pool: gauge.address,
    supplied: shareOf(gauge, gauge.balanceRaw),
    rewards: await rewardsOf(scope, makers, gauge),
    ...(gauge.fungible && gauge.balanceRaw > 0n && { receipts: [gauge.address] }),
  }
}

const shareOf = ({ underlyings: [token] }: ProtocolContract, amountRaw: bigint): TokenAmount[] =>
  token ? [{ token, amountRaw }] : []

/** Some versions report rewards as of the last checkpoint. */
async function rewardsOf(
  { reader, wallet }: Scope,
  { emitted }: GaugeMakers,
  { address, data }: ProtocolContract,
): Promise<TokenAmount[]> {
  const gauge = { address, abi: gaugeAbi } as const
  const tokens = (data?.['rewards']?.split(' ') ?? []).map(evmAddress)
  const claimable = async (token: EvmAddress) => {
    const args = [wallet, token] as const
    const [written, read] = await Promise.all([
      reader.tryRead({ ...gauge, functionName: 'claimable_reward_write', args }),
      reader.tryRead({ ...gauge, functionName: 'claimable_reward', args }),
    ])
    return { token, amountRaw: written ?? read ?? 0n }
  }
  const [minted = 0n, ...others] = await Promise.all([
    reader.tryRead({ ...gauge, functionName: 'claimable_tokens', args: [wallet] }),
    ...tokens.map(claimable),
  ])
  return [{ token: emitted, amountRaw: minted }, ...others]
}

const DEPOSIT = topicOf('Deposit(address,uint256)')
const WITHDRAW = topicOf('Withdraw(address,uint256)')
const MINTED = topicOf('Minted(address,address,uint256)')

/** `Minted` logs the sum of all times. */
function gaugeStep(
  log: ReceiptLog,
  wallet: EvmAddress,
  { minter, emitted }: GaugeMakers,
  { before, underlyings: [token], data }: LogContext,
): Step | undefined {
  if (addressTopic(log, 1) !== wallet) return undefined
  const amountRaw = word(log, 0)
  if (log.address === minter && log.topics[0] === MINTED) {
    const paid = before?.address === emitted ? transfersOf(before).find(({ to }) => to === wallet) : undefined
    return paid && { kind: 'claim', token: emitted, amountRaw: paid.amountRaw }
  }
  if (data['silent'] === undefined || !token || amountRaw === undefined) return undefined
  return putOrTaken(log, [DEPOSIT, WITHDRAW], { purpose: 'stake', token, amountRaw })
}

type Deployment = { gauges?: GaugeMakers | undefined; escrow?: VoteEscrow | undefined }

export type Share = { protocolContract: ProtocolContract; amountRaw: bigint; holder?: EvmAddress }

export function gaugedPools<D extends Deployment>(
  shareAt: (at: At<D>, token: EvmAddress) => Promise<ProtocolContract | undefined>,
  worthOf: (at: At<D>, share: Share) => Promise<TokenAmount[] | undefined>,
) {
  return {
    eachAlone: true,
    countsWhereSent: true,

    async recognise({ tokens, ...at }) {
      const { gauges } = at.deployment
      const found = await Promise.all(
        tokens.flatMap((token) => [shareAt(at, token), gauges && gaugeAt(at.reader, gauges, token)]),
      )
      return found.flatMap((protocolContract) => protocolContract ?? [])
    },

    async probe({ reader, wallet, protocolContract }) {
      if (isLock(protocolContract)) return hasLocked(reader, protocolContract, wallet)
      return isGauge(protocolContract) && hasEarned(reader, protocolContract, wallet)
    },

    positions: eachAlone(async (scope, held) => {
      const { gauges, escrow } = scope.deployment
      if (escrow && isLock(held)) return lockPosition(scope, escrow, held)
      if (gauges && isGauge(held)) return gaugePosition(scope, gauges, held)
      const share = { protocolContract: held, amountRaw: held.balanceRaw, holder: scope.wallet }
      const supplied = await worthOf(scope, share)
      if (!supplied) throw new Error(`pool ${held.address} says that more of it is held than there is`)
      const pool = evmAddress(held.data?.['pool'] ?? held.address)
      return { kind: 'liquidity', label: 'Pool', pool, supplied, receipts: [held.address] }
    }),

    async decompose({ protocolContract, amountRaw, ...at }) {
      if (!protocolContract.fungible) return undefined
      return isGauge(protocolContract)
        ? shareOf(protocolContract, amountRaw)
        : worthOf(at, { protocolContract, amountRaw })
    },

    history: gaugedHistory,
  } satisfies Partial<ProtocolAdapter<D>>
}

export function gaugedHistory({ gauges, escrow }: Deployment): ProtocolHistory {
  const distributors = escrow?.distributors.map(({ address }) => address) ?? []
  return {
    purposes: { share: 'liquidity', gauge: 'stake' },
    rewarders: [...(gauges?.minter ? [gauges.minter] : []), ...new Set(distributors)],
    step: (log, wallet, context) =>
      (escrow && lockStep(log, wallet, escrow)) ?? (gauges && gaugeStep(log, wallet, gauges, context)),
  }
}
