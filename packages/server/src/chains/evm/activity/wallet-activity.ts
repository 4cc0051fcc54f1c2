import { type BlockRange, mergeRanges, missingRanges } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { ChainTransaction } from '../../../domain/transaction.ts'
import { mapAhead } from '../../../lib/concurrency.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { patientPool } from '../../rpc/patient-pool.ts'
import type { RpcPool, RpcSession } from '../../rpc/rpc-pool.ts'
import { TooManyChanges } from './changed-blocks.ts'
import { findNative } from './find-native.ts'
import { type HitWindow, hitWindows } from './hit-windows.ts'
import { activityOf, type KnownActivity, nothingKnown } from './known-activity.ts'
import { joinCoverage, type NativeCoverage, type NativeSource } from './native-source.ts'
import { readTransactions } from './read-transactions.ts'

export type ActivitySearch = {
  pool: RpcPool
  /** Without duplicates. */
  wallets: readonly EvmAddress[]
  range: BlockRange
  /** Includes sub-accounts, which share the first 19 bytes. */
  prefixes?: boolean
  native?: NativeSource | undefined
}

/** `missing`: not searched, whatever was found. `failure`: set if a node was the reason. */
export type FoundActivity = {
  perWallet: ReadonlyMap<EvmAddress, ChainTransaction[]>
  covered: BlockRange[]
  missing: BlockRange[]
  native: ReadonlyMap<EvmAddress, NativeCoverage>
  failure?: UpstreamError | undefined
}

/** Never rejects for a node failure. */
export async function findActivity(search: ActivitySearch): Promise<FoundActivity> {
  const pieces: FoundActivity[] = []
  for await (const piece of activityPieces(search)) pieces.push(piece)
  return joined(search, pieces)
}

/** Pieces have some hundred transactions, oldest first. `missing` follows `covered`. The last has any failure. */
export async function* activityPieces(search: ActivitySearch): AsyncGenerator<FoundActivity, void, undefined> {
  const pool = patientPool(search.pool)
  const reading = { logs: pool.session(), native: pool.session() }
  const read = async (window: HitWindow) => ({ window, piece: await readWindow(search, reading, window) })
  for await (const { window, piece } of mapAhead(hitWindows(pool, search), WINDOWS_AT_ONCE, read)) {
    for await (const part of piece ? [piece] : inHalves(search, reading, window)) {
      yield part
      if (part.failure) return
    }
  }
}

const WINDOWS_AT_ONCE = 6

type Reading = { logs: RpcSession; native: RpcSession }

async function* inHalves(
  search: ActivitySearch,
  reading: Reading,
  window: HitWindow,
): AsyncGenerator<FoundActivity, void, undefined> {
  for (const half of halves(window)) {
    const piece = await readWindow(search, reading, half)
    if (piece) yield piece
    else yield* inHalves(search, reading, half)
  }
}

async function readWindow(
  { wallets, range, native: source }: ActivitySearch,
  reading: Reading,
  window: HitWindow,
): Promise<FoundActivity | null> {
  const { fromBlock, toBlock, hits } = window
  const known = nothingKnown(wallets, new Map(hits.map(({ hash, wallets: owners }) => [hash, owners])))
  const end = { fromBlock: toBlock + 1n, toBlock: range.toBlock }
  if (toBlock < fromBlock) return pieceOf(known, [], end, new Map(), window.failure)
  try {
    await reading.logs.run((endpoint) => readTransactions(endpoint, hits, known.transactions))
    const native = await findNative(reading.native, known, { fromBlock, toBlock }, source)
    return pieceOf(known, [{ fromBlock, toBlock }], end, native, window.failure)
  } catch (error) {
    if (error instanceof TooManyChanges && toBlock > fromBlock) return null
    if (!(error instanceof UpstreamError)) throw error
    return pieceOf(nothingKnown(wallets, new Map()), [], { ...end, fromBlock }, new Map(), error)
  }
}

function halves({ fromBlock, toBlock, hits, ...rest }: HitWindow): [HitWindow, HitWindow] {
  const middle = (fromBlock + toBlock) / 2n
  return [
    { fromBlock, toBlock: middle, hits: hits.filter(({ block }) => block <= middle) },
    { fromBlock: middle + 1n, toBlock, hits: hits.filter(({ block }) => block > middle), ...rest },
  ]
}

function pieceOf(
  known: KnownActivity,
  covered: BlockRange[],
  left: BlockRange,
  native: ReadonlyMap<EvmAddress, NativeCoverage>,
  failure: UpstreamError | undefined,
): FoundActivity {
  return {
    perWallet: activityOf(known),
    covered,
    missing: left.fromBlock <= left.toBlock ? [left] : [],
    native,
    failure,
  }
}

function joined({ wallets, range }: ActivitySearch, pieces: readonly FoundActivity[]): FoundActivity {
  const covered = mergeRanges(pieces.flatMap((piece) => piece.covered))
  const partsOf = (wallet: EvmAddress) => pieces.flatMap(({ native }) => native.get(wallet) ?? [])
  const transactionsOf = (wallet: EvmAddress) => pieces.flatMap(({ perWallet }) => perWallet.get(wallet) ?? [])
  return {
    perWallet: new Map(wallets.map((wallet) => [wallet, transactionsOf(wallet)])),
    covered,
    missing: missingRanges(range, covered),
    native: new Map(wallets.map((wallet) => [wallet, joinCoverage(range, partsOf(wallet))])),
    failure: pieces.at(-1)?.failure,
  }
}
