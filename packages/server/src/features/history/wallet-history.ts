import { blockRequest, type ListedBlock } from '../../chains/evm/block-header.ts'
import type { activityPieces, FoundActivity } from '../../chains/evm/wallet-activity.ts'
import type { RpcPool } from '../../chains/rpc/rpc-pool.ts'
import { type BlockRange, missingRanges } from '../../domain/block-ranges.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import type { ChainTransaction, WalletTransaction } from '../../domain/transaction.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { Searched } from '../coverage/coverage.ts'
import type { SaveFound, WalletHistory } from './histories.ts'
import type { HistoryStore, SearchedBlocks } from './history-store.ts'

/** Blocks of the first piece; each that follows has twice as many, so that what is newest is there soon. */
const FIRST_PIECE = 50_000n
const LARGEST_PIECE = 5_000_000n
/** Blocks by which a chain may still be reorganised: one further back is remembered, to begin again from. */
const SETTLED = 64n
/** How often a search begins anew because the chain was reorganised meanwhile. */
const ATTEMPTS = 5

type Dependencies = {
  pools: ReadonlyMap<string, RpcPool>
  store: HistoryStore
  findActivity: typeof activityPieces
  /** Called before `read` is, to be ready for it. */
  prepare(chain: string): void
  /** What transactions mean for the wallet. */
  read(of: Searched<EvmAddress>, transactions: readonly ChainTransaction[]): Promise<WalletTransaction[]>
}

/** Histories on chains of the EVM; wallets that are followed share the search of the blocks since. */
export function createWalletHistory({ pools, store, prepare, ...means }: Dependencies): WalletHistory<EvmAddress> {
  function bringUpToDate(of: Searched<EvmAddress>, save: SaveFound): Promise<void> {
    return upToHead(of.chain, [of.wallet], (pool, head) => searchBack(of, pool, head, save))
  }

  function follow(chain: string, wallets: readonly EvmAddress[], save: SaveFound): Promise<void> {
    return upToHead(chain, wallets, (pool, head) => searchOn({ chain, wallets }, pool, head, save))
  }

  async function upToHead(
    chain: string,
    wallets: readonly EvmAddress[],
    search: (pool: RpcPool, head: ListedBlock) => Promise<void>,
  ): Promise<void> {
    const pool = pools.get(chain)
    if (!pool) throw new UpstreamError('not-allowed', `${chain} is not enabled`)
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const head = await begin(chain, wallets, pool)
      // Not before: an endpoint that failed is tried with one request alone.
      prepare(chain)
      await search(pool, head)
      if (!(await isStillThere(pool, head))) continue
      for (const wallet of wallets) await store.setState({ chain, wallet }, head)
      return
    }
    throw new UpstreamError('invalid', `${chain} was reorganised again and again`)
  }

  /** The block to search up to. Its hash is kept before anything of its fork is stored. */
  async function begin(chain: string, wallets: readonly EvmAddress[], pool: RpcPool): Promise<ListedBlock> {
    const blockAt = rememberedBlocks(pool)
    for (const wallet of wallets) await rewindReplaced({ chain, wallet }, blockAt)
    const head = await blockOf(pool, null)
    const settled = head.number > SETTLED ? [await blockOf(pool, head.number - SETTLED)] : []
    for (const wallet of wallets) await store.addSeenBlocks({ chain, wallet }, [head, ...settled])
    return head
  }

  /** What was stored above the newest block that is still the one that was seen goes. */
  async function rewindReplaced(
    of: Searched<EvmAddress>,
    blockAt: (block: bigint) => Promise<ListedBlock>,
  ): Promise<void> {
    const seen = await store.findSeenBlocks(of)
    for (const [replaced, { block, hash }] of seen.entries()) {
      const { hash: present } = await blockAt(block)
      if (present !== hash) continue
      if (replaced > 0) await store.rewind(of, block + 1n)
      return
    }
    // Blocks of which no hash is known are trusted only where nothing says otherwise.
    if (seen.length > 0) await store.rewind(of, 0n)
  }

  /** Newest first, piece by piece. */
  async function searchBack(
    of: Searched<EvmAddress>,
    pool: RpcPool,
    head: ListedBlock,
    save: SaveFound,
  ): Promise<void> {
    const whole = { fromBlock: 0n, toBlock: head.number }
    for (let size = FIRST_PIECE; ; size = size * 2n < LARGEST_PIECE ? size * 2n : LARGEST_PIECE) {
      const [range] = missingRanges(whole, await store.findCoverage(of))
      if (!range) return
      await searchRange(means, { chain: of.chain, wallets: [of.wallet] }, pool, newestPart(range, size), save)
    }
  }

  async function searchOn(of: Followed, pool: RpcPool, head: ListedBlock, save: SaveFound): Promise<void> {
    const starts: bigint[] = []
    for (const wallet of of.wallets) {
      const [range, ...others] = missingRanges(
        { fromBlock: 0n, toBlock: head.number },
        await store.findCoverage({ chain: of.chain, wallet }),
      )
      // One that was set far back by a reorganisation is searched by itself.
      if (others.length > 0) await searchBack({ chain: of.chain, wallet }, pool, head, save)
      else if (range) starts.push(range.fromBlock)
    }
    const fromBlock = starts.toSorted((a, b) => Number(a - b))[0]
    if (fromBlock !== undefined) await searchRange(means, of, pool, { fromBlock, toBlock: head.number }, save)
  }

  return { bringUpToDate, follow }
}

/** Stores what is found piece by piece; rejects with what kept it from the end. */
async function searchRange(
  { findActivity, read }: Pick<Dependencies, 'findActivity' | 'read'>,
  { chain, wallets }: Followed,
  pool: RpcPool,
  range: BlockRange,
  save: SaveFound,
): Promise<void> {
  for await (const piece of findActivity({ pool, wallets, range })) {
    for (const wallet of wallets) {
      const found = await read({ chain, wallet }, piece.perWallet.get(wallet) ?? [])
      await save({ chain, wallet }, found, searchedBlocks(wallet, piece, found))
    }
    const failure = failureOf(piece)
    if (failure) throw failure
  }
}

type Followed = { chain: string; wallets: readonly EvmAddress[] }

/** Undefined where a node failed to tell of native coin and may tell another time: then the blocks are searched again. */
function searchedBlocks(
  wallet: EvmAddress,
  piece: FoundActivity,
  found: readonly WalletTransaction[],
): SearchedBlocks | undefined {
  const native = piece.native.get(wallet)
  return native?.failure ? undefined : { ranges: piece.covered, found, native: native?.covered ?? [] }
}

function failureOf({ failure, native }: FoundActivity): UpstreamError | undefined {
  return failure ?? [...native.values()].find((coverage) => coverage.failure)?.failure
}

function blockOf(pool: RpcPool, at: bigint | null): Promise<ListedBlock> {
  return pool.session().request(blockRequest(at))
}

async function isStillThere(pool: RpcPool, { number, hash }: ListedBlock): Promise<boolean> {
  return (await blockOf(pool, number)).hash === hash
}

/** Wallets that were searched together have seen the same blocks: each is asked for once. */
function rememberedBlocks(pool: RpcPool): (block: bigint) => Promise<ListedBlock> {
  const asked = new Map<bigint, Promise<ListedBlock>>()
  return (block) => {
    const known = asked.get(block) ?? blockOf(pool, block)
    asked.set(block, known)
    return known
  }
}

function newestPart({ fromBlock, toBlock }: BlockRange, size: bigint): BlockRange {
  const from = toBlock - size + 1n
  return { fromBlock: from > fromBlock ? from : fromBlock, toBlock }
}
