import type { LiquidityBudget } from '../../domain/liquidity.ts'
import { stampPosition, type TokenAmount } from '../../domain/position.ts'
import type { FoundPositions } from './protocol-gaps.ts'

/** Positions share the liquidity of untrusted contracts in order. The rest stays shares, or becomes a gap. */
export function shareLiquidity(found: FoundPositions, budget: LiquidityBudget): FoundPositions {
  const gaps = [...found.gaps]
  const positions = found.positions.flatMap((position) => {
    const lists = [position.supplied, position.rewards]
    if (!lists.flat().some(({ backing }) => backing)) return [position]
    const [supplied = [], rewards = []] = lists.map((list) => list.map((amount) => paidOf(amount, budget)))
    if ([...supplied, ...rewards].some(({ isShort }) => isShort)) {
      gaps.push({ protocol: position.protocol, reason: 'unreadable' })
    }
    const paid = {
      supplied: supplied.flatMap(({ amounts }) => amounts),
      rewards: rewards.flatMap(({ amounts }) => amounts),
    }
    return stampPosition({ ...position, ...paid }, position.protocol, position.chain) ?? []
  })
  return { positions, gaps }
}

function paidOf(
  { backing, ...amount }: TokenAmount,
  budget: LiquidityBudget,
): { amounts: TokenAmount[]; isShort: boolean } {
  if (!backing) return { amounts: [amount], isShort: false }
  const { token, amountRaw } = amount
  const paidRaw = budget.take(amountRaw, backing)
  const { unpaid } = backing
  const missingRaw = amountRaw - paidRaw
  const isReported = unpaid === 'reported'
  const rest =
    unpaid && !isReported && missingRaw > 0n
      ? [{ token: unpaid.token, amountRaw: (unpaid.amountRaw * missingRaw) / amountRaw }]
      : []
  return { amounts: [{ token, amountRaw: paidRaw }, ...rest], isShort: isReported && missingRaw > 0n }
}
