import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { type AccountData, invalid, openAccount, type SolanaAccount, startsWith } from '../codec/account-data.ts'
import { addressBytes, programAddress } from '../codec/address.ts'
import type { ClaimStatus, Distributor, Opening } from './outstanding.ts'

/** First eight bytes of sha256("account:MerkleDistributor") and the other names, in base58; every fork kept them. */
export const MERKLE_DISTRIBUTOR = 'DxXYcJXEHmT'
export const CLAIM_STATUS = '4oQAYYkWvcf'
const COMPRESSED_CLAIM_STATUS = '9umVqteLaZd'

type DistributorLayout = {
  distributor: DistributorOffsets
  claim: ClaimOffsets
}

type DistributorOffsets = {
  minLength: number
  /** Longer accounts have a later layout, which records claims elsewhere. */
  maxLength?: number
  root: number
  mint: number
  vault: number
  maxTotalClaim: number
  startTs: number
  endTs: number
  admin: number
  clawedBack: number
  /** Slot or time from which claims are accepted. */
  opening?: number
  /** 1: `opening` is a Unix time. */
  openingType?: number
  /** Total and duration, eight bytes each. */
  bonus?: number
  unlockPeriod?: number
  rescheduledTs?: number
  claimsLimit?: number
}

type ClaimOffsets = {
  minLength: number
  claimant: number
  locked: number
  withdrawn: number
  admin?: number
  distributor?: number
  closed?: number
  claimsCount?: number
}

const jitoClaim = { minLength: 64, claimant: 8, locked: 40, withdrawn: 48 }
const jupiterClaim = { ...jitoClaim, minLength: 97, admin: 65 }

/** jito-foundation/distributor, `state/*.rs`. */
const jito: DistributorLayout = {
  distributor: {
    minLength: 234,
    root: 17,
    mint: 49,
    vault: 81,
    maxTotalClaim: 113,
    startTs: 145,
    endTs: 153,
    admin: 201,
    clawedBack: 233,
  },
  claim: jitoClaim,
}

/** jup-ag/distributor at its first airdrop: opened by a slot. */
const jupiterFirst: DistributorLayout = {
  distributor: { ...jito.distributor, minLength: 243, opening: 234 },
  claim: jupiterClaim,
}

/** jup-ag/distributor from April 2024 and Kamino-Finance/distributor: base key; since July 2024 a bonus. */
const jupiterBase: DistributorLayout = {
  distributor: {
    minLength: 300,
    maxLength: 376,
    root: 17,
    mint: 49,
    vault: 113,
    maxTotalClaim: 145,
    startTs: 177,
    endTs: 185,
    admin: 233,
    clawedBack: 265,
    opening: 266,
    openingType: 299,
    bonus: 275,
  },
  claim: jupiterClaim,
}

/** jup-ag/distributor from January 2025: another order, without serialisation. */
const jupiterZeroCopy: DistributorLayout = {
  distributor: {
    minLength: 448,
    root: 8,
    mint: 40,
    vault: 104,
    maxTotalClaim: 272,
    startTs: 304,
    endTs: 312,
    admin: 168,
    clawedBack: 339,
    opening: 328,
    openingType: 336,
    bonus: 344,
  },
  claim: { minLength: 160, claimant: 72, locked: 104, withdrawn: 112, admin: 8, distributor: 40 },
}

/** drift-labs/distributor: with an unlock period, opened by a slot. */
const drift: DistributorLayout = {
  distributor: {
    ...jito.distributor,
    minLength: 251,
    startTs: 153,
    endTs: 161,
    admin: 209,
    clawedBack: 241,
    opening: 242,
  },
  claim: { ...jitoClaim, minLength: 105, distributor: 73 },
}

/** Streamflow's IDL of `merkle_distributor` 2.0.0. */
const streamflow: DistributorLayout = {
  distributor: {
    ...jito.distributor,
    minLength: 287,
    startTs: 153,
    endTs: 161,
    admin: 209,
    clawedBack: 241,
    unlockPeriod: 129,
    rescheduledTs: 260,
    claimsLimit: 285,
  },
  claim: { ...jitoClaim, minLength: 115, closed: 80, distributor: 81, claimsCount: 113 },
}

export const layouts = { jito, jupiterFirst, jupiterBase, jupiterZeroCopy, drift, streamflow } as const
type LayoutName = keyof typeof layouts

