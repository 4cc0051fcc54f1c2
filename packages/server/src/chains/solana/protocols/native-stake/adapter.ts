import type { PositionDraft } from '../../../../domain/position.ts'
import { NATIVE_SOL } from '../../../../domain/solana-address.ts'
import { invalid } from '../../codec/account-data.ts'
import { SLOTS_PER_EPOCH, type SolanaClock, timeOfSlot, unlockTime } from '../../codec/clock.ts'
import type { SolanaAdapter } from '../adapter.ts'
import {
  readStakeAccount,
  readStakeHistory,
  STAKE_BYTES,
  STAKE_HISTORY,
  STAKE_PROGRAM,
  type StakeAccount,
  WITHDRAWER_OFFSET,
} from './layout.ts'
import { type ClusterStake, stakeAt } from './math.ts'

/**
 * Supply includes the reserve and undelegated lamports: a withdrawal pays them too. Excludes stake that the wallet may
 * only delegate.
 */
export const nativeStake: SolanaAdapter = {
  name: 'native_stake',
  key: 'native_stake',
  title: 'Native staking',
  siteUrl: 'https://solana.com/staking',

  async positions({ reader, wallet, clock }) {
    const filters = [{ dataSize: STAKE_BYTES }, { offset: WITHDRAWER_OFFSET, bytes: wallet }]
    const accounts = await reader.programAccounts(STAKE_PROGRAM, filters)
    const stakes = accounts.flatMap((account) => readStakeAccount(account) ?? [])
    for (const { address, withdrawer } of stakes) {
      if (withdrawer !== wallet) throw invalid('stake account', address, 'is not of the wallet that was asked for')
    }
    const isDelegated = stakes.some(({ delegation }) => delegation !== undefined)
    const history = isDelegated ? readStakeHistory((await reader.accounts([STAKE_HISTORY]))[0]) : new Map()
    return stakes.map((stake) => draftOf(stake, clock, history))
  },
}

function draftOf(stake: StakeAccount, clock: SolanaClock, history: ReadonlyMap<bigint, ClusterStake>): PositionDraft {
  const state = stateOf(stake, clock, history)
  const unlockAt = freeAt(stake, state, clock)
  return {
    kind: 'staked',
    label: `${state} stake`,
    pool: stake.address,
    supplied: [{ token: NATIVE_SOL, amountRaw: stake.lamports }],
    ...(unlockAt !== undefined && { unlockAt }),
  }
}

type State = 'Undelegated' | 'Activating' | 'Active' | 'Deactivating' | 'Inactive'

function stateOf({ delegation }: StakeAccount, clock: SolanaClock, history: ReadonlyMap<bigint, ClusterStake>): State {
  if (!delegation) return 'Undelegated'
  const { effective, activating, deactivating } = stakeAt(delegation, clock.epoch, history)
  if (deactivating > 0n) return 'Deactivating'
  if (activating > 0n) return 'Activating'
  return effective > 0n ? 'Active' : 'Inactive'
}

/** A deactivating stake is inactive in the next epoch at the earliest. */
function freeAt({ lockup, withdrawer }: StakeAccount, state: State, clock: SolanaClock): number | undefined {
  // A lockup does not bind its custodian.
  const isHeldUp = lockup.custodian !== withdrawer
  const times = [
    ...(isHeldUp && lockup.time > BigInt(clock.time) ? [lockup.time] : []),
    ...(isHeldUp && lockup.epoch > clock.epoch ? [startOf(lockup.epoch, clock)] : []),
    ...(state === 'Deactivating' ? [startOf(clock.epoch + 1n, clock)] : []),
  ]
  const last = times.reduce((latest, time) => (time > latest ? time : latest), 0n)
  return last === 0n ? undefined : unlockTime(last)
}

function startOf(epoch: bigint, clock: SolanaClock): bigint {
  return timeOfSlot(epoch * SLOTS_PER_EPOCH, clock)
}
