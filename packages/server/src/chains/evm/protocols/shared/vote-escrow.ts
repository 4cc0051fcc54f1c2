import { parseAbi } from 'viem'
import { z } from 'zod'
import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { addressTopic, addressWord, topicOf, word } from '../../decode/log-words.ts'
import { putOrTaken, type Step } from '../../decode/protocol-history.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { HeldContract, PositionScope, ProtocolContract } from '../adapter.ts'
import { addressSchema, answerOf, deployedOf } from '../deployment.ts'

const escrowAbi = parseAbi([
  'function locked(address owner) view returns (int128 amount, uint256 end)',
  'function user_point_epoch(address owner) view returns (uint256)',
])
const distributorAbi = parseAbi([
  'function claim(address owner) returns (uint256)',
  'function claimToken(address owner, address token) returns (uint256)',
])

/** `byToken`: pays several tokens, as Balancer's. An owner may forbid others to claim. */
const distributor = z.strictObject({
  address: addressSchema,
  token: addressSchema,
  byToken: z.boolean().default(false),
})

export const voteEscrow = z.strictObject({
  escrow: addressSchema,
  token: addressSchema,
  distributors: z.array(distributor).default([]),
})

export type VoteEscrow = z.infer<typeof voteEscrow>

const LOCK = 'lock'

export function discoverEscrow(reader: EvmReader, { escrow, token, distributors }: VoteEscrow) {
  const underlyings = [...new Set([token, ...distributors.map((each) => each.token)])]
  return deployedOf(reader, [{ address: escrow, role: LOCK, fungible: false, underlyings }])
}

export const isLock = ({ role }: { role: string }) => role === LOCK

/** Votes end with the lock; amount and fees stay. */
export async function hasLocked(reader: EvmReader, { address }: ProtocolContract, wallet: EvmAddress) {
  const call = { address, abi: escrowAbi, functionName: 'user_point_epoch', args: [wallet] } as const
  return ((await answerOf(reader, address, reader.tryRead(call))) ?? 0n) > 0n
}

/** A claim covers at most 50 weeks, Balancer's 20. */
export async function lockPosition(
  { reader, wallet, leftOut }: PositionScope<unknown>,
  { token, distributors }: VoteEscrow,
  { address }: HeldContract,
): Promise<PositionDraft> {
  const [[amount, end], ...fees] = await Promise.all([
    reader.read({ address, abi: escrowAbi, functionName: 'locked', args: [wallet] }),
    ...distributors.map((each) => claimOf(reader, each, wallet)),
  ])
  const silent = distributors.find(({ byToken }, i) => byToken && fees[i] === undefined)
  const why = 'could not be read: they may be for the owner alone to claim'
  if (silent) leftOut(new Error(`fees at ${silent.address} ${why}`))
  return {
    kind: 'locked',
    label: 'Lock',
    pool: address,
    supplied: [{ token, amountRaw: amount }],
    rewards: distributors.map((each, i) => ({ token: each.token, amountRaw: fees[i] ?? 0n })),
    ...(amount > 0n && { unlockAt: Number(end) }),
  }
}

function claimOf(reader: EvmReader, { address, token, byToken }: z.infer<typeof distributor>, wallet: EvmAddress) {
  const of = { address, abi: distributorAbi } as const
  if (byToken) return reader.tryRead({ ...of, functionName: 'claimToken', args: [wallet, token] })
  return reader.tryRead({ ...of, functionName: 'claim', args: [wallet] })
}

const LOCKED = topicOf('Deposit(address,uint256,uint256,int128,uint256)')
const UNLOCKED = topicOf('Withdraw(address,uint256,uint256)')
const CLAIMED = topicOf('Claimed(address,uint256,uint256,uint256)')
/** No topics: owner, token, amount. */
const TOKEN_CLAIMED = topicOf('TokensClaimed(address,address,uint256,uint256)')

export function lockStep(log: ReceiptLog, wallet: EvmAddress, lock: VoteEscrow): Step | undefined {
  if (log.address !== lock.escrow) return feeStep(log, wallet, lock)
  const amountRaw = word(log, 0)
  if (addressTopic(log, 1) !== wallet || amountRaw === undefined || amountRaw === 0n) return undefined
  return putOrTaken(log, [LOCKED, UNLOCKED], { purpose: 'stake', token: lock.token, amountRaw })
}

function feeStep(log: ReceiptLog, wallet: EvmAddress, { distributors }: VoteEscrow): Step | undefined {
  const isByToken = log.topics[0] === TOKEN_CLAIMED
  if (!isByToken && log.topics[0] !== CLAIMED) return undefined
  const owner = isByToken ? addressWord(log, 0) : addressTopic(log, 1)
  const fee = distributors.find(
    ({ address, token }) => address === log.address && (!isByToken || token === addressWord(log, 1)),
  )
  const amountRaw = word(log, isByToken ? 2 : 0) ?? 0n
  return fee && owner === wallet && amountRaw > 0n ? { kind: 'claim', token: fee.token, amountRaw } : undefined
}
