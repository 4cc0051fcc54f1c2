import {
  type AddressesByLookupTableAddress,
  address,
  appendTransactionMessageInstructions,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  getTransactionEncoder,
  type Instruction,
  pipe,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageComputeUnitPrice,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type TransactionSigner,
} from '@solana/kit'
import { BLOCKHASH_SLOTS } from './blockhashes.ts'
import type { SolanaChain } from './chain.ts'
import type { LandedTransaction } from './landed-transaction.ts'
import { describeTransactionError } from './transaction-error.ts'
import { readWireTransaction, type WireTransaction } from './wire-transaction.ts'

export type SendOptions = {
  /** Signs first and pays. Default: the local payer. */
  feePayer?: TransactionSigner
  /** In addition to 5000 lamports per signature, rounded up. `microLamports`: millionths of a lamport per unit. */
  priority?: { units: number; microLamports: bigint }
  memo?: string
  /** Accounts to address via tables. */
  lookupTables?: AddressesByLookupTableAddress
  /** Default: version 0. */
  isLegacy?: boolean
  /** Resolves even if the transaction failed in its block. */
  mayFail?: boolean
}

/** Runs in a slot of its own. Throws with the program's logs on failure, and always if it entered no block. */
export type Send = (instructions: readonly Instruction[], options?: SendOptions) => Promise<LandedTransaction>

const MEMO_PROGRAM = address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr')

const memoInstruction = (memo: string): Instruction => ({
  programAddress: MEMO_PROGRAM,
  data: new TextEncoder().encode(memo),
})

const sign = async (
  chain: SolanaChain,
  instructions: readonly Instruction[],
  options: SendOptions & { feePayer: TransactionSigner },
): Promise<WireTransaction> => {
  const { feePayer, priority, memo, lookupTables = {}, isLegacy = false } = options
  const lifetime = { blockhash: chain.latestBlockhash(), lastValidBlockHeight: chain.slot() + BLOCKHASH_SLOTS }
  const all = memo === undefined ? instructions : [...instructions, memoInstruction(memo)]
  const message = pipe(
    createTransactionMessage({ version: isLegacy ? 'legacy' : 0 }),
    (empty) => setTransactionMessageFeePayerSigner(feePayer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (living) => appendTransactionMessageInstructions(all, living),
    (whole) => setTransactionMessageComputeUnitLimit(priority?.units, whole),
    (limited) => setTransactionMessageComputeUnitPrice(priority?.microLamports, limited),
  )
  const { version } = message
  const compressed =
    version === 0 ? compressTransactionMessageUsingAddressLookupTables({ ...message, version }, lookupTables) : message
  const signed = await signTransactionMessageWithSigners(compressed)
  return readWireTransaction(Uint8Array.from(getTransactionEncoder().encode(signed)))
}

export const createSend = (chain: SolanaChain, payer: TransactionSigner): Send => {
  return async (instructions, options = {}) => {
    const result = chain.execute(await sign(chain, instructions, { feePayer: payer, ...options }))
    if ('slot' in result && (options.mayFail === true || result.error === null)) return result
    const reason = result.error === null ? 'no reason' : describeTransactionError(result.error)
    throw new Error([`a transaction failed: ${reason}`, ...result.logs].join('\n'))
  }
}
