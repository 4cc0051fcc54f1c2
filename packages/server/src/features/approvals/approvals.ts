import { type Approval, Failure } from '@coffer/contract'
import { sql } from 'kysely'
import type { ApprovalReading } from '../../chains/approval-reading.ts'
import type { ReadTokens } from '../../chains/chain-reading.ts'
import type { Db } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import type { LogPlace } from '../../domain/approval.ts'
import type { BlockRange } from '../../domain/block-ranges.ts'
import { isoTime } from '../../domain/day.ts'
import { formatDecimal, fromRaw } from '../../domain/decimal.ts'
import { valueAsset } from '../../domain/valuation.ts'
import type { WalletOnChain } from '../../domain/wallet-on-chain.ts'
import { plainRow } from '../../lib/plain-row.ts'
import { endedWithin } from '../../lib/time-limit.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { FindTokens } from '../../wallets/create-reading.ts'
import type { IconUrls } from '../icons/icons.ts'
import { joinSearch, type Search, type SearchContext } from './approval-search.ts'
import { type StoredApproval, selectApprovals } from './approval-store.ts'
import type { Cursors } from './cursors.ts'

const WAIT_MS = 30_000

export type ApprovalsContext = SearchContext & {
  db: Db
  cursors: Cursors
  findTokens: FindTokens
  readTokens: ReadTokens
  noteUse(wallet: Address): void
}

type Request = { chain: string; addresses: readonly Address[]; limit: number; cursor?: string | undefined }
/** `time` in Unix seconds. */
type TimedApproval = StoredApproval & { time: number }
type Asset = NonNullable<Approval['asset']>

/** Newest first. */
export async function listApprovals(context: ApprovalsContext, request: Request, icons: IconUrls) {
  const { of, below, reading } = startOf(context, request)
  context.noteUse(of.wallet)
  const { approvals, last } = await readPage(context, of, request.limit, below)
  const timed = await withTimes(context.db, reading, of, approvals)
  const contracts = timed.map(({ contract }) => contract)
  const held = await readAssets(context, reading, of, contracts, icons)
  const items = timed.map((approval) => present(of.wallet, approval, held.get(approval.contract)))
  return { cursor: last ? context.cursors.write(of, last) : null, pageSize: items.length, items }
}

/** Throws VALIDATION_ERROR. */
export function startOf({ readingOf, cursors }: ApprovalsContext, { chain, addresses, cursor }: Request) {
  const [wallet] = addresses
  const reading = readingOf(chain)
  if (!wallet || !reading) throw new Failure('VALIDATION_ERROR', `chain: ${chain} is not enabled here`)
  const of: WalletOnChain = { wallet, chain }
  if (cursor === undefined) return { of, reading, below: undefined }
  const below = cursors.read(of, cursor)
  if (!below) throw new Failure('VALIDATION_ERROR', 'cursor: does not belong to this wallet and chain')
  return { of, reading, below }
}

/** A timeout fails with 502, but the search continues. `last`: start of the next page, if any. */
async function readPage(context: ApprovalsContext, of: WalletOnChain, limit: number, below: LogPlace | undefined) {
  const { db, coverage } = context
  const known = below && (await pageWithin(db, of, { limit, below, top: below.block }, await coverage.find(of)))
  if (known) return known
  const search = joinSearch(context, of, { newest: below === undefined })
  const until = performance.now() + WAIT_MS
  for (;;) {
    // Taken before the read, so that no progress is missed.
    const news = search.progress()
    const { covered, ended, head } = search
    const found = await pageWithin(db, of, { limit, below, top: below?.block ?? head }, covered)
    if (found) return found
    if (ended || !(await endedWithin(news, until - performance.now()))) throw notSearched(search)
  }
}

