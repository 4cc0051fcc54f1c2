import type { BlockRange } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { ChainTransaction } from '../../../domain/transaction.ts'
import { mapAhead } from '../../../lib/concurrency.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { patientPool } from '../../rpc/patient-pool.ts'
import type { RpcPool, RpcSession } from '../../rpc/rpc-pool.ts'
import { TooManyChanges } from './changed-blocks.ts'
import { findNative } from './find-native.ts'
import { type HitWindow, hitWindows } from './hit-windows.ts'
import { activityOf, nothingKnown } from './known-activity.ts'
import type { NativeCoverage, NativeSource } from './native-source.ts'
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

/** `failure`: why the search ends before its range does. */
export type FoundActivity = {
  perWallet: ReadonlyMap<EvmAddress, ChainTransaction[]>
  covered: BlockRange[]
  native: ReadonlyMap<EvmAddress, NativeCoverage>
  failure?: UpstreamError | undefined
}

/** Pieces have some hundred transactions, oldest first. The last has any failure. Never rejects for a node failure. */
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
  { wallets, native: source }: ActivitySearch,
  reading: Reading,
  window: HitWindow,
): Promise<FoundActivity | null> {
  const { fromBlock, toBlock, hits, failure } = window
  const known = nothingKnown(wallets, new Map(hits.map(({ hash, wallets: owners }) => [hash, owners])))
  const nothing = { perWallet: activityOf(known), covered: [], native: new Map() }
  if (toBlock < fromBlock) return { ...nothing, failure }
  try {
    await reading.logs.run((endpoint) => readTransactions({ endpoint, read: known.transactions }, hits))
    const native = await findNative(reading.native, known, { fromBlock, toBlock }, source)
    return { perWallet: activityOf(known), covered: [{ fromBlock, toBlock }], native, failure }
  } catch (error) {
    if (error instanceof TooManyChanges && toBlock > fromBlock) return null
    if (!(error instanceof UpstreamError)) throw error
    return { ...nothing, failure: error }
  }
}

function halves({ fromBlock, toBlock, hits, ...rest }: HitWindow): [HitWindow, HitWindow] {
  const middle = (fromBlock + toBlock) / 2n
  return [
    { fromBlock, toBlock: middle, hits: hits.filter(({ block }) => block <= middle) },
    { fromBlock: middle + 1n, toBlock, hits: hits.filter(({ block }) => block > middle), ...rest },
  ]
}
