import type { PositionDraft } from '../../../../domain/position.ts'
import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import {
  type AccountOf,
  type AccountType,
  invalid,
  layout,
  list,
  openAccount,
  readFields,
  type SolanaAccount,
} from '../../codec/account-data.ts'
import { SLOTS_PER_EPOCH, type SolanaClock, timeOfSlot, unlockTime } from '../../codec/clock.ts'
import { readOwned } from '../account-reads.ts'
import type { SolanaAdapter } from '../adapter.ts'

export const STAKE_PROGRAM: SolanaAddress = 'Stake11111111111111111111111111111111111111'
export const STAKE_HISTORY: SolanaAddress = 'SysvarStakeHistory1111111111111111111111111'
const SYSVARS: SolanaAddress = 'Sysvar1111111111111111111111111111111111111'

/**
 * `StakeStateV2` in bincode. `owner`: may withdraw. A lockup ends at its Unix time and epoch, or if the custodian signs.
 * An epoch of 2^64 − 1 means "always" or "not yet".
 */
export const STAKE = layout(
  { what: 'stake account', programs: [STAKE_PROGRAM], minLength: 200, isExact: true },
  {
    state: ['u32', 0],
    owner: ['key', 44],
    lockupTime: ['i64', 76],
    lockupEpoch: ['u64', 84],
    custodian: ['key', 92],
    stake: ['u64', 156],
    activationEpoch: ['u64', 164],
    deactivationEpoch: ['u64', 172],
  },
)
type Stake = AccountOf<typeof STAKE>
export type Delegation = { stake: bigint; activationEpoch: bigint; deactivationEpoch: bigint }

const INITIALIZED = 1
const DELEGATED = 2
/** Uninitialized, or for the program's former rewards. */
const OF_NO_ONE = [0, 3]

const HISTORY: AccountType = { what: 'stake history', programs: [SYSVARS], minLength: 8 }
const MOST_EPOCHS = 512n

export type ClusterStake = { effective: bigint; activating: bigint; deactivating: bigint }
type History = ReadonlyMap<bigint, ClusterStake>

export function readStakeHistory(account: SolanaAccount | null | undefined): History {
  const data = openAccount(account, HISTORY)
  const count = data.u64(0)
  if (count > MOST_EPOCHS) throw invalid(HISTORY.what, data.address, `has ${count} epochs`)
  const { epochs } = readFields(data, {
    epochs: list(
      { from: 8, count: Number(count), size: 32 },
      { epoch: ['u64', 0], effective: ['u64', 8], activating: ['u64', 16], deactivating: ['u64', 24] },
    ),
  })
  return new Map(epochs.map((cluster) => [cluster.epoch, cluster]))
}

/** Includes undelegated lamports, which withdrawals pay too. Excludes stake that the wallet may only delegate. */
export const nativeStake: SolanaAdapter = {
  key: 'native_stake',
  title: 'Native staking',
  siteUrl: 'https://solana.com/staking',

  async positions({ reader, wallet, clock }) {
    const accounts = await readOwned(reader, STAKE, wallet)
    const stakes = accounts.filter(({ state }) => !OF_NO_ONE.includes(state))
    for (const { address, state } of stakes) {
      if (state !== INITIALIZED && state !== DELEGATED) throw invalid(STAKE.what, address, `has state ${state}`)
    }
    const isDelegated = stakes.some(({ state }) => state === DELEGATED)
    const history = isDelegated ? readStakeHistory((await reader.accounts([STAKE_HISTORY]))[0]) : new Map()
    return stakes.map((stake) => draftOf(stake, clock, history))
  },
}

function draftOf(stake: Stake, clock: SolanaClock, history: History): PositionDraft {
  const state = stateOf(stake, clock, history)
  const unlockAt = freeAt(stake, state, clock)
  return {
    kind: 'staked',
    label: `${state} stake`,
    pool: stake.address,
    supplied: [{ token: NATIVE_SOL, amountRaw: stake.data.lamports }],
    ...(unlockAt !== undefined && { unlockAt }),
  }
}

