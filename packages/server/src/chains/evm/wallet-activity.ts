import { type BlockRange, mergeRanges, missingRanges } from '../../domain/block-ranges.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import type { ChainTransaction } from '../../domain/transaction.ts'
import { oneAhead } from '../../lib/concurrency.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { type HitWindow, hitWindows } from './activity/hit-windows.ts'
import { readTransactions } from './activity/read-transactions.ts'
import type { Hex } from './json-rpc.ts'
import type { RpcPool } from './rpc-pool.ts'

export type ActivitySearch = {
  pool: RpcPool
  /** Without duplicates; any number shares the requests. */
  wallets: readonly EvmAddress[]
  range: BlockRange
}

/** A change of a wallet's native balance in some blocks that no transaction explains, as far as the node lets one see. */
export type Unexplained = BlockRange & { amountRaw: bigint }

/**
 * How far everything is known that moved native coin to or from a wallet: its own transactions, those without logs and the
 * failed ones included, and what it was sent, also from inside of others. Elsewhere only what logs lead to is known.
 */
export type NativeCoverage = {
  state: 'complete' | 'partial'
  covered: BlockRange[]
  unexplained: Unexplained[]
}

/**
 * What happened to wallets in a range of blocks. `covered` has been searched; `missing` has not, whatever was found.
 * `failure` is why, when a node was the reason.
 */
export type FoundActivity = {
  /** By block and place in it. Each wallet that was asked for is there. */
  perWallet: ReadonlyMap<EvmAddress, ChainTransaction[]>
  covered: BlockRange[]
  missing: BlockRange[]
  native: ReadonlyMap<EvmAddress, NativeCoverage>
  failure?: UpstreamError
}

/**
 * Finds everything that happened to the wallets, from logs that name them in a topic and from what moved native coin.
 * Never rejects for a node's failure.
 */
export async function findActivity(search: ActivitySearch): Promise<FoundActivity> {
  const pieces: FoundActivity[] = []
  for await (const piece of activityPieces(search)) pieces.push(piece)
  return joined(search, pieces)
}

/**
 * The same piece by piece, oldest first, of some hundred transactions each: `covered` is that of the piece, `missing` what
 * follows it. The next one is read while one is looked at. The last one has the failure, if there was any.
 */
export function activityPieces(search: ActivitySearch): AsyncGenerator<FoundActivity, void, undefined> {
  return oneAhead(readPieces(search))
}

async function* readPieces(search: ActivitySearch): AsyncGenerator<FoundActivity, void, undefined> {
  const session = search.pool.session()
  const { toBlock } = search.range
  for await (const window of oneAhead(hitWindows(search))) {
    const read = await readWindow(session, window)
    const failure = read.failure ?? window.failure
    const next = read.failure ? window.fromBlock : window.toBlock + 1n
    const { fromBlock } = window
    yield {
      perWallet: activityOf(search.wallets, window, read.transactions),
      covered: next > fromBlock ? [{ fromBlock, toBlock: next - 1n }] : [],
      missing: next <= toBlock ? [{ fromBlock: next, toBlock }] : [],
      native: new Map(search.wallets.map((wallet) => [wallet, { state: 'partial', covered: [], unexplained: [] }])),
      ...(failure && { failure }),
    }
    if (failure) return
  }
}

type ReadWindow = { transactions: readonly ChainTransaction[]; failure?: UpstreamError }

/** All of a window's transactions or none: a window is covered as a whole. */
async function readWindow(session: ReturnType<RpcPool['session']>, { hits }: HitWindow): Promise<ReadWindow> {
  const read = new Map<Hex, ChainTransaction>()
  try {
    await session.run((endpoint) => readTransactions(endpoint, hits, read))
    return { transactions: [...read.values()] }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    return { transactions: [], failure: error }
  }
}

/** A transaction is a wallet's where a log names it, where it sent it, and where native coin moved from or to it. */
function activityOf(
  wallets: readonly EvmAddress[],
  { hits }: Pick<HitWindow, 'hits'>,
  transactions: readonly ChainTransaction[],
): Map<EvmAddress, ChainTransaction[]> {
  const perWallet = new Map<EvmAddress, ChainTransaction[]>(wallets.map((wallet) => [wallet, []]))
  const named = new Map(hits.map(({ hash, wallets: owners }) => [hash, owners]))
  for (const transaction of [...transactions].sort(byPlace)) {
    const { hash, from, nativeTransfers } = transaction
    const concerned = new Set([from, ...nativeTransfers.flatMap((transfer) => [transfer.from, transfer.to])])
    for (const wallet of new Set([...(named.get(hash) ?? []), ...concerned])) {
      const own = nativeTransfers.filter((transfer) => transfer.from === wallet || transfer.to === wallet)
      perWallet.get(wallet)?.push({ ...transaction, nativeTransfers: own })
    }
  }
  return perWallet
}

const byPlace = (a: ChainTransaction, b: ChainTransaction) =>
  a.block === b.block ? a.index - b.index : Number(a.block - b.block)

function joined({ wallets, range }: ActivitySearch, pieces: readonly FoundActivity[]): FoundActivity {
  const covered = mergeRanges(pieces.flatMap((piece) => piece.covered))
  const failure = pieces.at(-1)?.failure
  return {
    perWallet: new Map(
      wallets.map((wallet) => [wallet, pieces.flatMap(({ perWallet }) => perWallet.get(wallet) ?? [])]),
    ),
    covered,
    missing: missingRanges(range, covered),
    native: new Map(wallets.map((wallet) => [wallet, joinedNative(wallet, range, pieces)])),
    ...(failure && { failure }),
  }
}

function joinedNative(wallet: EvmAddress, range: BlockRange, pieces: readonly FoundActivity[]): NativeCoverage {
  const parts = pieces.flatMap(({ native }) => native.get(wallet) ?? [])
  const covered = mergeRanges(parts.flatMap((part) => part.covered))
  return {
    state: missingRanges(range, covered).length === 0 ? 'complete' : 'partial',
    covered,
    unexplained: parts.flatMap((part) => part.unexplained),
  }
}
