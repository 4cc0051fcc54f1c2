import { type Address, type KeyPairSigner, lamports } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import type { Send, SendOptions } from '../send.ts'

/** A new wallet needs at least 890880 lamports. */
export const solActions = (send: Send, faucet: KeyPairSigner) => ({
  give: (to: Address, amount: bigint) =>
    send([getTransferSolInstruction({ source: faucet, destination: to, amount: lamports(amount) })], {
      feePayer: faucet,
    }),
  /** Default: the sender pays the fee. */
  transfer: (from: KeyPairSigner, to: Address, amount: bigint, options: SendOptions = {}) =>
    send([getTransferSolInstruction({ source: from, destination: to, amount: lamports(amount) })], {
      feePayer: from,
      ...options,
    }),
})
