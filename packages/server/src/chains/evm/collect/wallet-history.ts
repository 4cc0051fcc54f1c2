import { type BlockRange, missingRanges } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { searchBack } from '../../../domain/search-back.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { UpstreamError, upstreamOnly } from '../../../lib/upstream-error.ts'
import type { FailWallet, HistoryGap, SaveFound, SaveIdle, Saves } from '../../histories.ts'
import { NotOffered } from '../../rpc/offers.ts'
import { patientPool } from '../../rpc/patient-pool.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { SeenBlock } from '../../seen-block.ts'
import { canFindNative } from '../activity/find-native.ts'
import type { NativeSource } from '../activity/native-source.ts'
import { activityPieces, type FoundActivity } from '../activity/wallet-activity.ts'
import { blockRequest, type ListedBlock, readHead, rememberedChain } from '../blocks.ts'
import { HistoryPruned } from '../logs/log-limits.ts'
import type { EvmSearchContext } from './discovery.ts'
import type { ReadHistory } from './read-history.ts'
import { rewindReplaced } from './rewind-replaced.ts'

const ATTEMPTS = 5
/** Each costs a few requests. */
const HOLES_A_SYNC = 64

export type HistoryContext = EvmSearchContext & {
  readonly explorers: ReadonlyMap<string, NativeSource>
  readonly reading: ReadHistory
}

/** `seen`: the head, and a block deeper than any reorg. */
type Begun = { head: ListedBlock; seen: readonly SeenBlock[] }

/** To the head of one chain. */
type Search = HistoryContext & Begun & { pool: RpcPool }

/** Rejects with `UpstreamError`; results found before are stored. */
export function bringUpToDate(context: HistoryContext, of: WalletOnChain<EvmAddress>, save: SaveFound): Promise<void> {
  return upToHead(context, alone(of), async (search) => {
    await searchAlone(search, of, save)
    await searchHoles(search, of, save)
  })
}

export function followWallets(context: HistoryContext, group: WalletGroup, saves: Saves): Promise<void> {
  return upToHead(context, group, (search) => searchOn(search, group, saves))
}

async function upToHead(
  context: HistoryContext,
  group: WalletGroup,
  work: (search: Search) => Promise<void>,
): Promise<void> {
  const { chain } = group
  const pool = context.poolOf(chain)
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const begun = await begin(context, group, pool)
    // Not earlier: a failed endpoint is probed with a single request.
    context.reading.wholeDirectoryOf(chain).catch(() => undefined)
    await work({ ...context, ...begun, pool })
    const { head } = begun
    const present = await patientPool(pool).session().request(blockRequest(head.number))
    if (present.hash !== head.hash) continue
    await context.stores.histories.group.setState(chain, group.wallets(), head)
    return
  }
  throw new UpstreamError('invalid', `${chain} was reorganised repeatedly`)
}

/** Removes what is of another fork. */
async function begin(
  { chains, stores: { histories: store } }: HistoryContext,
  { chain, wallets, each }: WalletGroup,
  pool: RpcPool,
): Promise<Begun> {
  const head = await readHead(patientPool(pool))
  const { hashAt } = rememberedChain(patientPool(pool))
  const present = { store, pool, head, hashAt, aloneIsEnough: chains.get(chain)?.isLocal === true }
  const stored = await store.group.findSeenBlocks(chain, wallets())
  // Deeper than any reorg, to rewind to.
  const deep = head.number - pool.finality
  const [settled] = await Promise.all([
    deep > 0n ? hashAt(deep) : null,
    each((wallet) => rewindReplaced({ ...present, of: { chain, wallet } }, stored.get(wallet) ?? [])),
  ])
  await store.group.removeMarks(chain, wallets())
  const seen = [{ block: head.number, hash: head.hash }, ...(settled ? [{ block: deep, hash: settled }] : [])]
  return { head, seen }
}

async function searchHoles(search: Search, of: WalletOnChain<EvmAddress>, save: SaveFound): Promise<void> {
  const { explorers, stores, pool } = search
  const source = explorers.get(of.chain)
  const holes = await stores.histories.findNativeHoles(of)
  for (const hole of holes.slice(0, HOLES_A_SYNC)) {
    // Nodes with only recent states cannot fill the hole. Genesis has no traces.
    const block = hole.fromBlock > 0n ? hole.fromBlock : 1n
    if (!(await canFindNative(patientPool(pool).session(), { wallet: of.wallet, block }, source))) continue
    await searchRange(search, alone(of), hole, { save })
  }
}

async function searchOn(search: Search, group: WalletGroup, saves: Saves): Promise<void> {
  const { chain } = group
  const { head, stores } = search
  const starts = new Map<EvmAddress, bigint>()
  const coverages = await stores.histories.group.findCoverages(chain, group.wallets())
  await group.each(async (wallet) => {
    const covered = coverages.get(wallet) ?? []
    const [range, ...others] = missingRanges({ fromBlock: 0n, toBlock: head.number }, covered)
    if (others.length > 0) await searchAlone(search, { chain, wallet }, saves.save)
    else if (range) starts.set(wallet, range.fromBlock)
  })
  for (const { fromBlock, wallets } of groupByStart(starts, head.number)) {
    await searchRange(search, group.of(wallets), { fromBlock, toBlock: head.number }, saves)
  }
}

