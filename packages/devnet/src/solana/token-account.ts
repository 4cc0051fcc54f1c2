import { type Address, address, getAddressDecoder, type ReadonlyUint8Array } from '@solana/kit'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022'

export const NATIVE_MINT = address('So11111111111111111111111111111111111111112')

/** Both programs start alike. Token-2022 writes type and extensions after byte 165. */
const ACCOUNT_BYTES = 165
const ACCOUNT_KIND = 2
const MULTISIG_BYTES = 355
const OWNER_AT = 32
const AMOUNT_AT = 64
const STATE_AT = 108
const MINT_BYTES = 82
const SUPPLY_AT = 36
const DECIMALS_AT = 44

export type TokenAccount = { mint: Address; owner: Address; amount: bigint }

const addressAt = (data: ReadonlyUint8Array, offset: number): Address => getAddressDecoder().decode(data, offset)

const u64At = (data: ReadonlyUint8Array, offset: number): bigint =>
  new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(offset, true)

export const isTokenProgram = (program: string): boolean =>
  program === TOKEN_PROGRAM_ADDRESS || program === TOKEN_2022_PROGRAM_ADDRESS

/** Initialised, frozen or not. */
export const isTokenAccount = (data: ReadonlyUint8Array): boolean =>
  (data.length === ACCOUNT_BYTES || (data.length !== MULTISIG_BYTES && data[ACCOUNT_BYTES] === ACCOUNT_KIND)) &&
  data[STATE_AT] !== 0

export const readTokenAccount = (account: { owner: Address; data: Uint8Array } | null): TokenAccount | null => {
  if (!account || !isTokenProgram(account.owner) || !isTokenAccount(account.data)) return null
  const { data } = account
  return { mint: addressAt(data, 0), owner: addressAt(data, OWNER_AT), amount: u64At(data, AMOUNT_AT) }
}

export const readMint = (
  account: { owner: Address; data: Uint8Array } | null,
): { supply: bigint; decimals: number } | null => {
  if (!account || !isTokenProgram(account.owner)) return null
  const { data } = account
  const isMint = data.length === MINT_BYTES || (data.length > ACCOUNT_BYTES && data[ACCOUNT_BYTES] === 1)
  return isMint ? { supply: u64At(data, SUPPLY_AT), decimals: data[DECIMALS_AT] ?? 0 } : null
}
