import type { Address, KeyPairSigner, TransactionSigner } from '@solana/kit'
import { getCreateAccountInstruction } from '@solana-program/system'
import {
  findAssociatedTokenPda,
  getApproveCheckedInstruction,
  getBurnCheckedInstruction,
  getCloseAccountInstruction,
  getCreateAssociatedTokenIdempotentInstruction,
  getFreezeAccountInstruction,
  getInitializeAccount3Instruction,
  getMintToCheckedInstruction,
  getRevokeInstruction,
  getThawAccountInstruction,
  getTokenSize,
  getTransferCheckedInstruction,
} from '@solana-program/token-2022'
import type { SolanaChain } from '../chain.ts'
import type { Send, SendOptions } from '../send.ts'
import type { Token } from './mints.ts'

/** Default: the associated account. */
type From = SendOptions & { account?: Address }

export const tokenAccountOf = async ({ mint, program }: Token, owner: Address): Promise<Address> => {
  const [address] = await findAssociatedTokenPda({ owner, mint, tokenProgram: program })
  return address
}

const createOpening = (chain: SolanaChain) => async (token: Token, owner: Address, payer: TransactionSigner) => {
  const ata = await tokenAccountOf(token, owner)
  const { mint, program: tokenProgram } = token
  const opened = { payer, ata, owner, mint, tokenProgram }
  return { ata, opening: chain.account(ata) ? [] : [getCreateAssociatedTokenIdempotentInstruction(opened)] }
}

type Opening = ReturnType<typeof createOpening>

/** The local chain pays. */
const authorityActions = (openFor: Opening, send: Send, payer: KeyPairSigner) => ({
  /** Creates the associated account if missing. */
  mint: async (token: Token, owner: Address, amount: bigint) => {
    const { ata, opening } = await openFor(token, owner, payer)
    const { mint, decimals, authority: mintAuthority } = token
    const to = { mint, token: ata, mintAuthority, amount, decimals }
    return send([...opening, getMintToCheckedInstruction(to, { programAddress: token.program })])
  },
  freeze: async (token: Token, owner: Address) => {
    const account = await tokenAccountOf(token, owner)
    const frozen = { account, mint: token.mint, owner: token.authority }
    return send([getFreezeAccountInstruction(frozen, { programAddress: token.program })])
  },
  thaw: async (token: Token, owner: Address) => {
    const account = await tokenAccountOf(token, owner)
    const thawed = { account, mint: token.mint, owner: token.authority }
    return send([getThawAccountInstruction(thawed, { programAddress: token.program })])
  },
})

/** Default: the owner signs and pays. */
const ownerActions = (openFor: Opening, chain: SolanaChain, send: Send) => {
  const source = async (token: Token, owner: KeyPairSigner, { account, ...options }: From) => ({
    account: account ?? (await tokenAccountOf(token, owner.address)),
    at: { programAddress: token.program },
    options: { feePayer: owner, ...options },
  })

  return {
    open: async (token: Token, owner: KeyPairSigner, options: SendOptions = {}) => {
      const { opening } = await openFor(token, owner.address, options.feePayer ?? owner)
      return send(opening, { feePayer: owner, ...options })
    },
    /** At the key pair's address. */
    openAnother: async (token: Token, owner: KeyPairSigner, account: KeyPairSigner, options: SendOptions = {}) => {
      const space = getTokenSize()
      const lamports = chain.rentExemption(BigInt(space))
      const opened = { account: account.address, mint: token.mint, owner: owner.address }
      const { program: programAddress } = token
      return send(
        [
          getCreateAccountInstruction({ payer: owner, newAccount: account, lamports, space, programAddress }),
          getInitializeAccount3Instruction(opened, { programAddress }),
        ],
        { feePayer: owner, ...options },
      )
    },
    /** The sender creates the receiver's associated account if missing. */
    transfer: async (token: Token, owner: KeyPairSigner, to: Address, amount: bigint, from: From = {}) => {
      const { account, at, options } = await source(token, owner, from)
      const { ata: destination, opening } = await openFor(token, to, options.feePayer)
      const { mint, decimals } = token
      const moved = { source: account, mint, destination, authority: owner, amount, decimals }
      return send([...opening, getTransferCheckedInstruction(moved, at)], options)
    },
    approve: async (token: Token, owner: KeyPairSigner, delegate: Address, amount: bigint, from: From = {}) => {
      const { account, at, options } = await source(token, owner, from)
      const { mint, decimals } = token
      const approved = { source: account, mint, delegate, owner, amount, decimals }
      return send([getApproveCheckedInstruction(approved, at)], options)
    },
    revoke: async (token: Token, owner: KeyPairSigner, from: From = {}) => {
      const { account, at, options } = await source(token, owner, from)
      return send([getRevokeInstruction({ source: account, owner }, at)], options)
    },
    burn: async (token: Token, owner: KeyPairSigner, amount: bigint, from: From = {}) => {
      const { account, at, options } = await source(token, owner, from)
      const { mint, decimals } = token
      return send([getBurnCheckedInstruction({ account, mint, authority: owner, amount, decimals }, at)], options)
    },
    /** Must be empty, unless it holds wrapped SOL. */
    close: async (token: Token, owner: KeyPairSigner, from: From = {}) => {
      const { account, at, options } = await source(token, owner, from)
      return send([getCloseAccountInstruction({ account, destination: owner.address, owner }, at)], options)
    },
  }
}

/** Amounts in base units. As on chain, a transfer to an existing account names that account, not its wallet. */
export const tokenActions = (chain: SolanaChain, send: Send, payer: KeyPairSigner) => {
  const openFor = createOpening(chain)
  return {
    accountOf: tokenAccountOf,
    ...authorityActions(openFor, send, payer),
    ...ownerActions(openFor, chain, send),
  }
}
