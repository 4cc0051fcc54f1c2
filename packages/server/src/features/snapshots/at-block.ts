import { Failure, type IncompleteReason } from '@coffer/contract'
import type { Chain } from '../../chains/chain.ts'
import type { PastBlock } from '../../chains/collected.ts'
import type { Db } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { dayOf, startOfDay } from '../../domain/day.ts'
import { ZERO } from '../../domain/decimal.ts'
import { type ValuedRead, valueRead } from '../../domain/valuation.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import type { Clock } from '../../lib/clock.ts'
import type { WarnLog } from '../../lib/logger.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { Reading } from '../../wallets/create-reading.ts'
import type { PortfolioState } from '../portfolio/present-portfolio.ts'
import { COUNTS_FOR_SECONDS } from './day-states.ts'
import { missingReason, noneOnFailure, type PastChain, type PastRead, type PastReads, pastOf } from './past-reads.ts'
import { findReads } from './snapshot-store.ts'

/** `chain` and `block`, or `date` in Unix seconds. */
export type Moment = { chain?: string | undefined; block?: number | undefined; date?: number | undefined }

export type AtBlockContext = { db: Db; reading: Reading; past: PastReads; clock: Clock; logger: WarnLog }

type MissingPart = { chain: Chain; reason: IncompleteReason; lacks?: { past: PastChain; block: bigint } }

/** Without a read or a reason, the chain began later. */
type Part = { chain: Chain; read?: PastRead } | MissingPart

/** Throws VALIDATION_ERROR. */
export function checkMoment({ reading, clock }: AtBlockContext, wallets: readonly Address[], moment: Moment): void {
  const { chain: key, date } = moment
  if (date !== undefined && date > clock.now() / 1_000)
    throw new Failure('VALIDATION_ERROR', 'date: must not be in the future')
  if (key === undefined) return
  const chain = reading.enabled.find((each) => each.key === key)
  if (!chain) throw new Failure('VALIDATION_ERROR', 'chain: must be the key of a chain that this service reads')
  const other = wallets.find((wallet) => reading.familyOf(wallet) !== chain.family)
  if (other !== undefined) throw new Failure('VALIDATION_ERROR', `addresses: ${other} is no address of ${key}`)
}

/** Throws STATE_NOT_AVAILABLE or UPSTREAM_UNAVAILABLE if no chain could be read. */
export async function getAtBlock(
  context: AtBlockContext,
  { accountId, wallet, moment }: { accountId: string; wallet: Address; moment: Moment },
): Promise<PortfolioState> {
  const { db, reading } = context
  reading.noteUse(wallet)
  const asked = reading.enabled.filter(
    ({ key, family }) => family === reading.familyOf(wallet) && (moment.chain ?? key) === key,
  )
  const chains = asked.map((chain) => ({ chain, past: pastOf(reading, chain) }))
  if (chains.some(({ past }) => !past)) {
    const reads = moment.date === undefined ? undefined : await findSnapshot(db, accountId, wallet, moment.date)
    if (reads) return { address: wallet, reads: reads.map(valueRead), incomplete: [] }
  }
  const parts = await Promise.all(
    chains.map(({ chain, past }): Part | Promise<Part> => {
      return past ? readPart(context, past, wallet, moment) : { chain, reason: 'no-state' }
    }),
  )
  const missing = parts.flatMap((part) => ('reason' in part ? [part] : []))
  if (missing.length === parts.length) throw await nothingRead(context, missing)
  return stateOf(wallet, parts, moment)
}

/** A snapshot of the first day may be of a later hour. */
async function findSnapshot(
  db: Db,
  accountId: string,
  address: Address,
  date: number,
): Promise<WalletRead[] | undefined> {
  const day = dayOf(date)
  const row = startOfDay(day) === date ? await findReads(db, accountId, { address, date: day }) : undefined
  return row?.every(({ blockTime }) => blockTime >= date && blockTime <= date + COUNTS_FOR_SECONDS) ? row : undefined
}

async function readPart(
  { past: reads, logger }: AtBlockContext,
  past: PastChain,
  wallet: Address,
  { block, date = 0 }: Moment,
): Promise<Part> {
  const { chain } = past
  let at: PastBlock | undefined
  try {
    at = block === undefined ? await reads.blockAt(past, date) : { number: BigInt(block) }
    return at ? { chain, read: await reads.read(past, wallet, at) } : { chain }
  } catch (err) {
    if (!(err instanceof UpstreamError)) throw err
    if (block !== undefined) await refuseFuture(past, BigInt(block))
    const reason = missingReason(err)
    if (at && reason === 'no-state') return { chain, reason, lacks: { past, block: at.number } }
    logger.warn({ err, chain: chain.key }, 'a past block could not be read; the answer lacks the chain')
    return { chain, reason }
  }
}

async function refuseFuture({ chain, days }: PastChain, block: bigint): Promise<void> {
  const newest = await days.newestBlock(chain.key).catch(noneOnFailure)
  if (!newest || block <= newest.number) return
  throw new Failure('VALIDATION_ERROR', `block: the newest block of ${chain.key} is ${newest.number}`)
}

/** Names no endpoint. */
async function nothingRead({ past }: AtBlockContext, parts: readonly MissingPart[]): Promise<Failure> {
  if (!parts.every(({ reason }) => reason === 'no-state')) {
    const reasons = parts.map(({ chain: { key }, reason }) => `${key} (${reason})`).join(', ')
    const advice = 'Try again; the operator finds the cause with "coffer-admin doctor"'
    return new Failure('UPSTREAM_UNAVAILABLE', `No chain could be read at this block: ${reasons}. ${advice}`)
  }
  const sentences = await Promise.all(parts.map((part) => lackOf(past, part)))
  return new Failure('STATE_NOT_AVAILABLE', sentences.join(' '))
}

async function lackOf(reads: PastReads, { chain: { key }, lacks }: MissingPart): Promise<string> {
  if (!lacks) return `Nodes of ${key} serve only the present state, and no daily snapshot is of this time.`
  const oldest = await reads.oldestState(lacks.past, lacks.block)
  const found = oldest === undefined ? '' : `; the oldest one that they have is of block ${oldest}`
  return `No endpoint of ${key} has the state of block ${lacks.block}${found}. The operator can add an archive endpoint for ${key}.`
}

function stateOf(wallet: Address, parts: readonly Part[], { date = 0 }: Moment): PortfolioState {
  return {
    address: wallet,
    reads: parts.flatMap((part) => {
      if ('reason' in part) return []
      return part.read?.valued ?? nothingOn(part.chain, date)
    }),
    incomplete: parts.flatMap((part) => {
      const reason = 'reason' in part ? part.reason : part.read?.searching
      return reason ? { chain: part.chain.key, reason } : []
    }),
  }
}

const nothingOn = ({ key }: Chain, date: number): ValuedRead => ({
  read: { chain: key, readAt: date * 1_000, gaps: [] },
  direct: [],
  held: [],
  positions: [],
  value: ZERO,
})
