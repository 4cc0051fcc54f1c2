import {
  appendTransactionMessageInstructions,
  createTransactionMessage,
  getTransactionEncoder,
  type Instruction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type TransactionSigner,
} from '@solana/kit'
import { BLOCKHASH_SLOTS } from './blockhashes.ts'
import type { SolanaChain } from './chain.ts'
import type { LandedTransaction } from './landed-transaction.ts'
import { describeTransactionError } from './transaction-error.ts'
import { readWireTransaction } from './wire-transaction.ts'

export type SendOptions = {
  /** Signs first and pays; the local chain's own payer unless told. */
  feePayer?: TransactionSigner
  /** Whether the message is of the old form; unless told it is of version 0. */
  isLegacy?: boolean
  /** Resolves with a transaction that failed in its block too, instead of throwing. */
  mayFail?: boolean
}

/**
 * Signs instructions with the signers that they carry and runs them in a slot of their own. Throws with the program's
 * logs when they fail, and always when they got into no block.
 */
export type Send = (instructions: readonly Instruction[], options?: SendOptions) => Promise<LandedTransaction>

const sign = async (chain: SolanaChain, instructions: readonly Instruction[], options: Required<SendOptions>) => {
  const lifetime = { blockhash: chain.latestBlockhash(), lastValidBlockHeight: chain.slot() + BLOCKHASH_SLOTS }
  const message = pipe(
    createTransactionMessage({ version: options.isLegacy ? 'legacy' : 0 }),
    (empty) => setTransactionMessageFeePayerSigner(options.feePayer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (living) => appendTransactionMessageInstructions(instructions, living),
  )
  const signed = await signTransactionMessageWithSigners(message)
  return readWireTransaction(Uint8Array.from(getTransactionEncoder().encode(signed)))
}

export const createSend = (chain: SolanaChain, payer: TransactionSigner): Send => {
  return async (instructions, { feePayer = payer, mayFail = false, isLegacy = false } = {}) => {
    const result = chain.execute(await sign(chain, instructions, { feePayer, mayFail, isLegacy }))
    if ('slot' in result && (mayFail || result.error === null)) return result
    const reason = result.error === null ? 'no reason' : describeTransactionError(result.error)
    throw new Error([`a transaction failed: ${reason}`, ...result.logs].join('\n'))
  }
}
