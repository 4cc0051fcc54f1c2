import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import type { ReceiptLog } from '../../../../domain/transaction.ts'
import { transfersOf } from '../../decode/changes.ts'
import { addressTopic, addressWord, topicOf, word } from '../../decode/log-words.ts'
import { type LogContext, type ProtocolHistory, putOrTaken, type Step } from '../../decode/protocol-history.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import { type ProtocolAdapter, type ProtocolContract, rowsOfForks } from '../adapter.ts'
import { answerOf, eachAlone, isDeployed } from '../deployment.ts'
import { claimLens } from '../shared/claim-lens.bytecode.ts'
import forks from './forks.json' with { type: 'json' }
import {
  type Deployment,
  deployment,
  isBeside,
  listingStake,
  listOf,
  listsRewards,
  lockedAbi,
  lockerAbi,
  payingStake,
  plainLockedAbi,
  poolAbi,
  poolAt,
  rewardsOf,
} from './pools.ts'

/** Convex and Aura: staked pool shares, cvxCRV, CVX, auraBAL; locks. The booster must list pools from logs. */
export const convex: ProtocolAdapter<Deployment> = {
  name: 'convex',
  deployment,
  /**
   * Sources: `contracts.json` of `convex-eth/platform` and `convex-eth/sidechain-platform`, `tasks/deploy` of
   * `aurafinance/aura-contracts`. `beside`: cvxCRV, its wrapper, CVX; auraBAL, current and former.
   */
  rows: rowsOfForks(forks),
  lenses: [claimLens],
  eachAlone: true,
  countsWhereSent: true,

  async discover(at) {
    const { reader, deployment: row } = at
    const found = await Promise.all([
      ...row.beside.map(async ({ pool: address, token, wrapped, paid }): Promise<ProtocolContract[]> => {
        if (!(await isDeployed(reader, address))) return []
        if (wrapped) return [await listingStake(reader, address, token)]
        return payingStake(at, { address, token, isToken: false, ...(paid && { paid }) })
      }),
      row.locker ? discoverLocker(reader, row.locker) : [],
    ])
    return found.flat()
  },

  keyLogs: ({ boosters }) =>
    boosters.some(({ layout }) => layout === 'silent') ? [{ contract: 'any', topic: STAKED, walletAt: 1 }] : [],

  async recognise({ tokens, ...at }) {
    const found = await Promise.all(
      tokens.flatMap((token) => at.deployment.boosters.map((booster) => poolAt(at, booster, token))),
    )
    return found.flat()
  },

  vouches: ({ beside, locker }, { address }) =>
    locker?.address === address || beside.some(({ pool }) => pool === address),

  /** A withdrawn stake leaves what it earned. */
  async probe({ reader, wallet, protocolContract, deployment: { locker } }) {
    const { address } = protocolContract
    if (isLock(protocolContract)) return locker !== undefined && (await locksOf(reader, locker, wallet)).total > 0n
    if (listsRewards(protocolContract) || isBeside(protocolContract)) return false
    const call = { address, abi: poolAbi, functionName: 'earned', args: [wallet] } as const
    return ((await answerOf(reader, address, reader.tryRead(call))) ?? 0n) > 0n
  },

  positions: eachAlone(async (scope, stake) => {
    const { reader, wallet, deployment } = scope
    const { locker } = deployment
    if (isBeside(stake)) return []
    if (isLock(stake)) return locker ? lockPositions(reader, locker, wallet) : []
    return {
      kind: 'farming',
      label: 'Stake',
      pool: stake.address,
      supplied: shareOf(stake, stake.balanceRaw),
      rewards: await rewardsOf(scope, stake),
      receipts: stake.fungible ? [stake.address] : [],
    } satisfies PositionDraft
  }),

  decompose: async ({ protocolContract, amountRaw }) =>
    protocolContract.fungible ? shareOf(protocolContract, amountRaw) : undefined,

  history: convexHistory,
}

const shareOf = ({ underlyings: [token] }: ProtocolContract, amountRaw: bigint) => (token ? [{ token, amountRaw }] : [])

const LOCK = 'lock'
const MOST_REWARDS = 8

type Locker = NonNullable<Deployment['locker']>

const isLock = ({ role }: ProtocolContract) => role === LOCK

