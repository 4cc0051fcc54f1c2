import type { ContractFunctionReturnType } from 'viem'
import { z } from 'zod'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { Perpetual, PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import { cleanText, SYMBOL_LENGTH } from '../../../../domain/token-text.ts'
import type { LeftOut } from '../adapter.ts'
import { addressSchema } from '../deployment.ts'
import type { coreLens } from './core-lens.bytecode.ts'

const number = z.number().int().min(0)

export const deployment = z.strictObject({
  /** On HyperEVM. HyperCore's token 0 names another contract. */
  usdc: addressSchema,
  usdcGate: addressSchema,
  hype: number,
  /** Settlement token by exchange number. */
  collaterals: z.array(number).min(1),
  lent: z.array(number),
  /** HyperCore does not list the vaults of an account. */
  vaults: z.array(z.strictObject({ label: z.string().min(1), vault: addressSchema })),
})

export type Deployment = z.infer<typeof deployment>

type CoreToken = { number: number; isKnown: boolean; evmContract: string; extraDecimals: number }

/** `extraDecimals`: digits on HyperEVM less those on HyperCore. */
export type Linked = { token: EvmAddress; extraDecimals: number }

const USDC = 0
/** Digits of USDC and HYPE. */
export const CORE_DECIMALS = 8
/** Digits at perpetuals exchanges and in vaults. */
export const PERP_DECIMALS = 6
/** Untrusted contracts may state up to 127 digits: one unit then exceeds any balance. */
const MOST_EXTRA = 36

export const HYPE_LINK: Linked = { token: NATIVE, extraDecimals: 10 }
export const usdcLinkOf = ({ usdc }: Deployment): Linked => ({ token: usdc, extraDecimals: -2 })

export function linkOf(
  deployment: Deployment,
  { number, isKnown, evmContract, extraDecimals }: CoreToken,
): Linked | undefined {
  if (number === USDC) return usdcLinkOf(deployment)
  if (number === deployment.hype) return HYPE_LINK
  const token = evmAddress(evmContract)
  if (!isKnown || token === NATIVE || Math.abs(extraDecimals) > MOST_EXTRA) return undefined
  return { token, extraDecimals }
}

export function toContract(amountRaw: bigint, { token, extraDecimals }: Linked): TokenAmount {
  const scale = 10n ** BigInt(Math.abs(extraDecimals))
  return { token, amountRaw: extraDecimals < 0 ? amountRaw / scale : amountRaw * scale }
}

type Margin = ContractFunctionReturnType<typeof coreLens.abi, 'view', 'margins'>[0][number]

/** In HyperCore units of the collateral. */
export type Account = {
  collateral: number
  linked: Linked
  unit: bigint
  /** Worth after closing everything; negative if in debt. */
  value: bigint
  /** Part of `value` that backs positions. */
  used: bigint
  perps: readonly Perp[]
}

export function accountOf(margin: Margin, deployment: Deployment, leftOut: LeftOut): Account[] {
  const { dex, value, used, isWhole, weiDecimals, perps } = margin
  const collateral = deployment.collaterals[dex]
  const linked = collateral === undefined ? undefined : linkOf(deployment, { ...margin, number: collateral })
  const digits = (collateral === USDC ? CORE_DECIMALS : weiDecimals) - PERP_DECIMALS
  if (collateral === undefined || !linked || digits < 0) {
    leftOut(new Error(`the collateral of exchange ${dex} of perpetuals on HyperCore is not known on HyperEVM`))
    return []
  }
  if (!isWhole) leftOut(new Error(`positions at exchange ${dex} of HyperCore do not add up to what it says`))
  const unit = 10n ** BigInt(digits)
  return [
    {
      collateral,
      linked,
      unit,
      value: value * unit,
      used: used * unit,
      perps: perps.map(({ size, coin, ...perp }) => ({ ...perp, size, coin: cleanText(coin, SYMBOL_LENGTH) })),
    },
  ]
}

export function accountPositions({ linked, unit, value, perps }: Account): PositionDraft[] {
  const each = perps.map((perp) => ({ perp, worth: worthOf(perp) * unit }))
  const rest = each.reduce((left, { worth }) => left - worth, value)
  return [
    { kind: 'perpetuals', label: 'Margin', ...signed(rest, linked) },
    ...each.map(({ perp, worth }): PositionDraft => {
      const perpetual = detailsOf(perp)
      const label = `${perp.coin} ${perpetual.side}`
      return { kind: 'perpetuals', label, ...signed(worth, linked), perpetual }
    }),
  ]
}

function signed(amount: bigint, linked: Linked) {
  const amounts = [toContract(magnitude(amount), linked)]
  return amount < 0n ? { supplied: [], borrowed: amounts } : { supplied: amounts, borrowed: [] }
}

/** Money has 6 digits, `markPrice` 6 less `sizeDecimals`. */
type Perp = {
  coin: string
  /** Negative: short. */
  size: bigint
  entryNotional: bigint
  isolatedUsd: bigint
  markPrice: bigint
  leverage: number
  isIsolated: boolean
  marginTable: number
  sizeDecimals: number
}

/** From 6 digits to 18. */
const TO_FIGURE = 10n ** 12n
const UNIT = 10n ** 18n
/** Margin tables with a lower number have one tier, whose leverage is the number. */
const FIRST_TIERED_TABLE = 50

const notionalOf = ({ size, markPrice }: Perp) => size * markPrice
const magnitude = (value: bigint) => (value < 0n ? -value : value)

function worthOf(perp: Perp): bigint {
  if (perp.isIsolated) return perp.isolatedUsd + notionalOf(perp)
  return notionalOf(perp) - (perp.size < 0n ? -perp.entryNotional : perp.entryNotional)
}

function detailsOf(perp: Perp): Perpetual {
  const { size, entryNotional, leverage, sizeDecimals } = perp
  const scale = 10n ** BigInt(sizeDecimals)
  const liquidationPriceRaw = liquidationPriceOf(perp, scale)
  return {
    side: size < 0n ? 'short' : 'long',
    sizeRaw: (magnitude(size) * UNIT) / scale,
    entryPriceRaw: (entryNotional * TO_FIGURE * scale) / magnitude(size),
    ...(leverage > 0 && { leverageRaw: BigInt(leverage) * UNIT, marginUsedRaw: marginOf(perp) }),
    ...(liquidationPriceRaw !== undefined && { liquidationPriceRaw }),
  }
}

function marginOf(perp: Perp): bigint {
  if (!perp.isIsolated) return (magnitude(notionalOf(perp)) * TO_FIGURE) / BigInt(perp.leverage)
  const margin = worthOf(perp) * TO_FIGURE
  return margin > 0n ? margin : 0n
}

/**
 * Price at which half of the margin for maximum leverage is left. Undefined for shared margin and for tiers, which
 * HyperCore hides from contracts.
 */
function liquidationPriceOf({ size, isolatedUsd, isIsolated, marginTable }: Perp, scale: bigint): bigint | undefined {
  if (!isIsolated || marginTable === 0 || marginTable >= FIRST_TIERED_TABLE) return undefined
  const doubled = 2n * BigInt(marginTable)
  const isShort = size < 0n
  const owed = isShort ? isolatedUsd : -isolatedUsd
  if (owed <= 0n) return undefined
  return (owed * TO_FIGURE * scale * doubled) / (magnitude(size) * (isShort ? doubled + 1n : doubled - 1n))
}
