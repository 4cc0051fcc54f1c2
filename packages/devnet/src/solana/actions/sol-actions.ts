import { type Address, type KeyPairSigner, lamports } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import type { Send, SendOptions } from '../send.ts'

/** Lamports between wallets. A wallet that is new needs 890880 at least, or the transfer fails. */
export const solActions = (send: Send, faucet: KeyPairSigner) => ({
  /** Lamports out of the local chain's stock. */
  give: (to: Address, amount: bigint) =>
    send([getTransferSolInstruction({ source: faucet, destination: to, amount: lamports(amount) })], {
      feePayer: faucet,
    }),
  /** The sender pays the fee unless told. */
  transfer: (from: KeyPairSigner, to: Address, amount: bigint, options: SendOptions = {}) =>
    send([getTransferSolInstruction({ source: from, destination: to, amount: lamports(amount) })], {
      feePayer: from,
      ...options,
    }),
})
