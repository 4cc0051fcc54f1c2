import type { EvmAddress } from '../../../domain/evm-address.ts'
import { isGiven, isReceived, legOf } from '../../legs.ts'
import type { ProtocolDeployment } from '../protocols/adapter.ts'
import { type HistoryBook, type KnownContract, withoutWrap } from './book.ts'
import { type Leg, type Part, positionPart, type Remainder } from './changes.ts'
import type { DebtStep } from './protocol-history.ts'
import type { LoggedStep, Scene } from './scene.ts'

/** Base units: contracts that count shares may move slightly more or less than logged. */
export const ROUNDING = 2n

type Debt = { deployment: ProtocolDeployment; tokens: readonly EvmAddress[]; step: DebtStep }

export function debtLegs(scene: Scene, rest: Remainder, steps: readonly LoggedStep[]): Leg[] {
  return [
    ...tokenDebts(scene, rest).map(({ at, own, amountRaw }) => {
      const step: DebtStep = amountRaw > 0n ? { kind: 'borrow', amountRaw } : { kind: 'repay', amountRaw: -amountRaw }
      return debtLeg(scene, rest, { deployment: at.deployment, tokens: at.protocolContract.underlyings, step }, own)
    }),
    ...steps.flatMap(loggedDebts).map((debt) => debtLeg(scene, rest, debt, [])),
  ]
}

function tokenDebts({ book }: Scene, rest: Remainder) {
  const tokens = new Set(rest.all().flatMap(({ token, debt }) => (debt ? [token] : [])))
  return [...tokens].flatMap((token) => {
    const at = book.protocolContractOf(token)
    const own = rest.take((part) => part.token === token)
    return at ? [{ at, own, amountRaw: own.reduce((sum, part) => sum + part.amountRaw, 0n) }] : []
  })
}

function loggedDebts({ deployment, protocolContract, step }: LoggedStep): Debt[] {
  if (step.kind !== 'borrow' && step.kind !== 'repay' && step.kind !== 'liquidate') return []
  const token = step.kind === 'liquidate' ? undefined : step.token
  return [{ deployment, tokens: token === undefined ? (protocolContract?.underlyings ?? []) : [token], step }]
}

function debtLeg(scene: Scene, rest: Remainder, debt: Debt, own: readonly Part[]): Leg {
  const { deployment, tokens, step } = debt
  const ofDebt = ({ token }: Part) => isOneOf(scene.book, tokens, token)
  if (step.kind === 'borrow') {
    const got = rest.takeUpTo(step.amountRaw, (part) => isReceived(part) && ofDebt(part), ROUNDING)
    return legOf('BORROW', 'borrow', deployment.key, atPosition(step, [...own, ...got]))
  }
  const paid =
    step.kind === 'repay' ? rest.takeUpTo(step.amountRaw, (part) => isGiven(part) && ofDebt(part), ROUNDING) : []
  const collateral = paid.length > 0 ? [] : takeCollateral(scene, rest, debt)
  return legOf('REPAYVAULT', 'repay', deployment.key, atPosition(step, [...own, ...paid, ...collateral]))
}

function atPosition(step: DebtStep, parts: readonly Part[]): readonly Part[] {
  const position = step.kind === 'liquidate' ? undefined : step.position
  return position && parts.length > 0 ? [...parts, positionPart(position, parts)] : parts
}

/** Other collateral than of the same coin repays only in a liquidation. */
function takeCollateral({ book }: Scene, rest: Remainder, { deployment, tokens, step }: Debt): Part[] {
  if (step.kind === 'liquidate') return rest.take((part) => isGiven(part) && part.token === step.collateral)
  const receiptOf = (part: Part): KnownContract | undefined => {
    const known = isGiven(part) ? book.protocolContractOf(part.token) : undefined
    return known?.deployment === deployment ? known : undefined
  }
  const isSame = (part: Part) => {
    const underlyings = receiptOf(part)?.protocolContract.underlyings ?? []
    return underlyings.some((token) => isOneOf(book, tokens, token))
  }
  const same = rest.takeUpTo(step.amountRaw, isSame, ROUNDING)
  return same.length > 0 ? same : rest.take((part) => receiptOf(part) !== undefined)
}

function isOneOf(book: HistoryBook, tokens: readonly EvmAddress[], token: EvmAddress): boolean {
  return tokens.some((one) => withoutWrap(book, one) === withoutWrap(book, token))
}
