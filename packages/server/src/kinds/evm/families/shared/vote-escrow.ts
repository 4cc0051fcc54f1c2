import { parseAbi } from 'viem'
import { z } from 'zod'
import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import type { Step } from '../../history/family-history.ts'
import { addressTopic, topicOf, word } from '../../history/log-words.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { addressSchema, answerOf, isDeployed } from '../deployment.ts'
import type { HeldInstrument, Instrument } from '../family.ts'

const escrowAbi = parseAbi(['function locked(address owner) view returns (int128 amount, uint256 end)'])
const distributorAbi = parseAbi(['function claim(address owner) returns (uint256)'])

/** A lock of a token for votes, as Curve's VotingEscrow keeps it, and who pays fees to the locked. */
export const voteEscrow = z.strictObject({
  escrow: addressSchema,
  token: addressSchema,
  distributors: z.array(z.strictObject({ address: addressSchema, token: addressSchema })).default([]),
})

export type VoteEscrow = z.infer<typeof voteEscrow>

const LOCK = 'lock'

export async function discoverEscrow(
  reader: EvmReader,
  { escrow, token, distributors }: VoteEscrow,
): Promise<Instrument[]> {
  if (!(await isDeployed(reader, escrow))) return []
  const underlyings = [...new Set([token, ...distributors.map((each) => each.token)])]
  return [{ address: escrow, role: LOCK, fungible: false, underlyings }]
}

export const isLock = ({ role }: Pick<Instrument, 'role'>) => role === LOCK

const lockOf = (reader: EvmReader, escrow: EvmAddress, wallet: EvmAddress) =>
  reader.tryRead({ address: escrow, abi: escrowAbi, functionName: 'locked', args: [wallet] })

/** Votes run out when the lock ends; what was locked stays until it is taken out. */
export async function isLocked(reader: EvmReader, { address }: Instrument, wallet: EvmAddress): Promise<boolean> {
  const [amount = 0n] = (await answerOf(reader, address, lockOf(reader, address, wallet))) ?? []
  return amount > 0n
}

/**
 * What is locked, never the votes, and the fees that a claim would pay now. A claim looks at 50 weeks at most: after a
 * longer time it pays less than all.
 */
export async function lockPosition(
  reader: EvmReader,
  { token, distributors }: VoteEscrow,
  { address }: HeldInstrument,
  wallet: EvmAddress,
): Promise<PositionDraft> {
  const claim = { abi: distributorAbi, functionName: 'claim', args: [wallet] } as const
  const [[amount, end], ...fees] = await Promise.all([
    reader.read({ address, abi: escrowAbi, functionName: 'locked', args: [wallet] }),
    ...distributors.map((each) => reader.tryRead({ address: each.address, ...claim })),
  ])
  return {
    ...{ kind: 'locked', label: 'Lock', pool: address },
    supplied: [{ token, amountRaw: amount }],
    borrowed: [],
    rewards: distributors.map((each, i) => ({ token: each.token, amountRaw: fees[i] ?? 0n })),
    receipts: [],
    unlockAt: Number(end),
  }
}

const LOCKED = topicOf('Deposit(address,uint256,uint256,int128,uint256)')
const UNLOCKED = topicOf('Withdraw(address,uint256,uint256)')
const CLAIMED = topicOf('Claimed(address,uint256,uint256,uint256)')

export function lockStep(log: ReceiptLog, wallet: EvmAddress, lock: VoteEscrow): Step | undefined {
  const amountRaw = word(log, 0)
  if (addressTopic(log, 1) !== wallet || amountRaw === undefined || amountRaw === 0n) return undefined
  const fee = lock.distributors.find(({ address }) => address === log.address)
  if (fee && log.topics[0] === CLAIMED) return { kind: 'claim', token: fee.token, amountRaw }
  if (log.address !== lock.escrow) return undefined
  const put = { purpose: 'stake', position: { contract: log.address, id: 0n }, token: lock.token, amountRaw } as const
  if (log.topics[0] === LOCKED) return { kind: 'put', ...put }
  return log.topics[0] === UNLOCKED ? { kind: 'take', ...put } : undefined
}
