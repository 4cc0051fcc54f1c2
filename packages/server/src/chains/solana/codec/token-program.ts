import { type Decimal, decimal } from '../../../domain/decimal.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import {
  type AccountData,
  decodable,
  invalid,
  layout,
  openAccount,
  readAccount,
  type SolanaAccount,
} from './account-data.ts'
import { addressBytes, programAddress, remembered } from './address.ts'

export const TOKEN_PROGRAM: SolanaAddress = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'
export const TOKEN_2022_PROGRAM: SolanaAddress = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
export const TOKEN_PROGRAMS: readonly SolanaAddress[] = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]

/** Displayed amounts are stored amounts times `multiplierAt`. */
export type Mint = {
  address: SolanaAddress
  program: SolanaAddress
  decimals: number
  supplyRaw: bigint
  /** Token-2022 only. */
  text: MintText | undefined
  /** Undefined: amounts are shown as stored. */
  multiplierAt: ((unixSeconds: number) => Decimal | undefined) | undefined
  /** Unix seconds. The mint keeps only one former value. */
  multiplierSince: number
  /** No authority can freeze, refuse, tax or take back what an owner sends. */
  isFree: boolean
}

export type MintText = { name: string; symbol: string }

const MINT = layout(
  { what: 'mint', programs: TOKEN_PROGRAMS, minLength: 82 },
  {
    supplyRaw: ['u64', 36],
    decimals: ['u8', 44],
    hasFreezeAuthority: ['u32', 46],
  },
)

/** Token-2022: the account type follows a token account's length, and extensions follow it. */
const KIND = 165
const KIND_IS_MINT = 1
const EXTENSION = { transferFee: 1, interestBearing: 10, metadata: 19, scaledAmount: 25 } as const
/** Any other extension may hinder a transfer. */
const HARMLESS = new Set([3, 4, 10, 16, 18, 19, 20, 21, 22, 23, 24, 25])
/** Basis points until the next epoch and after it. */
const FEE_RATES = [88, 106]
const HAS_AUTHORITY = 1
const HEAD = 4

export function decodeMint(account: SolanaAccount): Mint {
  const { address, data, supplyRaw, decimals, ...mint } = readAccount(account, MINT)
  const extensions = extensionsOf(data)
  const metadata = extensions.get(EXTENSION.metadata)
  return {
    address,
    program: account.owner,
    supplyRaw,
    decimals,
    text: metadata === undefined ? undefined : decodeText(data, metadata + 64),
    ...multiplierOf(data, extensions),
    isFree: mint.hasFreezeAuthority === 0 && [...extensions].every(([type, at]) => isHarmless(data, type, at)),
  }
}

/** By mint; other accounts are left out. */
export function mintAuthorities(
  accounts: readonly (SolanaAccount | null)[],
): Map<SolanaAddress, SolanaAddress | undefined> {
  return new Map(decodable(accounts, (account) => [account.address, authorityOf(openAccount(account, MINT))] as const))
}

const authorityOf = (mint: AccountData): SolanaAddress | undefined =>
  mint.u32(0) === HAS_AUTHORITY ? mint.key(4) : undefined

export function mintsAmong(accounts: readonly (SolanaAccount | null)[]): Map<SolanaAddress, Mint> {
  return new Map(decodable(accounts, decodeMint).map((mint) => [mint.address, mint]))
}

export const supplyOf = (account: SolanaAccount | null | undefined): bigint => readAccount(account, MINT).supplyRaw

function isHarmless(data: AccountData, type: number, at: number): boolean {
  if (type === EXTENSION.transferFee) return FEE_RATES.every((offset) => data.u16(at + offset) === 0)
  return HARMLESS.has(type)
}

function extensionsOf(data: AccountData): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  if (data.length <= KIND || data.u8(KIND) !== KIND_IS_MINT) return found
  for (let at = KIND + 1; at + HEAD <= data.length; ) {
    const type = data.u16(at)
    if (type === 0) break
    found.set(type, at + HEAD)
    at += HEAD + data.u16(at + 2)
  }
  return found
}

function decodeText(data: AccountData, at: number): MintText {
  const name = borshText(data, at)
  return { name: name.text, symbol: borshText(data, name.end).text }
}

