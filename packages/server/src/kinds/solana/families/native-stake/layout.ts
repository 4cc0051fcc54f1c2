import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountData, type AccountLayout, invalid, openAccount, openExisting } from '../../codec/account-data.ts'
import type { SolanaAccount } from '../../codec/solana-account.ts'
import type { ClusterStake, Delegation } from './math.ts'

export const STAKE_PROGRAM: SolanaAddress = 'Stake11111111111111111111111111111111111111'
export const STAKE_HISTORY: SolanaAddress = 'SysvarStakeHistory1111111111111111111111111'
const SYSVARS: SolanaAddress = 'Sysvar1111111111111111111111111111111111111'

/** `StakeStateV2` in bincode: a tag of four bytes, then what its kind has. */
export const STAKE_BYTES = 200
/** Where the address that may withdraw stands. */
export const WITHDRAWER_OFFSET = 44
const TAG_OFFSET = 0
const LOCKUP_TIME_OFFSET = 76
const LOCKUP_EPOCH_OFFSET = 84
const CUSTODIAN_OFFSET = 92
const DELEGATED_STAKE_OFFSET = 156
const ACTIVATION_EPOCH_OFFSET = 164
const DEACTIVATION_EPOCH_OFFSET = 172

const UNINITIALIZED = 0
const INITIALIZED = 1
const DELEGATED = 2
const REWARDS_POOL = 3

const HISTORY_COUNT_BYTES = 8
/** An epoch, and the cluster's effective, activating and deactivating lamports in it. */
const HISTORY_ENTRY_BYTES = 32

/** A stake account of a wallet. `lamports`: all that it holds, reserve and undelegated lamports included. */
export type StakeAccount = {
  address: SolanaAddress
  lamports: bigint
  withdrawer: SolanaAddress
  /** Nothing can be withdrawn before this time (Unix seconds) nor before this epoch, unless the custodian signs. */
  lockup: { time: bigint; epoch: bigint; custodian: SolanaAddress }
  delegation: Delegation | undefined
}

const stakeLayout: AccountLayout = { what: 'stake account', programs: [STAKE_PROGRAM], minLength: STAKE_BYTES }
const historyLayout: AccountLayout = { what: 'stake history', programs: [SYSVARS], minLength: HISTORY_COUNT_BYTES }

/** `undefined`: the account is not set up as anybody's stake. */
export function readStakeAccount(account: SolanaAccount): StakeAccount | undefined {
  const data = openAccount(account, stakeLayout)
  const tag = data.u32(TAG_OFFSET)
  if (tag === UNINITIALIZED || tag === REWARDS_POOL) return undefined
  if (tag !== INITIALIZED && tag !== DELEGATED) throw invalid(stakeLayout.what, account.address, `has state ${tag}`)
  return {
    address: account.address,
    lamports: account.lamports,
    withdrawer: data.key(WITHDRAWER_OFFSET),
    lockup: {
      time: data.i64(LOCKUP_TIME_OFFSET),
      epoch: data.u64(LOCKUP_EPOCH_OFFSET),
      custodian: data.key(CUSTODIAN_OFFSET),
    },
    delegation: tag === DELEGATED ? readDelegation(data) : undefined,
  }
}

function readDelegation(data: AccountData): Delegation {
  return {
    stake: data.u64(DELEGATED_STAKE_OFFSET),
    activationEpoch: data.u64(ACTIVATION_EPOCH_OFFSET),
    deactivationEpoch: data.u64(DEACTIVATION_EPOCH_OFFSET),
  }
}

/** The last 512 epochs that are over, by their number. */
export function readStakeHistory(account: SolanaAccount | null | undefined): ReadonlyMap<bigint, ClusterStake> {
  const data = openExisting(account, historyLayout)
  const count = Number(data.u64(0))
  const epochs = new Map<bigint, ClusterStake>()
  for (let index = 0; index < count; index += 1) {
    const at = HISTORY_COUNT_BYTES + index * HISTORY_ENTRY_BYTES
    epochs.set(data.u64(at), {
      effective: data.u64(at + 8),
      activating: data.u64(at + 16),
      deactivating: data.u64(at + 24),
    })
  }
  return epochs
}
