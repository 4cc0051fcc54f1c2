import type { BlockRange } from '../../../domain/block-ranges.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { patientPool } from '../../rpc/patient-pool.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import { runTogether } from '../../rpc/request-together.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { RpcPool, RpcSession } from '../../rpc/rpc-pool.ts'
import { isOf, type SolanaTransaction, tokenChanges } from '../codec/solana-transaction.ts'
import {
  addAddress,
  dropFrom,
  finalSlotRequest,
  type ListedSignature,
  listedFrom,
  listTo,
  type SignatureLists,
} from './signature-lists.ts'
import { transactionRequest } from './transaction-request.ts'

type ActivitySearch = {
  pool: RpcPool
  wallet: SolanaAddress
  /** The last slot must be final. */
  ranges: readonly BlockRange[]
  /** A token transfer names these and not the wallet. Null: none are searched. */
  tokenAccounts: readonly SolanaAddress[] | null
  /** By signature. These are not read again. */
  had?: ReadonlyMap<string, unknown>
}

export type SolanaActivity = {
  transactions: SolanaTransaction[]
  covered: BlockRange[]
  tokenAccounts: SolanaAddress[]
  failure?: UpstreamError
}

/** A slot is never divided. */
const PIECE = 250

/**
 * Newest first. The transaction that closed or gave away an account names the wallet. Never rejects for a node failure:
 * the last piece has it.
 */
export async function* solanaActivity(search: ActivitySearch): AsyncGenerator<SolanaActivity, void, undefined> {
  const known = search.tokenAccounts && new Set(search.tokenAccounts)
  for (const range of search.ranges) {
    for await (const piece of activityIn(search, range, known)) {
      yield piece
      if (piece.failure) return
    }
  }
}

async function* activityIn(
  { wallet, had, ...of }: ActivitySearch,
  range: BlockRange,
  known: Set<SolanaAddress> | null,
): AsyncGenerator<SolanaActivity, void, undefined> {
  const pool = patientPool(of.pool)
  const session = pool.session()
  const lists: SignatureLists = { session, range, lists: [], firstSlots: new WeakMap(), allLack: false }
  const search = { wallet, had, known, session: pool.session(), lists }
  for (const address of [wallet, ...(known ?? [])]) addAddress(lists, address)
  for (let top = range.toBlock; top >= range.fromBlock; ) {
    try {
      const { low, ...found } = await readPiece(search, top)
      if (low > top) throw new UpstreamError('unavailable', `no node keeps transactions of slots up to ${top}`)
      yield { ...found, covered: [{ fromBlock: low, toBlock: top }] }
      top = low - 1n
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error
      yield { transactions: [], covered: [], tokenAccounts: [], failure: error }
      return
    }
  }
}

export function finalSlot(pool: RpcPool): Promise<bigint> {
  return runTogether(patientPool(pool).session().run, ({ request }) => request(finalSlotRequest))
}

type Search = {
  wallet: SolanaAddress
  had: ActivitySearch['had']
  known: Set<SolanaAddress> | null
  session: RpcSession
  lists: SignatureLists
}

async function readPiece({ wallet, had, known, session, lists }: Search, top: bigint) {
  const read = new Map<string, SolanaTransaction>()
  const found: SolanaAddress[] = []
  for (;;) {
    const floor = await listTo(lists, top)
    if (floor > top) return { low: floor, transactions: [], tokenAccounts: [] }
    const all = listedFrom(lists, floor)
    const low = all[PIECE - 1]?.slot ?? floor
    const wanted = all.filter(({ slot, signature }) => slot >= low && !had?.has(signature))
    await session.run((endpoint) => readTransactions(endpoint, wanted, read))
    const balances = [...read.values()].flatMap(tokenChanges).filter(({ owner }) => owner === wallet)
    const own = [...new Set(balances.map(({ account }) => account))]
    const fresh = known ? own.filter((account) => !known.has(account)) : []
    if (fresh.length === 0) {
      dropFrom(lists, low)
      return { low, transactions: inOrder(wanted, read, wallet), tokenAccounts: found }
    }
    for (const account of fresh) {
      known?.add(account)
      addAddress(lists, account)
    }
    found.push(...fresh)
  }
}

function inOrder(
  newestFirst: readonly ListedSignature[],
  read: ReadonlyMap<string, SolanaTransaction>,
  wallet: SolanaAddress,
): SolanaTransaction[] {
  const oldestFirst = newestFirst.toReversed().flatMap(({ signature }) => read.get(signature) ?? [])
  return oldestFirst
    .filter((transaction) => isOf(transaction, wallet))
    .sort((a, b) => (a.slot === b.slot ? (a.index ?? 0) - (b.index ?? 0) : Number(a.slot - b.slot)))
}

async function readTransactions(
  endpoint: RpcEndpoint,
  wanted: readonly ListedSignature[],
  read: Map<string, SolanaTransaction>,
): Promise<void> {
  const lacking = wanted.filter(({ signature }) => !read.has(signature))
  const { logTimeoutMs } = endpoint.limits
  const requests = lacking.map((listed) => transactionRequest(listed, logTimeoutMs))
  const answers = (await requestEach(endpoint, requests, endpoint.background)).map(valueOrThrow)
  for (const answer of answers) if (answer) read.set(answer.signature, answer)
  if (answers.includes(null)) throw new UpstreamError('unavailable', 'the node lacks a transaction that was listed')
}
