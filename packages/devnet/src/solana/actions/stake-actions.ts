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

/** Withdrawing needs the custodian until both have passed: a time in Unix seconds and an epoch. */
type Lockup = { unixTime?: bigint; epoch?: bigint; custodian: Address }

export type StakeOptions = SendOptions & {
  lockup?: Lockup
  /** Who may delegate; the owner, who may withdraw, unless told. */
  staker?: Address
}

const STAKE_ACCOUNT_BYTES = 200

/**
 * Native stake, by the real stake program. The owner signs and pays the fee unless told. What is delegated is active from
 * the next epoch on, what is deactivated is free from the next epoch on (`chain.moveToEpoch`).
 */
export const stakeActions = (chain: SolanaChain, send: Send, payer: KeyPairSigner) => {
  let validator: Promise<Address> | undefined
  const space = STAKE_ACCOUNT_BYTES
  /** What the account has to hold beside its stake. */
  const reserve = chain.rentExemption(BigInt(space))
  const empty = (funder: KeyPairSigner, account: KeyPairSigner, lamports: bigint) =>
    getCreateAccountInstruction({
      payer: funder,
      newAccount: account,
      lamports,
      space,
      programAddress: STAKE_PROGRAM_ADDRESS,
    })

  /** The one validator of the local chain, as its vote account. */
  const vote = (): Promise<Address> => {
    validator ??= keypair('validator').then((key) => createVoteAccount(chain, send, payer, key))
    return validator
  }

  return {
    reserve,
    vote,
    /** An initialised account that holds its reserve and so many lamports to be staked. */
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
    /** To the owner; with all that it holds, reserve included, the account ends. */
    withdraw: (owner: KeyPairSigner, stake: Address, lamports: bigint, options: SendOptions = {}) => {
      const withdrawn = { stake, recipient: owner.address, withdrawAuthority: owner, args: lamports }
      return send([getWithdrawInstruction(withdrawn)], { feePayer: owner, ...options })
    },
    /** Moves so many staked lamports into a new account, whose reserve the owner pays. */
    split: (owner: KeyPairSigner, stake: Address, to: KeyPairSigner, lamports: bigint, options: SendOptions = {}) => {
      const split = { stake, splitStake: to.address, stakeAuthority: owner, args: lamports }
      return send([empty(owner, to, reserve), getSplitInstruction(split)], { feePayer: owner, ...options })
    },
    /** Ends `from`, whose lamports go into `into`. */
    merge: (owner: KeyPairSigner, into: Address, from: Address, options: SendOptions = {}) => {
      const merged = { destinationStake: into, sourceStake: from, stakeAuthority: owner }
      return send([getMergeInstruction(merged)], { feePayer: owner, ...options })
    },
  }
}
