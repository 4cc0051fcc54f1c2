import type { Address } from '../../../domain/address.ts'
import { type BlockRange, missingRanges, splitRange } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { createSingleFlight } from '../../../lib/single-flight.ts'
import type { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Chain } from '../../chain.ts'
import { endOf, type SearchEnd } from '../../collect/search-end.ts'
import { patientPool } from '../../rpc/patient-pool.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { SeenBlock } from '../../seen-block.ts'
import type { DiscoveryStore } from '../../stores.ts'
import { blockRequest } from '../block-header.ts'
import { presentChain } from '../block-presence.ts'
import { discoverTokens } from '../logs/token-discovery.ts'
import type { Recognise } from './recognise.ts'

/** Log requests after one read: on an endpoint that serves short ranges a long history is worked off bit by bit. */
const REQUESTS_PER_ADVANCE = 20
/** Blocks in one piece: recent ones are searched before old ones even where an endpoint takes any range. */
const PIECE_BLOCKS = 5_000_000n

/** Tokens known before, new tokens, and how the search ended. */
type Searched = { known: readonly EvmAddress[]; fresh: readonly EvmAddress[]; end: SearchEnd }

type Asked = { chain: Chain; wallet: EvmAddress; head: SeenBlock }

/** Finds unlisted tokens by the logs that name the wallet, newest blocks first, in the background of reads. */
export function createDiscovery({
  store,
  pools,
  recognise,
}: {
  store: DiscoveryStore
  pools: ReadonlyMap<string, RpcPool>
  recognise: Recognise
}) {
  const flights = createSingleFlight<Searched>()

  /**
   * Continues the search up to `head`. `found`: the wallet's next read will ask about a contract that its last one
   * (`asked`) did not; without `asked`, about a contract that was not known before.
   */
  async function advance(pool: RpcPool, { chain, wallet, head }: Asked, asked?: ReadonlySet<Address>) {
    const { known, fresh, end } = await flights.run(`${chain.key}:${wallet}`, () =>
      search(pool, { chain, wallet, head }),
    )
    const found = asked ? [...known, ...fresh].some((token) => !asked.has(token)) : fresh.length > 0
    return { found, end }
  }

  async function search(pool: RpcPool, { chain, wallet, head }: Asked): Promise<Searched> {
    const whole = { fromBlock: 0n, toBlock: head.block }
    const coverage = await store.begin({ wallet, chain: chain.key }, head, presentChain(pool))
    const { tokens, covered, failure } = await searchPieces(pool, wallet, missingRanges(whole, coverage))
    const known = await store.findTokens(wallet, chain.key)
    const fresh = tokens.filter((token) => !known.includes(token))
    if (fresh.length > 0) await recognise(chain, fresh)
    await store.save({ wallet, chain: chain.key }, { tokens: fresh, covered })
    const isWhole = missingRanges(whole, [...coverage, ...covered]).length === 0
    return { known, fresh, end: endOf(isWhole, failure) }
  }

  /**
   * As `advance`, up to a block. A search without the block's hash is background work for a snapshot and waits for rate
   * limits. Rejects with `UpstreamError` if no node has the block.
   */
  async function advanceTo(
    chain: Chain,
    wallet: EvmAddress,
    { block, hash }: { block: bigint; hash: string | null },
    asked?: ReadonlySet<Address>,
  ) {
    const pool = hash === null ? patientPool(poolOf(chain)) : poolOf(chain)
    const known = hash ?? (await pool.session().request(blockRequest(block))).hash
    return advance(pool, { chain, wallet, head: { block, hash: known } }, asked)
  }

  function poolOf({ key }: Chain): RpcPool {
    const pool = pools.get(key)
    if (!pool) throw new Error(`${key} is not enabled`)
    return pool
  }

  /** Searches pieces, newest first, until the requests of this call are used up or a node fails. */
  async function searchPieces(pool: RpcPool, wallet: EvmAddress, ranges: readonly BlockRange[]) {
    const tokens = new Set<EvmAddress>()
    const covered: BlockRange[] = []
    let failure: UpstreamError | undefined
    const pieces = ranges.flatMap((range) => splitRange(range, PIECE_BLOCKS)).slice(0, REQUESTS_PER_ADVANCE)
    for (const [done, { fromBlock, toBlock }] of pieces.entries()) {
      const found = await discoverTokens(pool, wallet, fromBlock, toBlock, REQUESTS_PER_ADVANCE - done)
      for (const token of found.erc20s) tokens.add(token)
      covered.push(...found.covered)
      failure = found.failure
      if (found.missing.length > 0) break
    }
    return { tokens: [...tokens], covered, failure }
  }

  return { advanceTo }
}
