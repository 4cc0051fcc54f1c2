import type { KeyPairSigner } from '@solana/kit'
import { getTransferSolInstruction } from '@solana-program/system'
import { getSyncNativeInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { getCreateAssociatedTokenIdempotentInstruction } from '@solana-program/token-2022'
import type { Send, SendOptions } from '../send.ts'
import { NATIVE_MINT } from '../token-account.ts'
import type { Token } from './mints.ts'
import { tokenAccountOf } from './token-actions.ts'

/** Cannot be minted. Unwrap with `tokens.close`. */
export const wrappedSolActions = (send: Send, payer: KeyPairSigner) => {
  const token: Token = { mint: NATIVE_MINT, program: TOKEN_PROGRAM_ADDRESS, decimals: 9, authority: payer }

  return {
    token,
    /** Creates the associated account if missing. */
    wrap: async (owner: KeyPairSigner, lamports: bigint, options: SendOptions = {}) => {
      const ata = await tokenAccountOf(token, owner.address)
      const { mint, program: tokenProgram } = token
      const opened = { payer: owner, ata, owner: owner.address, mint, tokenProgram }
      return send(
        [
          getCreateAssociatedTokenIdempotentInstruction(opened),
          getTransferSolInstruction({ source: owner, destination: ata, amount: lamports }),
          getSyncNativeInstruction({ account: ata }),
        ],
        { feePayer: owner, ...options },
      )
    },
  }
}