type StakeState = 'Undelegated' | 'Activating' | 'Active' | 'Deactivating' | 'Inactive'

function stateOf(stake: Stake, clock: SolanaClock, history: History): StakeState {
  if (stake.state !== DELEGATED) return 'Undelegated'
  const { effective, activating, deactivating } = stakeAt(stake, clock.epoch, history)
  if (deactivating > 0n) return 'Deactivating'
  if (activating > 0n) return 'Activating'
  return effective > 0n ? 'Active' : 'Inactive'
}

/** A deactivating stake is inactive in the next epoch at the earliest. */
function freeAt(stake: Stake, state: StakeState, clock: SolanaClock): number | undefined {
  const { custodian, owner, lockupTime, lockupEpoch } = stake
  // A lockup does not bind its custodian.
  const isHeldUp = custodian !== owner
  const times = [
    ...(isHeldUp && lockupTime > BigInt(clock.time) ? [lockupTime] : []),
    ...(isHeldUp && lockupEpoch > clock.epoch ? [startOf(lockupEpoch, clock)] : []),
    ...(state === 'Deactivating' ? [startOf(clock.epoch + 1n, clock)] : []),
  ]
  const last = times.reduce((latest, time) => (time > latest ? time : latest), 0n)
  return last === 0n ? undefined : unlockTime(last)
}

const startOf = (epoch: bigint, clock: SolanaClock) => timeOfSlot(epoch * SLOTS_PER_EPOCH, clock)

const BOOTSTRAP = 2n ** 64n - 1n
/** At most 9 % of the cluster's effective stake may change per epoch, in total. */
const RATE_BPS = 900n
const BPS = 10_000n

/** `stake_activating_and_deactivating_v2`. Changes older than the history are complete. Deactivating stake earns. */
export function stakeAt(delegation: Delegation, epoch: bigint, history: History): ClusterStake {
  const { effective, activating } = activationAt(delegation, epoch, history)
  if (epoch < delegation.deactivationEpoch) return { effective, activating, deactivating: 0n }
  const { deactivationEpoch: since } = delegation
  if (epoch === since) return { effective, activating: 0n, deactivating: effective }
  const left = history.has(since) ? queuedStill(effective, since, epoch, history, 'deactivating') : 0n
  return { effective: left, activating: 0n, deactivating: left }
}

function activationAt(delegation: Delegation, epoch: bigint, history: History) {
  const { stake, activationEpoch, deactivationEpoch } = delegation
  if (activationEpoch === BOOTSTRAP) return { effective: stake, activating: 0n }
  if (activationEpoch === deactivationEpoch || epoch < activationEpoch) return { effective: 0n, activating: 0n }
  if (epoch === activationEpoch) return { effective: 0n, activating: stake }
  if (!history.has(activationEpoch)) return { effective: stake, activating: 0n }
  // Deactivation ends a warm-up.
  const until = epoch < deactivationEpoch ? epoch : deactivationEpoch
  const waiting = queuedStill(stake, activationEpoch, until, history, 'activating')
  return { effective: stake - waiting, activating: waiting }
}

function queuedStill(
  lamports: bigint,
  from: bigint,
  until: bigint,
  history: History,
  queue: 'activating' | 'deactivating',
): bigint {
  let left = lamports
  let epoch = from
  let cluster = history.get(epoch)
  while (cluster && cluster[queue] > 0n && left > 0n && epoch < until) {
    const allowed = (left * cluster.effective * RATE_BPS) / (cluster[queue] * BPS)
    // At least one lamport, so that every change completes.
    const changed = allowed > 0n ? allowed : 1n
    left -= changed < left ? changed : left
    epoch += 1n
    cluster = history.get(epoch)
  }
  return left
}