async function searchAlone(search: Search, of: WalletOnChain<EvmAddress>, save: SaveFound): Promise<void> {
  const store = search.stores.histories
  const whole = { fromBlock: 0n, toBlock: search.head.number }
  const gaps: HistoryGap[] = []
  const findMissing = async () => missingRanges(whole, [...(await store.findCoverage(of)), ...gaps])
  for await (const { piece, missing } of searchBack(findMissing)) {
    const failure = await searchRange(search, alone(of), piece, { save }).then(() => undefined, upstreamOnly)
    const gap = gapOf(failure, piece)
    if (gap) gaps.push(gap)
    else if (failure) {
      const unoffered = missing.map((range) => ({ ...range, reason: 'not-offered' as const }))
      if (failure instanceof NotOffered) await store.setGaps(of, unoffered)
      throw failure
    }
  }
  await store.setGaps(of, gaps)
}

function gapOf(error: UpstreamError | undefined, { fromBlock }: BlockRange): HistoryGap | undefined {
  const isBelow = error instanceof HistoryPruned && error.firstBlock > fromBlock
  return isBelow ? { fromBlock: 0n, toBlock: error.firstBlock - 1n, reason: 'pruned' } : undefined
}

async function searchRange(
  { keysToSearch, explorers, reading, pool, seen }: Search,
  { chain, wallets, each }: WalletGroup,
  range: BlockRange,
  { save, saveIdle }: { save: SaveFound; saveIdle?: SaveIdle },
): Promise<void> {
  // Contracts name wallets by 19 bytes, which sub-accounts share.
  const prefixes = keysToSearch(chain).logs.some(({ walletAs }) => walletAs === 'prefix')
  const native = explorers.get(chain)
  for await (const piece of activityPieces({ pool, wallets: wallets(), range, prefixes, native })) {
    const done = await saveIdleOf({ chain, seen, piece, saveIdle }, wallets())
    await each(async (wallet) => {
      if (done.has(wallet)) return
      const found = await reading.read({ chain, wallet }, piece.perWallet.get(wallet) ?? [])
      const { failure, covered = [] } = piece.native.get(wallet) ?? {}
      // With native moves missing, the blocks are searched again.
      const searched = failure ? { ranges: [], native: [] } : { ranges: piece.covered, found, native: covered }
      await save({ chain, wallet }, found, { ...searched, seen })
      if (failure) throw failure
    })
    if (piece.failure) throw piece.failure
    if (wallets().length === 0) return
  }
}

async function saveIdleOf(
  {
    chain,
    seen,
    piece,
    saveIdle,
  }: {
    chain: string
    seen: readonly SeenBlock[]
    piece: FoundActivity
    saveIdle: SaveIdle | undefined
  },
  wallets: readonly EvmAddress[],
): Promise<ReadonlySet<EvmAddress>> {
  const { perWallet, native, covered } = piece
  const isIdle = (wallet: EvmAddress) => (perWallet.get(wallet) ?? []).length === 0 && !native.get(wallet)?.failure
  const idle = wallets.filter(isIdle)
  if (!saveIdle || idle.length === 0) return new Set()
  const blocks = (wallet: EvmAddress) => ({ ranges: covered, native: native.get(wallet)?.covered ?? [] })
  const others = new Set<string>(await saveIdle(chain, new Map(idle.map((wallet) => [wallet, blocks(wallet)])), seen))
  return new Set(idle.filter((wallet) => !others.has(wallet)))
}

export type WalletGroup = {
  readonly chain: string
  wallets(): readonly EvmAddress[]
  /** A wallet for which the work rejects leaves the batch. */
  each(work: (wallet: EvmAddress) => Promise<void>): Promise<void>
  of(wallets: readonly EvmAddress[]): WalletGroup
}

/** Rejects as the work does. */
function alone({ chain, wallet }: WalletOnChain<EvmAddress>): WalletGroup {
  return createWalletGroup(chain, [wallet], (_, error) => {
    throw error
  })
}

export function createWalletGroup(chain: string, members: readonly EvmAddress[], fail: FailWallet): WalletGroup {
  const failed = new Set<EvmAddress>()
  const some = (chosen: readonly EvmAddress[]): WalletGroup => {
    const wallets = () => chosen.filter((wallet) => !failed.has(wallet))
    return {
      chain,
      wallets,
      async each(work) {
        for (const wallet of wallets()) {
          await work(wallet).catch((error: unknown) => {
            fail(wallet, error)
            failed.add(wallet)
          })
        }
      },
      of: some,
    }
  }
  return some(members)
}

/** Latest first. No search takes more than twice as long as alone. */
export function groupByStart(
  starts: ReadonlyMap<EvmAddress, bigint>,
  head: bigint,
): { fromBlock: bigint; wallets: EvmAddress[] }[] {
  const doublings = ([, fromBlock]: [EvmAddress, bigint]) => (head - fromBlock + 1n).toString(2).length
  return [...Map.groupBy(starts, doublings)]
    .toSorted(([one], [other]) => one - other)
    .map(([, group]) => ({
      fromBlock: group.map(([, from]) => from).toSorted((a, b) => (a < b ? -1 : 1))[0] ?? head,
      wallets: group.map(([wallet]) => wallet),
    }))
}