async function discoverLocker(reader: EvmReader, { address, token }: Locker): Promise<ProtocolContract[]> {
  if (!(await isDeployed(reader, address))) return []
  const call = { address, abi: lockerAbi, functionName: 'rewardTokens' } as const
  const paid = await listOf(MOST_REWARDS, (i) => reader.tryRead({ ...call, args: [i] }))
  return [{ address, role: LOCK, fungible: false, underlyings: [...new Set([token, ...paid])] }]
}

/** The token balance excludes expired locks and those that begin with the next week. */
async function locksOf(reader: EvmReader, { address, boosted }: Locker, wallet: EvmAddress) {
  const call = { address, functionName: 'lockedBalances', args: [wallet] } as const
  const balances = boosted
    ? reader.tryRead({ ...call, abi: lockedAbi })
    : reader.tryRead({ ...call, abi: plainLockedAbi })
  const [total = 0n, unlockable = 0n, , locks = []] = (await answerOf(reader, address, balances)) ?? []
  return { total, unlockable, locks }
}

/** One per end. Rewards belong to all locks and stand alone. */
async function lockPositions(reader: EvmReader, locker: Locker, wallet: EvmAddress): Promise<PositionDraft[]> {
  const { address, token } = locker
  const [{ unlockable, locks }, claimable] = await Promise.all([
    locksOf(reader, locker, wallet),
    reader.read({ address, abi: lockerAbi, functionName: 'claimableRewards', args: [wallet] }),
  ])
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

const STAKED = topicOf('Staked(address,uint256)')
const WITHDRAWN = topicOf('Withdrawn(address,uint256)')
const PAID = topicOf('RewardPaid(address,uint256)')
/** Pools that list rewards: earner, token, recipient. */
const LISTED_PAID = topicOf('RewardPaid(address,address,address,uint256)')
/** The cvxCRV wrapper: the recipient follows the amount. */
const WRAPPER_PAID = topicOf('RewardPaid(address,address,uint256,address)')
const LOCKER_PAID = topicOf('RewardPaid(address,address,uint256)')
const LOCKED = topicOf('Staked(address,uint256,uint256,uint256,uint256)')
const PLAIN_LOCKED = topicOf('Staked(address,uint256,uint256)')
const UNLOCKED = topicOf('Withdrawn(address,uint256,bool)')

function convexHistory({ locker, bonus }: Deployment): ProtocolHistory {
  return {
    purposes: { vault: 'stake', wrapper: 'stake' },
    step(log, wallet, context) {
      if (addressTopic(log, 1) !== wallet) return undefined
      const step = log.address === locker?.address ? lockStep(log, locker.token) : stakeStep(log, context)
      return step ?? paidSteps(log, wallet, context, bonus)
    },
  }
}

/** An expired lock that is locked again is taken and put without a transfer. */
function lockStep(log: ReceiptLog, token: EvmAddress): Step | undefined {
  const amount = { purpose: 'stake', token, amountRaw: word(log, 0) ?? 0n } as const
  return putOrTaken(log, [LOCKED, UNLOCKED], amount) ?? putOrTaken(log, [PLAIN_LOCKED, UNLOCKED], amount)
}

function stakeStep(log: ReceiptLog, { underlyings: [token], data }: LogContext): Step | undefined {
  const amountRaw = word(log, 0)
  if (!token || data['silent'] === undefined || amountRaw === undefined) return undefined
  return putOrTaken(log, [STAKED, WITHDRAWN], { purpose: 'stake', token, amountRaw })
}

function paidSteps(log: ReceiptLog, wallet: EvmAddress, { before, data }: LogContext, bonus?: EvmAddress): Step[] {
  const claim = (token: EvmAddress | undefined, amountRaw = 0n): Step[] =>
    token && amountRaw > 0n ? [{ kind: 'claim', token, amountRaw }] : []
  switch (log.topics[0]) {
    case PAID: {
      const [reward] = (data['main'] ?? '').split(' ').filter((token) => token !== '')
      // The bonus has its own transfer right before the log.
      const minted =
        before && before.address === bonus ? transfersOf(before).find(({ to }) => to === wallet) : undefined
      return reward ? [...claim(evmAddress(reward), word(log, 0)), ...claim(bonus, minted?.amountRaw)] : []
    }
    case LOCKER_PAID:
      return claim(addressTopic(log, 2), word(log, 0))
    case LISTED_PAID:
      return addressTopic(log, 3) === wallet ? claim(addressTopic(log, 2), word(log, 0)) : []
    case WRAPPER_PAID:
      return addressWord(log, 1) === wallet ? claim(addressTopic(log, 2), word(log, 0)) : []
    default:
      return []
  }
}
