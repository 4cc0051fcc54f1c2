import { dayOf } from '../../domain/day.ts'
import { type Decimal, ZERO } from '../../domain/decimal.ts'
import { byValue, type ValuedAsset, type ValuedPosition, type ValuedRead } from '../../domain/valuation.ts'
import { nameOfChainType } from '../portfolio/present-position.ts'

export type Names = { chain(key: string): { name: string }; protocol(key: string): { name: string } }

/** `place`: from the chain to the position. Debts are negative. `price` in USD; null without one. */
export type StatementLine = {
  token: ValuedAsset['token']
  place: readonly string[]
  balance: Decimal
  price: Decimal | null
  priceSource: string | null
  value: Decimal | null
}

export function linesOf({ read, held, positions }: ValuedRead, names: Names) {
  const chain = names.chain(read.chain).name
  return [
    ...byValue(held).map((asset) => lineOf(asset, [chain, 'Wallet'])),
    ...positions.flatMap((each) => positionLines(each, [chain, names.protocol(each.position.protocol).name])),
  ]
}

/** Limit of `Date`. Contracts and programs write larger values for endless locks. */
const LAST_SECOND = 8_640_000_000_000

const lockText = (unlockAt: number) => (unlockAt > LAST_SECOND ? 'locked for ever' : `locked until ${dayOf(unlockAt)}`)

function positionLines(
  { position: { kind, label, unlockAt }, supplied, rewards, borrowed }: ValuedPosition,
  at: readonly string[],
): StatementLine[] {
  const until = unlockAt === undefined ? [] : [lockText(unlockAt)]
  const place = [...at, nameOfChainType(kind), ...(label === '' ? [] : [label]), ...until]
  return [
    ...supplied.map((asset) => lineOf(asset, place)),
    ...rewards.map((asset) => lineOf(asset, [...place, 'reward'])),
    ...borrowed.map((asset) => owed(lineOf(asset, [...place, 'owed']))),
  ]
}

function lineOf({ token, balance, price, priceSource, value }: ValuedAsset, place: readonly string[]): StatementLine {
  const isPriced = priceSource !== null
  return { token, place, balance, priceSource, price: isPriced ? price : null, value: isPriced ? value : null }
}

const owed = ({ balance, value, ...line }: StatementLine): StatementLine => ({
  ...line,
  balance: ZERO.minus(balance),
  value: value && ZERO.minus(value),
})
