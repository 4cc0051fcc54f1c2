import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import { type AccountData, type AccountLayout, invalid, openAccount, openExisting } from '../../codec/account-data.ts'
import { TOKEN_PROGRAMS } from '../../codec/mint.ts'
import { programAddress } from '../../codec/program-address.ts'
import type { SolanaAccount } from '../../codec/solana-account.ts'

export const CPMM_PROGRAM: SolanaAddress = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C'
export const AMM_PROGRAM: SolanaAddress = '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8'

/** A pool, as far as its own account shows. `owed`: what others than the holders of shares own in its vaults. */
export type LpPool = {
  address: SolanaAddress
  lpMint: SolanaAddress
  tokens: readonly [SolanaAddress, SolanaAddress]
  vaults: readonly [SolanaAddress, SolanaAddress]
  owed: readonly [bigint, bigint]
  /** Shares that there are, by the pool's own count: burnt ones are still counted. */
  shares: bigint
}

/** A program that makes pools with shares. `authority` signs for all of its mints and vaults. */
export type LpProgram = {
  label: string
  program: SolanaAddress
  authority: SolanaAddress
  /** What its pools are narrowed to, and where the mint of the shares is in them. */
  kind: { offset: number; bytes: string } | { dataSize: number }
  mintOffset: number
  readPool(account: SolanaAccount | null | undefined): LpPool
}

const CPMM_KIND = 'iUE1qg7KXeV'
const cpmmLayout: AccountLayout = {
  what: 'pool of Raydium CPMM',
  programs: [CPMM_PROGRAM],
  discriminator: CPMM_KIND,
  minLength: 637,
}
const CPMM_CONFIG = 8
const CPMM_VAULTS = 72
const CPMM_LP_MINT = 136
const CPMM_MINTS = 168
const CPMM_STATUS = 329
const NO_SWAPS = 1 << 2
const CPMM_SHARES = 333
/** Of the protocol, of the fund, of the pool's creator: two amounts each. */
const CPMM_FEES = [341, 357, 397]
const CPMM_OPEN_TIME = 373
const CPMM_CREATOR_FEE = 390

/** What a trade meets beside the pool's tokens: its configuration, and whether the creator takes a fee too. */
export type CpmmTrade = { pool: LpPool; config: SolanaAddress; hasCreatorFee: boolean; isOpen: boolean }

export function readCpmmTrade(account: SolanaAccount, time: number): CpmmTrade {
  const data = openAccount(account, cpmmLayout)
  return {
    pool: cpmmOf(data),
    config: data.key(CPMM_CONFIG),
    hasCreatorFee: data.flag(CPMM_CREATOR_FEE),
    isOpen: (data.u8(CPMM_STATUS) & NO_SWAPS) === 0 && data.u64(CPMM_OPEN_TIME) <= BigInt(time),
  }
}

function cpmmOf(data: AccountData): LpPool {
  const owed = (side: number) => CPMM_FEES.reduce((sum, at) => sum + data.u64(at + side * 8), 0n)
  return {
    address: data.address,
    lpMint: data.key(CPMM_LP_MINT),
    tokens: [data.key(CPMM_MINTS), data.key(CPMM_MINTS + 32)],
    vaults: [data.key(CPMM_VAULTS), data.key(CPMM_VAULTS + 32)],
    owed: [owed(0), owed(1)],
    shares: data.u64(CPMM_SHARES),
  }
}

const AMM_BYTES = 752
const ammLayout: AccountLayout = { what: 'pool of Raydium AMM v4', programs: [AMM_PROGRAM], minLength: AMM_BYTES }
const AMM_STATUS = 0
const AMM_OWED = 192
const AMM_VAULTS = 336
const AMM_MINTS = 400
const AMM_LP_MINT = 464
const AMM_SHARES = 720
/** Initialised, disabled, and five states in which some of swaps, deposits and withdrawals are allowed. */
const STATUSES = { first: 1n, last: 7n }

function readAmm(account: SolanaAccount | null | undefined): LpPool {
  const data = openExisting(account, ammLayout)
  const status = data.u64(AMM_STATUS)
  if (status < STATUSES.first || status > STATUSES.last || data.length !== AMM_BYTES) {
    throw invalid(ammLayout.what, data.address, `has status ${status} and ${data.length} bytes`)
  }
  return {
    address: data.address,
    lpMint: data.key(AMM_LP_MINT),
    tokens: [data.key(AMM_MINTS), data.key(AMM_MINTS + 32)],
    vaults: [data.key(AMM_VAULTS), data.key(AMM_VAULTS + 32)],
    owed: [data.u64(AMM_OWED), data.u64(AMM_OWED + 8)],
    shares: data.u64(AMM_SHARES),
  }
}

export const lpPrograms: readonly LpProgram[] = [
  {
    label: 'CPMM',
    program: CPMM_PROGRAM,
    authority: programAddress(CPMM_PROGRAM, ['vault_and_lp_mint_auth_seed']),
    kind: { offset: 0, bytes: CPMM_KIND },
    mintOffset: CPMM_LP_MINT,
    readPool: (account) => cpmmOf(openExisting(account, cpmmLayout)),
  },
  {
    label: 'AMM v4',
    program: AMM_PROGRAM,
    authority: programAddress(AMM_PROGRAM, ['amm authority']),
    kind: { dataSize: AMM_BYTES },
    mintOffset: AMM_LP_MINT,
    readPool: readAmm,
  },
]

const mintLayout: AccountLayout = { what: 'mint', programs: TOKEN_PROGRAMS, minLength: 82 }
const HAS_AUTHORITY = 1

/** Who may mint a token; undefined if no one may. */
export function mintAuthority(account: SolanaAccount): SolanaAddress | undefined {
  const data = openAccount(account, mintLayout)
  return data.u32(0) === HAS_AUTHORITY ? data.key(4) : undefined
}

const vaultLayout: AccountLayout = { what: 'vault of Raydium', programs: TOKEN_PROGRAMS, minLength: 165 }

/** What a vault of a pool holds. */
export function vaultAmount(
  account: SolanaAccount | null | undefined,
  of: { mint: SolanaAddress; owner: SolanaAddress },
) {
  const data = openExisting(account, vaultLayout)
  if (data.key(0) !== of.mint || data.key(32) !== of.owner) {
    throw invalid(vaultLayout.what, data.address, 'is of another token or owner')
  }
  return data.u64(64)
}