export type DistributorRules = {
  program: SolanaAddress
  layout: LayoutName
  opensAtStart?: true
  ramp?: Distributor['ramp']
}

/** Throws `UpstreamError('invalid')` on another account or an unknown layout. */
export function readDistributor(account: SolanaAccount, rules: DistributorRules): Distributor {
  const at = layouts[rules.layout].distributor as DistributorOffsets
  const type = { what: 'merkle distributor', programs: [rules.program], discriminator: MERKLE_DISTRIBUTOR }
  const data = openAccount(account, { ...type, minLength: at.minLength })
  if (at.maxLength !== undefined && data.length > at.maxLength) {
    throw invalid('merkle distributor', account.address, `has ${data.length} bytes: its layout is not known`)
  }
  return {
    address: account.address,
    program: rules.program,
    root: data.bytes(at.root, 32),
    mint: data.key(at.mint),
    vault: data.key(at.vault),
    opening: readOpening(data, at),
    opensAtStart: rules.opensAtStart ?? false,
    startTs: data.i64(at.startTs),
    endTs: data.i64(at.endTs),
    unlockPeriod: at.unlockPeriod === undefined ? 1n : data.u64(at.unlockPeriod),
    clawedBack: data.flag(at.clawedBack),
    isRescheduled: at.rescheduledTs !== undefined && data.u64(at.rescheduledTs) !== 0n,
    claimsLimit: at.claimsLimit === undefined ? 0 : data.u16(at.claimsLimit),
    bonus: {
      totalRaw: at.bonus === undefined ? 0n : data.u64(at.bonus),
      duration: at.bonus === undefined ? 0n : data.u64(at.bonus + 8),
      maxTotalClaimRaw: data.u64(at.maxTotalClaim),
    },
    ...(rules.ramp && { ramp: rules.ramp }),
  }
}

function readOpening(data: AccountData, at: DistributorOffsets): Opening {
  if (at.opening === undefined) return { by: 'time', point: 0n }
  const type = at.openingType === undefined ? 0 : data.u8(at.openingType)
  if (type > 1) throw invalid('merkle distributor', data.address, `opens by an unknown rule (${type})`)
  return { by: type === 1 ? 'time' : 'slot', point: data.u64(at.opening) }
}

export type ReadClaim = ClaimStatus & { claimant?: SolanaAddress; admin?: SolanaAddress }

export function readClaim(account: SolanaAccount, { program, layout }: DistributorRules): ReadClaim {
  if (layout === 'streamflow' && startsWith(account.data, COMPRESSED_CLAIM_STATUS)) {
    return readCompressedClaim(account, program)
  }
  const at: ClaimOffsets = layouts[layout].claim
  const type = { what: 'claim status', programs: [program], discriminator: CLAIM_STATUS }
  const data = openAccount(account, { ...type, minLength: at.minLength })
  return {
    address: account.address,
    claimant: data.key(at.claimant),
    lockedRaw: data.u64(at.locked),
    withdrawnRaw: data.u64(at.withdrawn),
    isOver: at.closed !== undefined && data.flag(at.closed),
    ...(at.admin !== undefined && { admin: data.key(at.admin) }),
    ...(at.distributor !== undefined && { distributor: data.key(at.distributor) }),
    ...(at.claimsCount !== undefined && { claimsCount: data.u16(at.claimsCount) }),
  }
}

/** Streamflow shrinks a finished claim to one byte: 0 claimed, 1 closed. */
function readCompressedClaim(account: SolanaAccount, program: SolanaAddress): ReadClaim {
  const what = 'compressed claim status'
  const data = openAccount(account, { what, programs: [program], discriminator: COMPRESSED_CLAIM_STATUS, minLength: 9 })
  const state = data.u8(8)
  if (state > 1) throw invalid(what, account.address, `has the unknown state ${state}`)
  return { address: account.address, lockedRaw: 0n, withdrawnRaw: 0n, isOver: true }
}

/** The account does not exist before the first claim. */
export function claimAddress(
  program: SolanaAddress,
  distributor: SolanaAddress,
  claimant: SolanaAddress,
): SolanaAddress {
  return programAddress(program, ['ClaimStatus', addressBytes(claimant), addressBytes(distributor)])
}