async function pageWithin(
  db: Db,
  of: WalletOnChain,
  { limit, below, top }: { limit: number; below: LogPlace | undefined; top: bigint },
  covered: readonly BlockRange[],
): Promise<{ approvals: StoredApproval[]; last: LogPlace | undefined } | undefined> {
  const range = covered.find(({ fromBlock, toBlock }) => fromBlock <= top && top <= toBlock)
  if (!range) return undefined
  const rows = await selectApprovals(db, of, { top, below }, limit + 1)
  const approvals = rows.slice(0, limit).filter(({ block }) => block >= range.fromBlock)
  const isWhole = approvals.length === limit || range.fromBlock === 0n
  const isLast = range.fromBlock === 0n && rows.length <= limit
  return isWhole ? { approvals, last: isLast ? undefined : approvals.at(-1) } : undefined
}

const notSearched = ({ failure }: Search): unknown =>
  failure ?? new Failure('UPSTREAM_UNAVAILABLE', 'The search for approvals has not reached this page yet; try again')

async function withTimes(db: Db, reading: ApprovalReading, of: WalletOnChain, approvals: readonly StoredApproval[]) {
  const untimed = new Set(approvals.flatMap(({ block, time }) => (time === null ? [block] : [])))
  const found = untimed.size > 0 ? await reading.blocks(of.chain, [...untimed]) : []
  const times = new Map(found.map(({ hash, timestamp }) => [hash, timestamp]))
  if (times.size > 0) {
    // By hash, so a replaced block gets no time.
    await sql`
      update approval set block_time = to_timestamp(read.seconds)
      from unnest(${[...times.keys()]}::text[], ${[...times.values()]}::float8[]) as read (hash, seconds)
      where wallet = ${of.wallet} and chain = ${of.chain} and block_hash = read.hash`.execute(db)
  }
  return approvals.map((approval) => {
    const time = approval.time ?? times.get(approval.blockHash)
    if (time === undefined) throw new UpstreamError('invalid', 'a block was replaced meanwhile')
    return { ...approval, time }
  })
}

/** By contract. Omits unreadable balances. Rejects with `UpstreamError`. */
async function readAssets(
  { findTokens, readTokens }: ApprovalsContext,
  reading: ApprovalReading,
  { wallet, chain }: WalletOnChain,
  contracts: readonly Address[],
  icons: IconUrls,
): Promise<ReadonlyMap<Address, Asset>> {
  // Without contracts only listed tokens are found, and nothing is loaded.
  const find = await findTokens(chain, [])
  const listed = [...new Set(contracts)].flatMap((contract) => {
    const token = find(contract)
    return token?.listed ? [{ ...token, address: contract }] : []
  })
  if (listed.length === 0) return new Map()
  const held = await reading.balances(
    { wallet, chain },
    listed.map(({ address }) => address),
  )
  const amounts = new Map(
    listed.flatMap(({ address, decimals }) => {
      const raw = held.get(address)
      return raw === undefined ? [] : [[address, fromRaw(raw, decimals)] as const]
    }),
  )
  const { prices } = await readTokens(chain, amounts)
  const priceOf = new Map(prices.map((price) => [price.token, price]))
  const assets = listed.flatMap((token) => {
    const amount = amounts.get(token.address)
    if (amount === undefined) return []
    const { balance, price, value } = valueAsset(token, amount, priceOf.get(token.address))
    const asset = {
      name: token.name,
      symbol: token.symbol,
      displaySymbol: token.symbol,
      displayName: token.name,
      balance: formatDecimal(balance),
      price: formatDecimal(price),
      value: formatDecimal(value),
      decimal: String(token.decimals),
      chain,
      contract: token.address,
      ...icons.token(chain, token.address, token.symbol),
    }
    return [[token.address, asset] as const]
  })
  return new Map(assets)
}

function present(wallet: string, approval: TimedApproval, asset: Asset | undefined): Approval {
  const { block, time, hash, contract, spender, amountRaw } = approval
  const timestamp = isoTime(time)
  return {
    ...plainRow({ block, timestamp, hash, contract, from: wallet, to: spender, amount: amountRaw }),
    ...(asset && { asset }),
  }
}
