import type { Chain } from '../../chains/chain.ts'
import { discoverTokens } from '../../chains/evm/token-discovery.ts'
import type { RpcPool } from '../../chains/rpc/rpc-pool.ts'
import { type BlockRange, missingRanges, settledRanges, splitRange } from '../../domain/block-ranges.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import type { DiscoveryStore } from './discovery-store.ts'
import type { Recognise } from './recognise.ts'

/** Log requests after one read: on an endpoint that serves short ranges a long history is worked off bit by bit. */
const REQUESTS_PER_ADVANCE = 20
/** Blocks in one piece: recent ones are searched before old ones even where an endpoint takes any range. */
const PIECE_BLOCKS = 5_000_000n

/** Finds tokens that are on no list by the logs that name the wallet, newest blocks first, behind the reads. */
export function createDiscovery({
  store,
  pools,
  recognise,
}: {
  store: DiscoveryStore
  pools: ReadonlyMap<string, RpcPool>
  recognise: Recognise
}) {
  const flights = createSingleFlight<boolean>()

  /** Searches further up to block `head`. `true`: a contract was found that the wallet's next read will ask about. */
  function advance(chain: Chain, wallet: EvmAddress, head: bigint): Promise<boolean> {
    return flights.run(`${chain.key}:${wallet}`, async () => {
      const coverage = await store.findCoverage({ wallet, chain: chain.key })
      const ranges = missingRanges({ fromBlock: 0n, toBlock: head }, settledRanges(coverage, head))
      const found = await searchPieces(chain.key, wallet, ranges)
      const known = new Set(await store.findTokens(wallet, chain.key))
      const fresh = found.tokens.filter((token) => !known.has(token))
      if (fresh.length > 0) await recognise(chain, fresh)
      await store.save({ wallet, chain: chain.key }, { tokens: fresh, covered: found.covered })
      return fresh.length > 0
    })
  }

  /** Piece by piece, newest first, until the requests of this time are used or a node does not answer. */
  async function searchPieces(chain: string, wallet: EvmAddress, ranges: readonly BlockRange[]) {
    const pool = pools.get(chain)
    const tokens = new Set<EvmAddress>()
    const covered: BlockRange[] = []
    if (!pool) return { tokens: [], covered }
    const pieces = ranges.flatMap((range) => splitRange(range, PIECE_BLOCKS)).slice(0, REQUESTS_PER_ADVANCE)
    for (const [done, { fromBlock, toBlock }] of pieces.entries()) {
      const found = await discoverTokens(pool, wallet, fromBlock, toBlock, REQUESTS_PER_ADVANCE - done)
      for (const token of found.erc20s) tokens.add(token)
      covered.push(...found.covered)
      if (found.missing.length > 0) break
    }
    return { tokens: [...tokens], covered }
  }

  return { advance }
}