function borshText(data: AccountData, at: number): { text: string; end: number } {
  const length = data.u32(at)
  const end = at + 4 + length
  return { text: new TextDecoder().decode(data.bytes(at + 4, length)), end }
}

function multiplierOf(data: AccountData, extensions: ReadonlyMap<number, number>) {
  const interest = extensions.get(EXTENSION.interestBearing)
  if (interest !== undefined) {
    const multiplierAt = (time: number) => factorOf(interestAt(data, interest, time))
    return { multiplierAt, multiplierSince: Number(data.i64(interest + 42)) }
  }
  const scaled = extensions.get(EXTENSION.scaledAmount)
  if (scaled === undefined) return { multiplierAt: undefined, multiplierSince: 0 }
  const multiplierSince = Number(data.i64(scaled + 40))
  const multiplierAt = (time: number) => factorOf(data.f64(scaled + (time >= multiplierSince ? 48 : 32)))
  return { multiplierAt, multiplierSince }
}

const factorOf = (factor: number): Decimal | undefined =>
  factor > 0 && factor < Number.POSITIVE_INFINITY ? decimal(String(factor)) : undefined

/** The program's year, of 365.24 days. */
const YEAR_SECONDS = 31_556_736
const BASIS_POINTS = 10_000

/** Compounded continuously at the former rate until the last change, then at the present one. */
function interestAt(data: AccountData, at: number, time: number): number {
  const begun = Number(data.i64(at + 32))
  const changed = Number(data.i64(at + 42))
  const grown = (rate: number, seconds: number) => Math.exp((rate * seconds) / YEAR_SECONDS / BASIS_POINTS)
  return (
    grown(data.i16(at + 40), Math.min(time, changed) - begun) * grown(data.i16(at + 50), Math.max(time - changed, 0))
  )
}

const METADATA_PROGRAM: SolanaAddress = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s'
const METADATA_KIND = 4
const METADATA = layout(
  { what: 'token metadata', programs: [METADATA_PROGRAM], minLength: 65 },
  { kind: ['u8', 0], authority: ['key', 1] },
)

export const metadataAddress = remembered(
  (mint): SolanaAddress =>
    programAddress(METADATA_PROGRAM, ['metadata', addressBytes(METADATA_PROGRAM), addressBytes(mint)]),
)

/** The creator of a mint chooses this key, so it proves nothing by itself. */
export const metadataAuthority = (account: SolanaAccount): SolanaAddress => readAccount(account, METADATA).authority

export function decodeMetadata(account: SolanaAccount): MintText | undefined {
  const { kind, data } = readAccount(account, METADATA)
  if (kind !== METADATA_KIND) return undefined
  const { name, symbol } = decodeText(data, 65)
  return { name: name.replace(/\0+$/, ''), symbol: symbol.replace(/\0+$/, '') }
}

export type TokenAccount = {
  address: SolanaAddress
  program: SolanaAddress
  mint: SolanaAddress
  amountRaw: bigint
  frozen: boolean
}

/** Mint, owner, amount, delegate, state. */
export const TOKEN_ACCOUNT_HEAD = 109

const TOKEN_ACCOUNT = layout(
  { what: 'token account', programs: TOKEN_PROGRAMS, minLength: TOKEN_ACCOUNT_HEAD },
  { mint: ['key', 0], amountRaw: ['u64', 64], state: ['u8', 108] },
)
const FROZEN = 2

export function decodeTokenAccount(account: SolanaAccount): TokenAccount {
  const { address, mint, amountRaw, state } = readAccount(account, TOKEN_ACCOUNT)
  return { address, program: account.owner, mint, amountRaw, frozen: state === FROZEN }
}

/** Throws `UpstreamError('invalid')` unless the account exists and is of this mint and owner. */
export function heldAmount(
  account: SolanaAccount | null | undefined,
  what: string,
  of: { mint?: SolanaAddress; owner?: SolanaAddress } = {},
): bigint {
  const { address, data, mint, amountRaw } = readAccount(account, { ...TOKEN_ACCOUNT, what, minLength: 165 })
  const owner = data.key(32)
  if (mint === (of.mint ?? mint) && owner === (of.owner ?? owner)) return amountRaw
  throw invalid(what, address, 'is of another token or owner')
}
