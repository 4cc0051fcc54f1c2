import type { PositionDraft } from '../../../../domain/position.ts'
import { NATIVE_SOL, type SolanaAddress } from '../../../../domain/solana-address.ts'
import {
  type AccountLayout,
  invalid,
  openAccount,
  openExisting,
  type SolanaAccount,
  struct,
} from '../../codec/account-data.ts'
import { SLOTS_PER_EPOCH, type SolanaClock, timeOfSlot, unlockTime } from '../../codec/clock.ts'
import type { SolanaAdapter } from '../adapter.ts'

export const STAKE_PROGRAM: SolanaAddress = 'Stake11111111111111111111111111111111111111'
export const STAKE_HISTORY: SolanaAddress = 'SysvarStakeHistory1111111111111111111111111'
const SYSVARS: SolanaAddress = 'Sysvar1111111111111111111111111111111111111'

/** `StakeStateV2` in bincode, with a four-byte tag. */
const STAKE_BYTES = 200
const WITHDRAWER_OFFSET = 44
const lockupFields = struct({ time: ['i64', 76], epoch: ['u64', 84], custodian: ['key', 92] })
const delegationFields = struct({
  stake: ['u64', 156],
  activationEpoch: ['u64', 164],
  deactivationEpoch: ['u64', 172],
})

const UNINITIALIZED = 0
const INITIALIZED = 1
const DELEGATED = 2
const REWARDS_POOL = 3

const HISTORY_COUNT_BYTES = 8
const HISTORY_ENTRY_BYTES = 32
/** In lamports, after the epoch number. */
const clusterFields = struct({ effective: ['u64', 8], activating: ['u64', 16], deactivating: ['u64', 24] })

type StakeAccount = {
  address: SolanaAddress
  lamports: bigint
  withdrawer: SolanaAddress
  /** Blocks withdrawals until this Unix time and epoch, unless the custodian signs. */
  lockup: { time: bigint; epoch: bigint; custodian: SolanaAddress }
  delegation: Delegation | undefined
}

const stakeLayout: AccountLayout = { what: 'stake account', programs: [STAKE_PROGRAM], minLength: STAKE_BYTES }
const historyLayout: AccountLayout = { what: 'stake history', programs: [SYSVARS], minLength: HISTORY_COUNT_BYTES }

export function readStakeAccount(account: SolanaAccount): StakeAccount | undefined {
  const data = openAccount(account, stakeLayout)
  const tag = data.u32(0)
  if (tag === UNINITIALIZED || tag === REWARDS_POOL) return undefined
  if (tag !== INITIALIZED && tag !== DELEGATED) throw invalid(stakeLayout.what, account.address, `has state ${tag}`)
  return {
    address: account.address,
    lamports: account.lamports,
    withdrawer: data.key(WITHDRAWER_OFFSET),
    lockup: lockupFields(data),
    delegation: tag === DELEGATED ? delegationFields(data) : undefined,
  }
}

/** The last 512 epochs. */
export function readStakeHistory(account: SolanaAccount | null | undefined): History {
  const data = openExisting(account, historyLayout)
  const count = Number(data.u64(0))
  const epochs = new Map<bigint, ClusterStake>()
  for (let index = 0; index < count; index += 1) {
    const at = HISTORY_COUNT_BYTES + index * HISTORY_ENTRY_BYTES
    epochs.set(data.u64(at), clusterFields(data, at))
  }
  return epochs
}

/**
 * Includes the reserve and undelegated lamports, which withdrawals pay too. Excludes stake that the wallet may only
 * delegate.
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

function draftOf(stake: StakeAccount, clock: SolanaClock, history: History): PositionDraft {
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

function stateOf({ delegation }: StakeAccount, clock: SolanaClock, history: History): State {
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

/** An epoch of 2^64 − 1 means "always" or "not yet". */
export type Delegation = { stake: bigint; activationEpoch: bigint; deactivationEpoch: bigint }

export type ClusterStake = { effective: bigint; activating: bigint; deactivating: bigint }

type History = ReadonlyMap<bigint, ClusterStake>

const BOOTSTRAP = 2n ** 64n - 1n
/** At most 9 % of the cluster's effective stake may change per epoch, in total. */
const RATE_BPS = 900n
const BPS = 10_000n

/**
 * Follows `stake_activating_and_deactivating_v2` of the stake program. Changes older than the history are complete.
 * Deactivating stake is effective: it still earns.
 */
export function stakeAt(delegation: Delegation, epoch: bigint, history: History): ClusterStake {
  const { effective, activating } = activationAt(delegation, epoch, history)
  if (epoch < delegation.deactivationEpoch) return { effective, activating, deactivating: 0n }
  const left = coolingDown(effective, delegation.deactivationEpoch, epoch, history)
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

function coolingDown(effective: bigint, deactivationEpoch: bigint, epoch: bigint, history: History): bigint {
  if (epoch === deactivationEpoch) return effective
  return history.has(deactivationEpoch) ? queuedStill(effective, deactivationEpoch, epoch, history, 'deactivating') : 0n
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
    left -= min(left, allowed > 0n ? allowed : 1n)
    epoch += 1n
    cluster = history.get(epoch)
  }
  return left
}

const min = (a: bigint, b: bigint) => (a < b ? a : b)
