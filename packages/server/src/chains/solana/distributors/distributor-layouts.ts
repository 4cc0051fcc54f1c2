import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { invalid, openAccount, readFields, type SolanaAccount, startsWith } from '../codec/account-data.ts'
import { addressBytes, programAddress } from '../codec/address.ts'
import type { ClaimStatus, Distributor, Opening } from './outstanding.ts'

/** First eight bytes of sha256("account:MerkleDistributor") and so on, in base58; every fork kept them. */
export const MERKLE_DISTRIBUTOR = 'DxXYcJXEHmT'
export const CLAIM_STATUS = '4oQAYYkWvcf'
const COMPRESSED_CLAIM_STATUS = '9umVqteLaZd'

const jitoTree = {
  root: ['bytes', 17, 32],
  mint: ['key', 49],
  vault: ['key', 81],
  maxTotalClaimRaw: ['u64', 113],
  startTs: ['i64', 145],
  endTs: ['i64', 153],
  admin: ['key', 201],
  clawedBack: ['flag', 233],
} as const
const steppedTree = {
  ...jitoTree,
  startTs: ['i64', 153],
  endTs: ['i64', 161],
  admin: ['key', 209],
  clawedBack: ['flag', 241],
} as const
const jitoClaim = { claimant: ['key', 8], lockedRaw: ['u64', 40], withdrawnRaw: ['u64', 48] } as const
const jupiterClaim = { minLength: 97, fields: { ...jitoClaim, admin: ['key', 65] } } as const

/** `opening`: a slot; a Unix time if `openingType` is 1. Above `maxLength`, a later layout records claims elsewhere. */
export const layouts = {
  /** jito-foundation/distributor, `state/*.rs`. */
  jito: {
    distributor: { minLength: 234, fields: jitoTree },
    claim: { minLength: 64, fields: jitoClaim },
  },
  /** jup-ag/distributor at its first airdrop: opened by a slot. */
  jupiterFirst: {
    distributor: { minLength: 243, fields: { ...jitoTree, opening: ['u64', 234] } },
    claim: jupiterClaim,
  },
  /** jup-ag/distributor from April 2024, with a bonus since July, and Kamino-Finance/distributor. */
  jupiterBase: {
    distributor: {
      minLength: 300,
      maxLength: 376,
      fields: {
        root: ['bytes', 17, 32],
        mint: ['key', 49],
        vault: ['key', 113],
        maxTotalClaimRaw: ['u64', 145],
        startTs: ['i64', 177],
        endTs: ['i64', 185],
        admin: ['key', 233],
        clawedBack: ['flag', 265],
        opening: ['u64', 266],
        bonusRaw: ['u64', 275],
        bonusDuration: ['u64', 283],
        openingType: ['u8', 299],
      },
    },
    claim: jupiterClaim,
  },
  /** jup-ag/distributor from January 2025. */
  jupiterZeroCopy: {
    distributor: {
      minLength: 448,
      fields: {
        root: ['bytes', 8, 32],
        mint: ['key', 40],
        vault: ['key', 104],
        admin: ['key', 168],
        maxTotalClaimRaw: ['u64', 272],
        startTs: ['i64', 304],
        endTs: ['i64', 312],
        opening: ['u64', 328],
        openingType: ['u8', 336],
        clawedBack: ['flag', 339],
        bonusRaw: ['u64', 344],
        bonusDuration: ['u64', 352],
      },
    },
    claim: {
      minLength: 160,
      fields: {
        admin: ['key', 8],
        distributor: ['key', 40],
        claimant: ['key', 72],
        lockedRaw: ['u64', 104],
        withdrawnRaw: ['u64', 112],
      },
    },
  },
  /** drift-labs/distributor: opened by a slot. */
  drift: {
    distributor: { minLength: 251, fields: { ...steppedTree, opening: ['u64', 242] } },
    claim: { minLength: 105, fields: { ...jitoClaim, distributor: ['key', 73] } },
  },
  /** Streamflow's IDL of `merkle_distributor` 2.0.0. */
  streamflow: {
    distributor: {
      minLength: 287,
      fields: { ...steppedTree, unlockPeriod: ['u64', 129], rescheduledTs: ['u64', 260], claimsLimit: ['u16', 285] },
    },
    claim: {
      minLength: 115,
      fields: { ...jitoClaim, isOver: ['flag', 80], distributor: ['key', 81], claimsCount: ['u16', 113] },
    },
  },
} as const

export type DistributorRules = {
  program: SolanaAddress
  layout: keyof typeof layouts
  opensAtStart?: true
  ramp?: Distributor['ramp']
}

const NO_RULES = {
  openingType: 0,
  unlockPeriod: 1n,
  rescheduledTs: 0n,
  claimsLimit: 0,
  bonusRaw: 0n,
  bonusDuration: 0n,
}

/** Throws `UpstreamError('invalid')` on another account or an unknown layout. */
export function readDistributor(account: SolanaAccount, rules: DistributorRules): Distributor {
  const { minLength, fields, ...of } = layouts[rules.layout].distributor
  const what = 'merkle distributor'
  const data = openAccount(account, { what, programs: [rules.program], discriminator: MERKLE_DISTRIBUTOR, minLength })
  if ('maxLength' in of && data.length > of.maxLength) {
    throw invalid(what, account.address, `has ${data.length} bytes: its layout is not known`)
  }
  const read = { ...NO_RULES, ...readFields(data, fields) }
  return {
    ...read,
    address: account.address,
    opening: openingOf(read, account),
    opensAtStart: rules.opensAtStart ?? false,
    isRescheduled: read.rescheduledTs !== 0n,
    bonus: { totalRaw: read.bonusRaw, duration: read.bonusDuration, maxTotalClaimRaw: read.maxTotalClaimRaw },
    ...(rules.ramp && { ramp: rules.ramp }),
  }
}

function openingOf(
  { opening: point, openingType }: { opening?: bigint; openingType: number },
  { address }: SolanaAccount,
): Opening {
  if (point === undefined) return { by: 'time', point: 0n }
  if (openingType > 1) throw invalid('merkle distributor', address, `opens by an unknown rule (${openingType})`)
  return { by: openingType === 1 ? 'time' : 'slot', point }
}

export type ReadClaim = ClaimStatus & { claimant?: SolanaAddress; admin?: SolanaAddress }

export function readClaim(account: SolanaAccount, { program, layout }: DistributorRules): ReadClaim {
  if (layout === 'streamflow' && startsWith(account.data, COMPRESSED_CLAIM_STATUS)) {
    return readCompressedClaim(account, program)
  }
  const { minLength, fields } = layouts[layout].claim
  const type = { what: 'claim status', programs: [program], discriminator: CLAIM_STATUS, minLength }
  return { address: account.address, isOver: false, ...readFields(openAccount(account, type), fields) }
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
