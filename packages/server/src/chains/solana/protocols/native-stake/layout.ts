import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import {
  type AccountLayout,
  invalid,
  openAccount,
  openExisting,
  type SolanaAccount,
  struct,
} from '../../codec/account-data.ts'
import type { ClusterStake, Delegation } from './math.ts'

export const STAKE_PROGRAM: SolanaAddress = 'Stake11111111111111111111111111111111111111'
export const STAKE_HISTORY: SolanaAddress = 'SysvarStakeHistory1111111111111111111111111'
const SYSVARS: SolanaAddress = 'Sysvar1111111111111111111111111111111111111'

/** `StakeStateV2` in bincode, with a four-byte tag. */
export const STAKE_BYTES = 200
export const WITHDRAWER_OFFSET = 44
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

export type StakeAccount = {
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
export function readStakeHistory(account: SolanaAccount | null | undefined): ReadonlyMap<bigint, ClusterStake> {
  const data = openExisting(account, historyLayout)
  const count = Number(data.u64(0))
  const epochs = new Map<bigint, ClusterStake>()
  for (let index = 0; index < count; index += 1) {
    const at = HISTORY_COUNT_BYTES + index * HISTORY_ENTRY_BYTES
    epochs.set(data.u64(at), clusterFields(data, at))
  }
  return epochs
}
