import { type BlockRange, missingRanges } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { searchBack } from '../../../domain/search-back.ts'
import type { ChainTransaction, WalletTransaction } from '../../../domain/transaction.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { UpstreamError, upstreamOnly } from '../../../lib/upstream-error.ts'
import { ofEnabled } from '../../chain-catalog.ts'
import type {
  FailWallet,
  HistoryGap,
  SaveFound,
  SaveIdle,
  Saves,
  SearchedBlocks,
  StoredHistories,
  WalletHistory,
} from '../../histories.ts'
import { NotOffered } from '../../rpc/offers.ts'
import { patientPool } from '../../rpc/patient-pool.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { activityPieces, FoundActivity } from '../activity/wallet-activity.ts'
import { blockRequest, type ListedBlock, readHead, rememberedChain } from '../blocks.ts'
import { HistoryPruned } from '../logs/served-logs.ts'
import { rewindReplaced } from './rewind-replaced.ts'
import { alone, createWalletGroup, groupByStart, type WalletGroup } from './wallet-group.ts'

const ATTEMPTS = 5
/** Each costs a few requests. */
const HOLES_A_SYNC = 64

type Dependencies = {
  pools: ReadonlyMap<string, RpcPool>
  store: StoredHistories
  findActivity: typeof activityPieces
  canFindNative(of: WalletOnChain<EvmAddress>, pool: RpcPool, block: bigint): Promise<boolean>
  /** The operator's own chain, which may be restarted. */
  isLocal(chain: string): boolean
  prepare(chain: string): void
  read(of: WalletOnChain<EvmAddress>, transactions: readonly ChainTransaction[]): Promise<WalletTransaction[]>
}

export function createWalletHistory({
  pools,
  store,
  isLocal,
  prepare,
  ...means
}: Dependencies): WalletHistory<EvmAddress> {
  function bringUpToDate(of: WalletOnChain<EvmAddress>, save: SaveFound): Promise<void> {
    return upToHead(alone(of), async (pool, head) => {
      await searchAlone({ store, ...means }, of, pool, head, save)
      await searchHoles(of, pool, save)
    })
  }

  async function searchHoles(of: WalletOnChain<EvmAddress>, pool: RpcPool, save: SaveFound): Promise<void> {
    const holes = await store.findNativeHoles(of)
    for (const hole of holes.slice(0, HOLES_A_SYNC)) {
      // Nodes with only recent states cannot fill the hole. Genesis has no traces.
      const oldest = hole.fromBlock > 0n ? hole.fromBlock : 1n
      if (!(await means.canFindNative(of, pool, oldest))) continue
      await searchRange(means, alone(of), pool, hole, { save })
    }
  }

  function follow(chain: string, wallets: readonly EvmAddress[], saves: Saves, fail: FailWallet): Promise<void> {
    const group = createWalletGroup(chain, wallets, fail)
    return upToHead(group, (pool, head) => searchOn(group, pool, head, saves))
  }

  async function upToHead(
    group: WalletGroup,
    search: (pool: RpcPool, head: ListedBlock) => Promise<void>,
  ): Promise<void> {
    const { chain } = group
    const pool = ofEnabled(pools, chain)
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const head = await begin(group, pool)
      // Not earlier: a failed endpoint is probed with a single request.
      prepare(chain)
      await search(pool, head)
      if (!(await isStillThere(pool, head))) continue
      await store.group.setState(chain, group.wallets(), head)
      return
    }
    throw new UpstreamError('invalid', `${chain} was reorganised repeatedly`)
  }

  /** Stores the hash of the block before any data of its fork. */
  async function begin({ chain, wallets, each }: WalletGroup, pool: RpcPool): Promise<ListedBlock> {
    const head = await readHead(patientPool(pool))
    const { hashAt } = rememberedChain(patientPool(pool))
    const rewind = rewindReplaced({ store, pool, head, hashAt, aloneIsEnough: isLocal(chain) })
    const seen = await store.group.findSeenBlocks(chain, wallets())
    // Deeper than any reorg, to rewind to.
    const deep = head.number - pool.finality
    const [settled] = await Promise.all([
      deep > 0n ? hashAt(deep) : null,
      each((wallet) => rewind({ chain, wallet }, seen.get(wallet) ?? [])),
    ])
    const seenNow = [{ block: head.number, hash: head.hash }, ...(settled ? [{ block: deep, hash: settled }] : [])]
    await store.group.addSeenBlocks(chain, wallets(), seenNow)
    return head
  }

  async function searchOn(group: WalletGroup, pool: RpcPool, head: ListedBlock, saves: Saves): Promise<void> {
    const { chain } = group
    const starts = new Map<EvmAddress, bigint>()
    const coverages = await store.group.findCoverages(chain, group.wallets())
    await group.each(async (wallet) => {
      const covered = coverages.get(wallet) ?? []
      const [range, ...others] = missingRanges({ fromBlock: 0n, toBlock: head.number }, covered)
      if (others.length > 0) await searchAlone({ store, ...means }, { chain, wallet }, pool, head, saves.save)
      else if (range) starts.set(wallet, range.fromBlock)
    })
    for (const { fromBlock, wallets } of groupByStart(starts, head.number)) {
      await searchRange(means, group.of(wallets), pool, { fromBlock, toBlock: head.number }, saves)
    }
  }

  return { bringUpToDate, follow }
}

