import { type BlockRange, missingRanges } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { searchBack } from '../../../domain/search-back.ts'
import { createSingleFlight } from '../../../lib/single-flight.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Chain } from '../../chain.ts'
import { ofEnabled } from '../../chain-catalog.ts'
import { endOf, type SearchEnd, type SearchStep } from '../../collect/search-end.ts'
import { patientPool } from '../../rpc/patient-pool.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { SeenBlock } from '../../seen-block.ts'
import type { DiscoveryStore, FoundInLogs } from '../../stores.ts'
import { blockRequest } from '../block-header.ts'
import { presentChain } from '../block-presence.ts'
import type { FurtherKeys, WalletKey } from '../families/family.ts'
import { discoverTokens, filterCount } from '../logs/token-discovery.ts'
import type { MoreKeys } from './further-owners.ts'
import type { Recognise } from './recognise.ts'
import { keyName, type SearchedKeys } from './wallet-keys.ts'

/** Log requests after one read: on an endpoint that serves short ranges a long history is worked off bit by bit. */
const REQUESTS_PER_ADVANCE = 20
/** Blocks in one piece: recent ones are searched before old ones even where an endpoint takes any range. */
const PIECE_BLOCKS = 5_000_000n

/** Tokens and names of keys: known before, and new ones. How the search ended, and whether it began anew. */
type Searched = { known: readonly string[]; fresh: readonly string[]; end: SearchEnd; isAnew: boolean }

type Asked = { chain: Chain; wallet: EvmAddress; head: SeenBlock }

/** Finds unlisted tokens and keys by the logs that name the wallet, newest blocks first, in the background of reads. */
export function createDiscovery({
  store,
  pools,
  recognise,
  moreKeys,
  keysToSearch,
}: {
  store: DiscoveryStore
  pools: ReadonlyMap<string, RpcPool>
  recognise: Recognise
  moreKeys: MoreKeys
  /** What the rows of a chain want searched. */
  keysToSearch(chain: string): SearchedKeys
}) {
  const flights = createSingleFlight<Searched>()

  /**
   * Continues the search up to `head`. `found`: the wallet's next read will ask about a contract or a key that its last
   * one (`asked`) did not; without `asked`, about one that was not known before.
   */
  async function advance(
    pool: RpcPool,
    { chain, wallet, head }: Asked,
    asked?: ReadonlySet<string>,
  ): Promise<SearchStep> {
    const { known, fresh, ...step } = await flights.run(`${chain.key}:${wallet}`, () =>
      search(pool, { chain, wallet, head }),
    )
    const found = asked ? [...known, ...fresh].some((name) => !asked.has(name)) : fresh.length > 0
    return { found, ...step }
  }

  async function search(pool: RpcPool, { chain, wallet, head }: Asked): Promise<Searched> {
    const whole = { fromBlock: 0n, toBlock: head.block }
    const searched = keysToSearch(chain.key)
    const of = { wallet, chain: chain.key, logs: searched.id }
    const { covered: coverage, isAnew } = await store.begin(of, head, presentChain(pool))
    const missingBeside = (covered: readonly BlockRange[]) => missingRanges(whole, [...coverage, ...covered])
    const found = await searchPieces(pool, wallet, searched, missingBeside)
    const [known, keys] = await Promise.all([
      store.findTokens(wallet, chain.key),
      store.findKeys(of, searched.contracts),
    ])
    const led = await ledTo(chain, wallet, [...keys.keys, ...found.keys])
    const sent = found.tokens.filter((token) => !known.includes(token))
    const named = [...found.contracts, ...led.contracts].filter((one) => !known.includes(one) && !sent.includes(one))
    const recognised = await recogniseAll(chain, [...sent, ...new Set(named)])
    const fresh = [...sent, ...new Set(named.filter((contract) => recognised.has(contract)))]
    const allKeys = [...found.keys, ...led.keys.map((key) => ({ ...key, block: head.block }))]
    await store.save(of, { covered: found.covered, tokens: fresh, keys: allKeys })
    // Not all keys are read where there are too many of them.
    const after = allKeys.length > 0 ? await store.findKeys(of, searched.contracts) : keys
    const isKnown = new Set(keys.keys.map(keyName))
    const freshKeys = after.keys.map(keyName).filter((name) => !isKnown.has(name))
    const isWhole = missingBeside(found.covered).length === 0
    const end = endOf(isWhole && !led.failure, found.failure ?? led.failure)
    return { known: [...known, ...isKnown], fresh: [...fresh, ...freshKeys], end, isAnew }
  }

  async function recogniseAll(chain: Chain, contracts: readonly EvmAddress[]): Promise<ReadonlySet<EvmAddress>> {
    return contracts.length > 0 ? recognise(chain, contracts) : new Set()
  }

  /** What keys lead to by a read of the chain. If a node fails, the search is not whole. */
  async function ledTo(
    chain: Chain,
    wallet: EvmAddress,
    keys: readonly WalletKey[],
  ): Promise<FurtherKeys & { failure?: UpstreamError }> {
    try {
      return await moreKeys(chain, wallet, keys)
    } catch (failure) {
      if (!(failure instanceof UpstreamError)) throw failure
      return { keys: [], contracts: [], failure }
    }
  }

  /**
   * As `advance`, up to a block. A search without the block's hash is background work for a snapshot and waits for rate
   * limits. Rejects with `UpstreamError` if no node has the block.
   */
  async function advanceTo(
    chain: Chain,
    wallet: EvmAddress,
    { block, hash }: { block: bigint; hash: string | null },
    asked?: ReadonlySet<string>,
  ) {
    const present = ofEnabled(pools, chain.key)
    const pool = hash === null ? patientPool(present) : present
    const known = hash ?? (await pool.session().request(blockRequest(block))).hash
    return advance(pool, { chain, wallet, head: { block, hash: known } }, asked)
  }

  return { advanceTo }
}

/** Searches pieces, newest first, until the requests of this call are used up or a node fails. */
async function searchPieces(
  pool: RpcPool,
  wallet: EvmAddress,
  { logs }: SearchedKeys,
  missingBeside: (covered: readonly BlockRange[]) => readonly BlockRange[],
): Promise<FoundInLogs & { contracts: readonly EvmAddress[]; failure: UpstreamError | undefined }> {
  const tokens = new Set<EvmAddress>()
  const contracts = new Set<EvmAddress>()
  const keys: FoundInLogs['keys'][number][] = []
  const covered: BlockRange[] = []
  let failure: UpstreamError | undefined
  const perPiece = filterCount(logs)
  const most = Math.ceil(REQUESTS_PER_ADVANCE / perPiece)
  let maxRequests = REQUESTS_PER_ADVANCE
  const sizes = { first: PIECE_BLOCKS, largest: PIECE_BLOCKS, most }
  for await (const { piece } of searchBack(() => missingBeside(covered), sizes)) {
    const found = await discoverTokens({ pool, ...piece, maxRequests }, wallet, logs)
    for (const token of found.erc20s) tokens.add(token)
    for (const contract of found.contracts) contracts.add(contract)
    for (const key of found.keys) keys.push(key)
    covered.push(...found.covered)
    failure = found.failure
    if (found.missing.length > 0) break
    maxRequests -= perPiece
  }
  return { tokens: [...tokens], contracts: [...contracts], keys, covered, failure }
}
