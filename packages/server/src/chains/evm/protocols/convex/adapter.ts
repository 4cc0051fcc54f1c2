import type { PositionDraft } from '../../../../domain/position.ts'
import type { ProtocolAdapter, ProtocolContract } from '../adapter.ts'
import { answerOf, isDeployed } from '../deployment.ts'
import { eachAlone } from '../each-alone.ts'
import { claimLens } from '../shared/claim-lens.bytecode.ts'
import { poolAbi } from './abi.ts'
import { type Deployment, deployment } from './deployment.ts'
import { convexHistory, STAKED } from './history.ts'
import { discoverLocker, isLock, isLocked, lockPositions } from './locks.ts'
import { isBeside, listingStake, listsRewards, payingStake, poolAt } from './pools.ts'
import { rewardsOf } from './rewards.ts'
import { convexRows } from './rows.ts'

/**
 * Convex and Aura: staked pool shares one for one; stakes of cvxCRV, CVX, auraBAL; locks. Pools from logs count if the
 * booster lists them.
 */
export const convex: ProtocolAdapter<Deployment> = {
  name: 'convex',
  deployment,
  rows: convexRows,
  lenses: [claimLens],
  eachAlone: true,
  countsWhereSent: true,

  async discover({ reader, deployment: row }) {
    const found = await Promise.all([
      ...row.beside.map(async ({ pool: address, token, wrapped, paid }): Promise<ProtocolContract[]> => {
        if (!(await isDeployed(reader, address))) return []
        if (wrapped) return [await listingStake(reader, address, token)]
        return payingStake(reader, row, { address, token, isToken: false, ...(paid && { paid }) })
      }),
      row.locker ? discoverLocker(reader, row.locker) : [],
    ])
    return found.flat()
  },

  keyLogs: ({ boosters }) =>
    boosters.some(({ layout }) => layout === 'silent') ? [{ contract: 'any', topic: STAKED, walletAt: 1 }] : [],

  async recognise({ reader, deployment: row, tokens }) {
    const found = await Promise.all(
      tokens.flatMap((token) => row.boosters.map((booster) => poolAt(reader, row, booster, token))),
    )
    return found.flat()
  },

  vouches: ({ beside, locker }, { address }) =>
    locker?.address === address || beside.some(({ pool }) => pool === address),

  /** A withdrawn stake leaves what it earned. */
  async probe({ reader, wallet, protocolContract, deployment: { locker } }) {
    const { address } = protocolContract
    if (isLock(protocolContract)) return locker !== undefined && isLocked(reader, locker, wallet)
    if (listsRewards(protocolContract) || isBeside(protocolContract)) return false
    const call = { address, abi: poolAbi, functionName: 'earned', args: [wallet] } as const
    return ((await answerOf(reader, address, reader.tryRead(call))) ?? 0n) > 0n
  },

  positions: eachAlone(async ({ reader, wallet, leftOut, deployment: { locker } }, stake) => {
    if (isBeside(stake)) return []
    if (isLock(stake)) return locker ? lockPositions(reader, locker, wallet) : []
    return {
      kind: 'farming',
      label: 'Stake',
      pool: stake.address,
      supplied: shareOf(stake, stake.balanceRaw),
      rewards: await rewardsOf(reader, stake, wallet, leftOut),
      receipts: stake.fungible ? [stake.address] : [],
    } satisfies PositionDraft
  }),

  decompose: async ({ protocolContract, amountRaw }) =>
    protocolContract.fungible ? shareOf(protocolContract, amountRaw) : undefined,

  history: convexHistory,
}

const shareOf = ({ underlyings: [token] }: ProtocolContract, amountRaw: bigint) => (token ? [{ token, amountRaw }] : [])
