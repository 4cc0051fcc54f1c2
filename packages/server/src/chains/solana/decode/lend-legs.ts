import { base58 } from '@scure/base'
import { NATIVE_SOL, type SolanaAddress, WRAPPED_SOL } from '../../../domain/solana-address.ts'
import type { TransactionType, Treatment } from '../../../domain/transaction.ts'
import { isGiven, isReceived, type Leg, legOf, type Remainder } from '../../legs.ts'
import type { SolanaInstruction, SolanaTransaction } from '../codec/solana-transaction.ts'
import { VAULTS_PROGRAM } from '../protocols/jupiter-lend/layout.ts'
import type { SolanaChange } from './changes.ts'

const JUPITER_LEND = 'jupiter_lend'

/** Discriminator and offsets of `operate` in Jupiter Lend's vaults. */
const OPERATE = { discriminator: 'd96ad06374972a87', collateral: 8, debt: 24, length: 40 } as const
/** Account indices. */
const SIGNER = 0
const SUPPLY_TOKEN = 8
const BORROW_TOKEN = 9
const NFT_ACCOUNT = 12
/** The program takes one unit more than it counts. */
const ROUNDING = 1n

const NO_BYTES = Buffer.alloc(0)

type Kind = { type: TransactionType; treatment: Treatment; isPaid: boolean }
type Sides = { raised: Kind; lowered: Kind }
type Step = Kind & { token: SolanaAddress; amountRaw: bigint }

/** By the program's own figures. The NFT names the position. */
export function lendLegs(
  tx: SolanaTransaction,
  wallet: SolanaAddress,
  rest: Remainder<SolanaChange>,
): Leg<SolanaChange>[] {
  return tx.instructions.flatMap((instruction) =>
    stepsOf(instruction, wallet).flatMap(({ type, treatment, token, amountRaw, isPaid }) => {
      const isSide = isPaid ? isGiven : isReceived
      const mostRaw = isPaid ? amountRaw + ROUNDING : amountRaw
      const parts = rest.takeUpTo(mostRaw, (part) => isSide(part) && isOf(part, token))
      const [first] = parts
      if (!first) return []
      const named = positionPart(tx, wallet, instruction).map((part) => ({ ...part, place: first.place }))
      return [legOf(type, treatment, JUPITER_LEND, [...named, ...parts])]
    }),
  )
}

/** Nothing of the NFT moves. */
function positionPart(
  { tokensBefore, tokensAfter }: SolanaTransaction,
  wallet: SolanaAddress,
  { accounts }: SolanaInstruction,
): SolanaChange[] {
  const held = [...tokensAfter, ...tokensBefore].find(
    ({ account, owner }) => account === accounts[NFT_ACCOUNT] && owner === wallet,
  )
  return held ? [{ token: held.mint, tokenId: 0n, amountRaw: 0n, counterparty: null, debt: false }] : []
}

/** SOL is wrapped for the program. */
const isOf = (part: SolanaChange, token: SolanaAddress) =>
  part.token === token || (token === WRAPPED_SOL && part.token === NATIVE_SOL)

function stepsOf({ program, accounts, data }: SolanaInstruction, wallet: SolanaAddress): Step[] {
  const bytes = program === VAULTS_PROGRAM ? bytesOf(data) : NO_BYTES
  const isOperate = bytes.subarray(0, OPERATE.collateral).toString('hex') === OPERATE.discriminator
  const [signer, collateralToken, debtToken] = [SIGNER, SUPPLY_TOKEN, BORROW_TOKEN].map((at) => accounts[at])
  if (!isOperate || bytes.length < OPERATE.length || signer !== wallet || !collateralToken || !debtToken) return []
  return [
    ...stepOf(signedAt(bytes, OPERATE.collateral), collateralToken, COLLATERAL),
    ...stepOf(signedAt(bytes, OPERATE.debt), debtToken, DEBT),
  ]
}

const COLLATERAL: Sides = {
  raised: { type: 'DEPOSIT', treatment: 'move', isPaid: true },
  lowered: { type: 'WITHDRAW', treatment: 'move', isPaid: false },
}
const DEBT: Sides = {
  raised: { type: 'BORROW', treatment: 'borrow', isPaid: false },
  lowered: { type: 'REPAYVAULT', treatment: 'repay', isPaid: true },
}

function stepOf(change: bigint, token: SolanaAddress, { raised, lowered }: Sides): Step[] {
  if (change === 0n) return []
  return [change > 0n ? { ...raised, token, amountRaw: change } : { ...lowered, token, amountRaw: -change }]
}

function bytesOf(data: string): Buffer {
  try {
    return Buffer.from(base58.decode(data))
  } catch {
    return NO_BYTES
  }
}

/** 16 bytes, little-endian. The minimum stands for everything. */
const signedAt = (bytes: Buffer, at: number) => (bytes.readBigInt64LE(at + 8) << 64n) | bytes.readBigUInt64LE(at)
