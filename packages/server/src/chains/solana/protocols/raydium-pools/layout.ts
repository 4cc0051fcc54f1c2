import type { SolanaAddress } from '../../../../domain/solana-address.ts'
import {
  type AccountData,
  type AccountLayout,
  anchorLayout,
  invalid,
  ofKind,
  openAccount,
  openExisting,
  type SolanaAccount,
  struct,
} from '../../codec/account-data.ts'
import { programAddress } from '../../codec/address.ts'

export const CPMM_PROGRAM: SolanaAddress = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C'
const AMM_PROGRAM: SolanaAddress = '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8'

/** `owed`: to others than share holders. */
export type LpPool = {
  address: SolanaAddress
  lpMint: SolanaAddress
  tokens: readonly [SolanaAddress, SolanaAddress]
  vaults: readonly [SolanaAddress, SolanaAddress]
  owed: readonly [bigint, bigint]
  /** Includes burnt shares. */
  shares: bigint
}

/** `authority` signs for all mints and vaults. */
export type LpProgram = {
  label: string
  program: SolanaAddress
  authority: SolanaAddress
  kind: { offset: number; bytes: string } | { dataSize: number }
  mintOffset: number
  readPool(account: SolanaAccount | null | undefined): LpPool
}

const cpmmLayout = anchorLayout('pool of Raydium CPMM', CPMM_PROGRAM, 'iUE1qg7KXeV', 637)
const CPMM_LP_MINT = 136
const cpmmFields = struct({
  vaults: ['key', 72, 104],
  lpMint: ['key', CPMM_LP_MINT],
  tokens: ['key', 168, 200],
  shares: ['u64', 333],
})
const feeFields = struct({ protocol: ['u64', 341, 349], fund: ['u64', 357, 365], creator: ['u64', 397, 405] })
const tradeFields = struct({
  config: ['key', 8],
  status: ['u8', 329],
  openTime: ['u64', 373],
  hasCreatorFee: ['flag', 390],
})
const NO_SWAPS = 1 << 2

type CpmmTrade = { pool: LpPool; config: SolanaAddress; hasCreatorFee: boolean; isOpen: boolean }

export function readCpmmTrade(account: SolanaAccount, time: number): CpmmTrade {
  const data = openAccount(account, cpmmLayout)
  const { config, hasCreatorFee, status, openTime } = tradeFields(data)
  const isOpen = (status & NO_SWAPS) === 0 && openTime <= BigInt(time)
  return { pool: cpmmOf(data), config, hasCreatorFee, isOpen }
}

function cpmmOf(data: AccountData): LpPool {
  const { protocol, fund, creator } = feeFields(data)
  const owed = [protocol[0] + fund[0] + creator[0], protocol[1] + fund[1] + creator[1]] as const
  return { address: data.address, ...cpmmFields(data), owed }
}

const AMM_BYTES = 752
const ammLayout: AccountLayout = { what: 'pool of Raydium AMM v4', programs: [AMM_PROGRAM], minLength: AMM_BYTES }
const AMM_LP_MINT = 464
const ammFields = struct({
  owed: ['u64', 192, 200],
  vaults: ['key', 336, 368],
  tokens: ['key', 400, 432],
  lpMint: ['key', AMM_LP_MINT],
  shares: ['u64', 720],
})
/** 1 initialized, 2 disabled, 3 to 7 partly restricted. */
const STATUSES = { first: 1n, last: 7n }

function readAmm(account: SolanaAccount | null | undefined): LpPool {
  const data = openExisting(account, ammLayout)
  const status = data.u64(0)
  if (status < STATUSES.first || status > STATUSES.last || data.length !== AMM_BYTES) {
    throw invalid(ammLayout.what, data.address, `has status ${status} and ${data.length} bytes`)
  }
  return { address: data.address, ...ammFields(data) }
}

export const lpPrograms: readonly LpProgram[] = [
  {
    label: 'CPMM',
    program: CPMM_PROGRAM,
    authority: programAddress(CPMM_PROGRAM, ['vault_and_lp_mint_auth_seed']),
    kind: ofKind(cpmmLayout.discriminator),
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
