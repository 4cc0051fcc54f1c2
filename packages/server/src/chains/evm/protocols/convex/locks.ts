import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { ProtocolContract } from '../adapter.ts'
import { answerOf, isDeployed } from '../deployment.ts'
import { lockedAbi, lockerAbi, plainLockedAbi } from './abi.ts'
import type { Deployment } from './deployment.ts'

const LOCK = 'lock'
const MOST_REWARDS = 8

type Locker = NonNullable<Deployment['locker']>

export const isLock = ({ role }: Pick<ProtocolContract, 'role'>) => role === LOCK

export async function discoverLocker(reader: EvmReader, { address, token }: Locker): Promise<ProtocolContract[]> {
  if (!(await isDeployed(reader, address))) return []
  const call = { address, abi: lockerAbi, functionName: 'rewardTokens' } as const
  const rewards = await Promise.all(
    Array.from({ length: MOST_REWARDS }, (_, i) => reader.tryRead({ ...call, args: [BigInt(i)] })),
  )
  const paid = rewards.flatMap((reward) => (reward === undefined ? [] : [evmAddress(reward)]))
  return [{ address, role: LOCK, fungible: false, underlyings: [...new Set([token, ...paid])] }]
}

/** The token balance excludes expired locks and those that begin with the next week. */
export async function isLocked(reader: EvmReader, locker: Locker, wallet: EvmAddress): Promise<boolean> {
  const [total = 0n] = (await answerOf(reader, locker.address, balancesOf(reader, locker, wallet))) ?? []
  return total > 0n
}

function balancesOf(reader: EvmReader, { address, boosted }: Locker, wallet: EvmAddress) {
  const call = { address, functionName: 'lockedBalances', args: [wallet] } as const
  return boosted ? reader.tryRead({ ...call, abi: lockedAbi }) : reader.tryRead({ ...call, abi: plainLockedAbi })
}

/** One per end. Rewards belong to all locks and stand alone. */
export async function lockPositions(reader: EvmReader, locker: Locker, wallet: EvmAddress): Promise<PositionDraft[]> {
  const { address, token } = locker
  const [balances, claimable] = await Promise.all([
    answerOf(reader, address, balancesOf(reader, locker, wallet)),
    reader.read({ address, abi: lockerAbi, functionName: 'claimableRewards', args: [wallet] }),
  ])
  const [, unlockable = 0n, , locks = []] = balances ?? []
  const draftOf = (label: string, amountRaw: bigint): PositionDraft => ({
    kind: 'locked',
    label,
    pool: address,
    supplied: [{ token, amountRaw }],
  })
  return [
    ...locks.map(({ amount, unlockTime }) => ({ ...draftOf('Lock', amount), unlockAt: unlockTime })),
    draftOf('Unlocked', unlockable),
    {
      ...draftOf('Rewards', 0n),
      kind: 'rewards',
      rewards: claimable.map((reward) => ({ token: evmAddress(reward.token), amountRaw: reward.amount })),
    },
  ]
}
