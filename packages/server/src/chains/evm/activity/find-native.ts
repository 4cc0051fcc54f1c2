import { type BlockRange, missingRanges } from '../../../domain/block-ranges.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { RpcSession } from '../../rpc/rpc-pool.ts'
import { addressesWithCode, StateUnavailable } from './account-states.ts'
import { type ChangedBlock, findChangedBlocks, TooManyChanges } from './changed-blocks.ts'
import { explainBlocks } from './explain-blocks.ts'
import { bareBlockRequest } from './full-block.ts'
import { type KnownActivity, type NativeSearch, noteInner } from './known-activity.ts'
import { joinCoverage, type NativeCoverage, type NativeHit, type NativeSource } from './native-source.ts'
import { readTransactions } from './read-transactions.ts'
import { hitsOfTraces, traceBlock, traceFilterHits } from './trace-filter.ts'

const MOST_HITS = 4_000
const MOST_TRACED_BLOCKS = 64n

/** Prefers the source to endpoints. Throws `TooManyChanges` for a too long range. */
export async function findNative(
  session: RpcSession,
  known: KnownActivity,
  range: BlockRange,
  source: NativeSource | undefined,
): Promise<Map<EvmAddress, NativeCoverage>> {
  const indexed = await source?.find({ wallets: known.wallets, range })
  const parts = [
    ...(indexed?.covered ?? []).map((part) => ({ part, isIndexed: true })),
    ...missingRanges(range, indexed?.covered ?? []).map((part) => ({ part, isIndexed: false })),
  ]
  const found: PartCoverage[] = []
  for (const { part, isIndexed } of parts) {
    const hits = (indexed?.hits ?? []).filter(({ block }) => block >= part.fromBlock && block <= part.toBlock)
    const work = async (endpoint: RpcEndpoint) => {
      const search = { endpoint, known, range: part }
      await keep(search, hits)
      return await nativeOf(search, isIndexed)
    }
    found.push(await byAnyEndpoint(session, known.wallets, work))
  }
  const unsaid = { covered: [], unexplained: [], failure: indexed?.failure }
  const partsOf = (wallet: EvmAddress) => [...found.map((part) => part.get(wallet) ?? unsaid), unsaid]
  return new Map(known.wallets.map((wallet) => [wallet, joinCoverage(range, partsOf(wallet))]))
}

export async function canFindNative(
  session: RpcSession,
  { wallet, block }: { wallet: EvmAddress; block: bigint },
  source: NativeSource | undefined,
): Promise<boolean> {
  if (source) return true
  const work = async (endpoint: RpcEndpoint) => {
    if (await traceBlock(endpoint, block)) return true
    const contracts = await addressesWithCode(endpoint, [wallet], block)
    if (contracts.size > 0) throw new StateUnavailable()
    return true
  }
  return await session.run(work).catch((error: unknown) => {
    if (error instanceof UpstreamError) return false
    throw error
  })
}

type PartCoverage = ReadonlyMap<EvmAddress, Omit<NativeCoverage, 'state'>>

async function byAnyEndpoint(
  session: RpcSession,
  wallets: readonly EvmAddress[],
  work: (endpoint: RpcEndpoint) => Promise<PartCoverage>,
): Promise<PartCoverage> {
  const unable = new Set<RpcEndpoint>()
  let failure: UpstreamError | undefined
  try {
    return await session.run(async (endpoint) => {
      if (unable.has(endpoint)) throw new StateUnavailable()
      try {
        return await work(endpoint)
      } catch (error) {
        if (error instanceof StateUnavailable) unable.add(endpoint)
        else if (error instanceof UpstreamError) failure = error
        throw error
      }
    })
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    // This error counts only if no endpoint could be asked.
    const reason = failure ?? (unable.size === 0 ? error : undefined)
    return new Map(wallets.map((wallet) => [wallet, { covered: [], unexplained: [], failure: reason }]))
  }
}

/** Throws `StateUnavailable` if the endpoint offers neither traces nor past states. */
async function nativeOf(search: NativeSearch, isIndexed: boolean): Promise<PartCoverage> {
  const { endpoint, known, range } = search
  const { wallets } = known
  const isTraced = isIndexed || (await trace(search))
  if (!isTraced) {
    const contracts = await addressesWithCode(endpoint, wallets, range.toBlock)
    if (contracts.size === 0 || !(await traceEach(search, MOST_TRACED_BLOCKS))) {
      const left = await reconcile(search, wallets, true)
      return coverageOf(wallets, range, left, contracts)
    }
  }
  const paid = await walletsThatBlocksPay(search)
  const left = await reconcile(search, paid, false).catch((error: unknown): ChangedBlock[] => {
    if (error instanceof StateUnavailable) return []
    throw error
  })
  return coverageOf(wallets, range, left, new Set())
}

async function trace(search: NativeSearch): Promise<boolean> {
  const { endpoint, known, range } = search
  const hits = await traceFilterHits(endpoint, { wallets: known.wallets, range })
  if (!hits) return await traceEach(search, BigInt(known.wallets.length * 2))
  await keep(search, hits)
  return true
}

async function traceEach(search: NativeSearch, most: bigint): Promise<boolean> {
  const { endpoint, known, range } = search
  const { fromBlock, toBlock } = range
  if (toBlock - fromBlock >= most) return false
  for (let block = fromBlock; block <= toBlock; block += 1n) {
    const traced = await traceBlock(endpoint, block)
    if (!traced) return false
    await keep(search, hitsOfTraces(traced, known.wallets))
  }
  return true
}

async function keep({ endpoint, known, range }: NativeSearch, hits: readonly NativeHit[]): Promise<void> {
  if (hits.length > MOST_HITS && range.toBlock > range.fromBlock) throw new TooManyChanges()
  for (const hit of hits) noteInner(known, hit)
  await readTransactions({ endpoint, read: known.transactions }, hits)
}

/** Fees and withdrawals have no transactions: blocks name the recipients, if few. */
async function walletsThatBlocksPay({ endpoint, known, range }: NativeSearch): Promise<readonly EvmAddress[]> {
  const { wallets } = known
  const { fromBlock, toBlock } = range
  const size = Number(toBlock - fromBlock) + 1
  if (fromBlock === 0n || size > wallets.length * 2) return wallets
  const requests = Array.from({ length: size }, (_, i) => bareBlockRequest(endpoint, fromBlock + BigInt(i)))
  const blocks = (await requestEach(endpoint, requests, endpoint.background)).map(valueOrThrow)
  const paid = new Set(
    blocks.flatMap(({ feeRecipient, withdrawals }) => [feeRecipient, ...withdrawals.map(({ to }) => to)]),
  )
  return wallets.filter((wallet) => paid.has(wallet))
}

const reconcile = async (search: NativeSearch, wallets: readonly EvmAddress[], byNonce: boolean) =>
  explainBlocks(search, await findChangedBlocks(search, wallets, byNonce))

/** `hidden`: contracts, whose coins others can move. */
function coverageOf(
  wallets: readonly EvmAddress[],
  range: BlockRange,
  left: readonly ChangedBlock[],
  hidden: ReadonlySet<EvmAddress>,
): PartCoverage {
  return new Map(
    wallets.map((wallet) => {
      const own = left.filter((change) => change.wallet === wallet)
      const blocks = own.map(({ block }) => ({ fromBlock: block, toBlock: block }))
      const covered = hidden.has(wallet) ? [] : missingRanges(range, blocks).reverse()
      return [wallet, { covered, unexplained: own.map(({ block, changeRaw }) => ({ block, amountRaw: changeRaw })) }]
    }),
  )
}
