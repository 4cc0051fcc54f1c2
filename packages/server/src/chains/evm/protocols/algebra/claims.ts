import { collectable } from '../shared/v3-math.ts'
import type { Nft } from '../shared/v3-positions.ts'

type Left = { liquidity: bigint; fees0: bigint; fees1: bigint }

/**
 * Limits NFTs of an unlisted manager, per range, to what the pool has of that manager. Drops one that claims more than
 * the others left.
 */
export function withinPool<N extends Nft>(nfts: readonly N[]): { nft: N; fees: [bigint, bigint] }[] {
  const ranges = new Map<string, Left>()
  return nfts.flatMap((nft) => {
    const range = `${nft.pool} ${nft.tickLower} ${nft.tickUpper}`
    const left = ranges.get(range) ?? allOf(nft)
    ranges.set(range, left)
    if (nft.own.liquidity > left.liquidity) return []
    const [fees0, fees1] = collectable(nft)
    const fees: [bigint, bigint] = [least(fees0, left.fees0), least(fees1, left.fees1)]
    left.liquidity -= nft.own.liquidity
    left.fees0 -= fees[0]
    left.fees1 -= fees[1]
    return [{ nft, fees }]
  })
}

function allOf({ pooled, ...nft }: Nft): Left {
  const [fees0, fees1] = collectable({ ...nft, pooled, own: pooled })
  return { liquidity: pooled.liquidity, fees0, fees1 }
}

const least = (one: bigint, other: bigint) => (one < other ? one : other)
