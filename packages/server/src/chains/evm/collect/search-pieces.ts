import { type BlockRange, countBlocks, mergeRanges, withoutRanges } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { searchBack } from '../../../domain/search-back.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { SearchedLogs } from '../logs/key-logs.ts'
import {
  type DiscoveredTokens,
  discoverTokens,
  filterCount,
  type NamedInLogs,
  newestOf,
} from '../logs/token-discovery.ts'

const REQUESTS_PER_ADVANCE = 20
/** Recent blocks come first even if an endpoint takes any range. */
const PIECE_BLOCKS = 5_000_000n

/** No search takes more than twice as long as alone. `ranges`: missing in any of them, newest first. */
export function groupByMissing<S extends { missing: readonly BlockRange[] }>(
  searches: readonly S[],
): { ranges: readonly BlockRange[]; searches: S[] }[] {
  const groups: { ranges: readonly BlockRange[]; searches: S[]; most: bigint }[] = []
  const sized = searches.map((search) => ({ search, blocks: countBlocks(search.missing) }))
  for (const { search, blocks } of sized.toSorted((a, b) => (a.blocks < b.blocks ? -1 : 1))) {
    const joined = ({ ranges }: { ranges: readonly BlockRange[] }) => mergeRanges([...ranges, ...search.missing])
    const group = groups.find((one) => countBlocks(joined(one)) <= one.most)
    if (group) {
      group.ranges = joined(group).reverse()
      group.searches.push(search)
    } else {
      groups.push({ ranges: search.missing, searches: [search], most: 2n * blocks })
    }
  }
  return groups
}

export async function searchPieces(
  pool: RpcPool,
  wallets: readonly EvmAddress[],
  logs: readonly SearchedLogs[],
  ranges: readonly BlockRange[],
): Promise<Omit<DiscoveredTokens, 'missing'>> {
  const found: DiscoveredTokens[] = []
  const covered: BlockRange[] = []
  const perPiece = filterCount(logs)
  const most = Math.ceil(REQUESTS_PER_ADVANCE / perPiece)
  let maxRequests = REQUESTS_PER_ADVANCE
  const sizes = { first: PIECE_BLOCKS, largest: PIECE_BLOCKS, most }
  for await (const { piece } of searchBack(() => withoutRanges(ranges, covered), sizes)) {
    const part = await discoverTokens({ pool, ...piece, maxRequests }, wallets, logs)
    found.push(part)
    covered.push(...part.covered)
    if (part.missing.length > 0) break
    maxRequests -= perPiece
  }
  const failure = found.at(-1)?.failure
  return {
    namedFor: (wallet) => joinNamed(found.map(({ namedFor }) => namedFor(wallet))),
    covered: mergeRanges(covered),
    steps: found.reduce((sum, { steps }) => sum + steps, 0),
    ...(failure && { failure }),
  }
}

function joinNamed(parts: readonly NamedInLogs[]): NamedInLogs {
  return {
    erc20s: [...new Set(parts.flatMap(({ erc20s }) => erc20s))],
    keys: parts.flatMap(({ keys }) => keys),
    contracts: [...new Set(parts.flatMap(({ contracts }) => contracts))],
    namedAt: newestOf(parts.flatMap(({ namedAt }) => [...namedAt])),
  }
}
