import type { Position, PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { LeftOut } from '../adapter.ts'

/** Amounts mean nothing if not `tried`. */
export type Gain = { tried: boolean; amount0: bigint; amount1: bigint }

type PairDraft = PositionDraft & Pick<Position, 'rewards' | 'tokenId'>

/** Limits a draft by a simulated removal: code chosen by the pool's creator may keep all, or refuse. */
export function asGained(draft: PairDraft, gain: Gain, leftOut: LeftOut): PairDraft {
  if (!gain.tried) leftOut(new Error(`what the owner of position ${draft.tokenId} can take out is not known`))
  const paid = gain.tried ? [gain.amount0, gain.amount1] : []
  const supplied = draft.supplied.map((amount, i) => upTo(amount, paid[i] ?? 0n))
  const rewards = draft.rewards.map((amount, i) => upTo(amount, (paid[i] ?? 0n) - (supplied[i]?.amountRaw ?? 0n)))
  return { ...draft, supplied, rewards }
}

const upTo = ({ token, amountRaw }: TokenAmount, most: bigint) => ({
  token,
  amountRaw: amountRaw < most ? amountRaw : most,
})
