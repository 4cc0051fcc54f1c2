import type { ContractFunctionReturnType } from 'viem'
import type { PositionDraft } from '../../../../domain/position.ts'
import { cleanText, SYMBOL_LENGTH } from '../../../../domain/token-text.ts'
import type { LeftOut } from '../adapter.ts'
import type { coreLens } from './core-lens.bytecode.ts'
import type { Deployment } from './deployment.ts'
import { detailsOf, type Perp, worthOf } from './perpetual.ts'
import { CORE_DECIMALS, type Linked, linkOf, PERP_DECIMALS, toContract, USDC } from './tokens.ts'

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

function signed(amount: bigint, linked: Linked): Pick<PositionDraft, 'supplied' | 'borrowed'> {
  const isOwed = amount < 0n
  const amounts = [toContract(isOwed ? -amount : amount, linked)]
  return isOwed ? { supplied: [], borrowed: amounts } : { supplied: amounts }
}
