import type { EvmAddress } from '../../../domain/evm-address.ts'
import { isGiven, isReceived, legOf } from '../../legs.ts'
import { type HistoryBook, type KnownInstrument, withoutWrap } from './book.ts'
import type { DebtStep } from './family-history.ts'
import type { Leg, Part, Remainder } from './legs.ts'
import type { Scene } from './scene.ts'

/** Contracts that count in shares may pay or take a unit or two more or less than they log. */
const ROUNDING = 2n

/** What was borrowed or repaid: at which instrument, and how much of its underlying. */
type Debt = { at: KnownInstrument; step: DebtStep }

/**
 * Legs of loans and of repayments: what was borrowed, with its debt token if there is one, and what debts were repaid
 * with.
 */
export function debtLegs(scene: Scene, rest: Remainder): Leg[] {
  return [
    ...tokenDebts(scene, rest).map(({ at, own, amountRaw }) => {
      const step: DebtStep = amountRaw > 0n ? { kind: 'borrow', amountRaw } : { kind: 'repay', amountRaw: -amountRaw }
      return debtLeg(scene, rest, { at, step }, own)
    }),
    ...loggedDebts(scene).map((debt) => debtLeg(scene, rest, debt, [])),
  ]
}

function tokenDebts({ book }: Scene, rest: Remainder) {
  const tokens = new Set(rest.all().flatMap(({ token, debt }) => (debt ? [token] : [])))
  return [...tokens].flatMap((token) => {
    const at = book.instrumentOf(token)
    const own = rest.take((part) => part.token === token)
    return at ? [{ at, own, amountRaw: own.reduce((sum, part) => sum + part.amountRaw, 0n) }] : []
  })
}

function loggedDebts({ tx, wallet, book }: Scene): Debt[] {
  return tx.logs.flatMap((log) => {
    const at = book.instrumentOf(log.address)
    const step = at?.adapter.history.debtStep?.(log, wallet)
    return at && step ? [{ at, step }] : []
  })
}

function debtLeg(scene: Scene, rest: Remainder, { at, step }: Debt, own: readonly Part[]): Leg {
  const { key } = at.adapter
  const ofUnderlying = ({ token }: Part) => isOneOf(scene.book, at.instrument.underlyings, token)
  if (step.kind === 'borrow') {
    const got = rest.takeUpTo(step.amountRaw, (part) => isReceived(part) && ofUnderlying(part), ROUNDING)
    return legOf('BORROW', 'borrow', key, [...own, ...got])
  }
  const paid =
    step.kind === 'repay' ? rest.takeUpTo(step.amountRaw, (part) => isGiven(part) && ofUnderlying(part), ROUNDING) : []
  const collateral = paid.length > 0 ? [] : takeCollateral(scene, rest, { at, step })
  return legOf('REPAYVAULT', 'repay', key, [...own, ...paid, ...collateral])
}

/** Supplied tokens that repay a debt: of the same coin by the wallet's own choice, otherwise in a liquidation. */
function takeCollateral({ book }: Scene, rest: Remainder, { at, step }: Debt): Part[] {
  if (step.kind === 'liquidate') return rest.take((part) => isGiven(part) && part.token === step.collateral)
  const receiptOf = (part: Part): KnownInstrument | undefined => {
    const known = isGiven(part) ? book.instrumentOf(part.token) : undefined
    return known?.adapter === at.adapter ? known : undefined
  }
  const isSame = (part: Part) => {
    const underlyings = receiptOf(part)?.instrument.underlyings ?? []
    return underlyings.some((token) => isOneOf(book, at.instrument.underlyings, token))
  }
  const same = rest.takeUpTo(step.amountRaw, isSame, ROUNDING)
  return same.length > 0 ? same : rest.take((part) => receiptOf(part) !== undefined)
}

function isOneOf(book: HistoryBook, tokens: readonly EvmAddress[], token: EvmAddress): boolean {
  return tokens.some((one) => withoutWrap(book, one) === withoutWrap(book, token))
}
