import type { Address, KeyPairSigner } from '@solana/kit'
import {
  getDeactivateInstruction,
  getDelegateStakeInstruction,
  getInitializeInstruction,
  getMergeInstruction,
  getSplitInstruction,
  getWithdrawInstruction,
  STAKE_PROGRAM_ADDRESS,
} from '@solana-program/stake'
import { getCreateAccountInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import type { SolanaChain } from '../chain.ts'
import { keypair } from '../keypairs.ts'
import type { Send, SendOptions } from '../send.ts'
import { createVoteAccount } from './vote-account.ts'

/** Until both have passed, withdrawing needs the custodian. `unixTime`: Unix seconds. */
type Lockup = { unixTime?: bigint; epoch?: bigint; custodian: Address }

export type StakeOptions = SendOptions & {
  lockup?: Lockup
  /** May delegate. Default: the owner, who may withdraw. */
  staker?: Address
}

const STAKE_ACCOUNT_BYTES = 200

/**
 * The real stake program. Default: the owner signs and pays. Delegation and deactivation take effect in the next epoch
 * (`chain.moveToEpoch`).
 */
export const stakeActions = (chain: SolanaChain, send: Send, payer: KeyPairSigner) => {
  let validator: Promise<Address> | undefined
  const space = STAKE_ACCOUNT_BYTES
  /** Lamports required in addition to the stake. */
  const reserve = chain.rentExemption(BigInt(space))
  const empty = (funder: KeyPairSigner, account: KeyPairSigner, lamports: bigint) =>
    getCreateAccountInstruction({
      payer: funder,
      newAccount: account,
      lamports,
      space,
      programAddress: STAKE_PROGRAM_ADDRESS,
    })

  /** The local chain's only validator. */
  const vote = (): Promise<Address> => {
    validator ??= keypair('validator').then((key) => createVoteAccount(chain, send, payer, key))
    return validator
  }

  return {
    reserve,
    vote,
    /** Creates an account with its reserve and these lamports to stake. */
    create: (owner: KeyPairSigner, account: KeyPairSigner, lamports: bigint, options: StakeOptions = {}) => {
      const { lockup, staker = owner.address, ...sending } = options
      const initialized = getInitializeInstruction({
        stake: account.address,
        arg0: { staker, withdrawer: owner.address },
        arg1: {
          unixTimestamp: lockup?.unixTime ?? 0n,
          epoch: lockup?.epoch ?? 0n,
          custodian: lockup?.custodian ?? SYSTEM_PROGRAM_ADDRESS,
        },
      })
      return send([empty(owner, account, reserve + lamports), initialized], { feePayer: owner, ...sending })
    },
    delegate: async (owner: KeyPairSigner, stake: Address, options: SendOptions = {}) => {
      const delegated = getDelegateStakeInstruction({ stake, vote: await vote(), stakeAuthority: owner })
      return send([delegated], { feePayer: owner, ...options })
    },
    deactivate: (owner: KeyPairSigner, stake: Address, options: SendOptions = {}) =>
      send([getDeactivateInstruction({ stake, stakeAuthority: owner })], { feePayer: owner, ...options }),
    /** Withdrawing everything, reserve included, closes the account. */
    withdraw: (owner: KeyPairSigner, stake: Address, lamports: bigint, options: SendOptions = {}) => {
      const withdrawn = { stake, recipient: owner.address, withdrawAuthority: owner, args: lamports }
      return send([getWithdrawInstruction(withdrawn)], { feePayer: owner, ...options })
    },
    /** The owner pays the new account's reserve. */
    split: (owner: KeyPairSigner, stake: Address, to: KeyPairSigner, lamports: bigint, options: SendOptions = {}) => {
      const split = { stake, splitStake: to.address, stakeAuthority: owner, args: lamports }
      return send([empty(owner, to, reserve), getSplitInstruction(split)], { feePayer: owner, ...options })
    },
    /** Closes `from`. */
    merge: (owner: KeyPairSigner, into: Address, from: Address, options: SendOptions = {}) => {
      const merged = { destinationStake: into, sourceStake: from, stakeAuthority: owner }
      return send([getMergeInstruction(merged)], { feePayer: owner, ...options })
    },
  }
}