async function searchAlone(
  { store, ...means }: Pick<Dependencies, 'store' | 'findActivity' | 'read'>,
  of: WalletOnChain<EvmAddress>,
  pool: RpcPool,
  head: ListedBlock,
  save: SaveFound,
): Promise<void> {
  const whole = { fromBlock: 0n, toBlock: head.number }
  const gaps: HistoryGap[] = []
  const findMissing = async () => missingRanges(whole, [...(await store.findCoverage(of)), ...gaps])
  for await (const { piece, missing } of searchBack(findMissing)) {
    const search = searchRange(means, alone(of), pool, piece, { save })
    const failure = await search.then(() => undefined, upstreamOnly)
    const gap = gapOf(failure, piece)
    if (gap) gaps.push(gap)
    else if (failure) await giveUp(store, of, missing, failure)
  }
  await store.setGaps(of, gaps)
}

async function giveUp(
  store: StoredHistories,
  of: WalletOnChain<EvmAddress>,
  missing: readonly BlockRange[],
  failure: UpstreamError,
): Promise<never> {
  if (failure instanceof NotOffered) {
    await store.setGaps(
      of,
      missing.map((range) => ({ ...range, reason: 'not-offered' })),
    )
  }
  throw failure
}

function gapOf(error: UpstreamError | undefined, { fromBlock }: BlockRange): HistoryGap | undefined {
  const isBelow = error instanceof HistoryPruned && error.firstBlock > fromBlock
  return isBelow ? { fromBlock: 0n, toBlock: error.firstBlock - 1n, reason: 'pruned' } : undefined
}

async function searchRange(
  { findActivity, read }: Pick<Dependencies, 'findActivity' | 'read'>,
  { chain, wallets, each }: WalletGroup,
  pool: RpcPool,
  range: BlockRange,
  { save, saveIdle }: Pick<Saves, 'save'> & Partial<Saves>,
): Promise<void> {
  for await (const piece of findActivity({ pool, wallets: wallets(), range })) {
    const done = await saveIdleOf(chain, wallets(), piece, saveIdle)
    await each(async (wallet) => {
      if (done.has(wallet)) return
      const found = await read({ chain, wallet }, piece.perWallet.get(wallet) ?? [])
      await save({ chain, wallet }, found, searchedBlocks(wallet, piece, found))
      const failure = piece.native.get(wallet)?.failure
      if (failure) throw failure
    })
    if (piece.failure) throw piece.failure
    if (wallets().length === 0) return
  }
}

async function saveIdleOf(
  chain: string,
  wallets: readonly EvmAddress[],
  { perWallet, native, covered }: FoundActivity,
  saveIdle: SaveIdle | undefined,
): Promise<ReadonlySet<EvmAddress>> {
  const isIdle = (wallet: EvmAddress) => (perWallet.get(wallet) ?? []).length === 0 && !native.get(wallet)?.failure
  const idle = wallets.filter(isIdle)
  if (!saveIdle || idle.length === 0) return new Set()
  const blocks = (wallet: EvmAddress) => ({ ranges: covered, native: native.get(wallet)?.covered ?? [] })
  const others = new Set<string>(await saveIdle(chain, new Map(idle.map((wallet) => [wallet, blocks(wallet)]))))
  return new Set(idle.filter((wallet) => !others.has(wallet)))
}

/** Undefined if native moves are missing: the blocks are searched again. */
function searchedBlocks(
  wallet: EvmAddress,
  piece: FoundActivity,
  found: readonly WalletTransaction[],
): SearchedBlocks | undefined {
  const native = piece.native.get(wallet)
  return native?.failure ? undefined : { ranges: piece.covered, found, native: native?.covered ?? [] }
}

async function isStillThere(pool: RpcPool, { number, hash }: ListedBlock): Promise<boolean> {
  return (await patientPool(pool).session().request(blockRequest(number))).hash === hash
}
