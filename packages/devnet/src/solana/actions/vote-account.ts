import { AccountRole, address, getAddressEncoder, type KeyPairSigner } from '@solana/kit'
import { getCreateAccountInstruction } from '@solana-program/system'
import type { SolanaChain } from '../chain.ts'
import type { Send } from '../send.ts'

const VOTE_PROGRAM = address('Vote111111111111111111111111111111111111111')
const RENT = address('SysvarRent111111111111111111111111111111111')
const CLOCK = address('SysvarC1ock11111111111111111111111111111111')
const VOTE_ACCOUNT_BYTES = 3762
const INITIALIZE = 0
const COMMISSION_PERCENT = 5

/** No package has these instructions. Node, voter and withdrawer are one key, then the commission. */
const initialize = (vote: KeyPairSigner, node: KeyPairSigner) => {
  const key = Uint8Array.from(getAddressEncoder().encode(node.address))
  return {
    programAddress: VOTE_PROGRAM,
    accounts: [
      { address: vote.address, role: AccountRole.WRITABLE },
      { address: RENT, role: AccountRole.READONLY },
      { address: CLOCK, role: AccountRole.READONLY },
      { address: node.address, role: AccountRole.READONLY_SIGNER, signer: node },
    ],
    data: Uint8Array.from([INITIALIZE, 0, 0, 0, ...key, ...key, ...key, COMMISSION_PERCENT]),
  }
}

export const createVoteAccount = async (chain: SolanaChain, send: Send, payer: KeyPairSigner, vote: KeyPairSigner) => {
  const lamports = chain.rentExemption(BigInt(VOTE_ACCOUNT_BYTES))
  const created = { payer, newAccount: vote, lamports, space: VOTE_ACCOUNT_BYTES, programAddress: VOTE_PROGRAM }
  await send([getCreateAccountInstruction(created), initialize(vote, payer)])
  return vote.address
}
