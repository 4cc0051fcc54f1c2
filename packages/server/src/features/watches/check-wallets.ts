import { Failure, type WatchGap } from '@coffer/contract'
import type { Db } from '../../db/tables.ts'
import { decimal, formatDecimal } from '../../domain/decimal.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Reading } from '../../wallets/create-reading.ts'
import { reportToAccounts, subjectOf } from '../events/outbox.ts'
import type { Portfolios } from '../portfolio/portfolios.ts'
import { type PortfolioState, presentAsOf } from '../portfolio/present-portfolio.ts'
import { isPast, type Judged, judgeBalance, judgeNetWorth, type KnownPrices } from './judge-wallet.ts'
import { type ClaimedWatch, checkDue, directionOf, noteGaps, settle, spelled } from './watch-store.ts'

const EVERY_SECONDS = 15 * 60
const AT_ONCE = 8

const TERMS = { types: ['netWorth', 'balance'], afterSeconds: EVERY_SECONDS, most: AT_ONCE } as const

type Parts = {
  db: Db
  portfolios: Portfolios
  reading: { catalog: Reading['catalog']; chainsOf: Reading['chainsOf'] }
  clock: Clock
}

export const checkWallets = (parts: Parts, signal: AbortSignal): Promise<void> =>
  checkDue(parts.db, TERMS, signal, async (wallet, watches) => {
    const { db, portfolios, reading } = parts
    const cached = await portfolios.getState(wallet, true).catch((thrown: unknown) => {
      if (thrown instanceof Failure) return undefined
      throw thrown
    })
    const unread = () => reading.chainsOf(wallet).map((chain): WatchGap => ({ chain, reason: 'unreadable' }))
    for (const watch of watches) {
      const judged = cached ? judge(parts, watch, cached.state) : { gaps: unread() }
      if ('gaps' in judged) await noteGaps(db, watch, judged.gaps)
      else if (cached) await tellIfPast(db, watch, cached.state, judged)
    }
  })

function judge({ reading, clock }: Parts, watch: ClaimedWatch, state: PortfolioState): Judged {
  const now = clock.now()
  const { chain, contract, settled_at, created_at } = watch
  if (chain === null || contract === null) {
    const knownAt = (settled_at ?? created_at).getTime()
    return judgeNetWorth(state, { known: watch.known as KnownPrices | null, knownAt, now })
  }
  const isListed = reading.catalog.find(chain, contract) !== undefined
  return judgeBalance(state, { chain, contract, isListed, wasKnown: watch.value !== null, now })
}

/** Commits the event together with the crossing. */
async function tellIfPast(
  db: Db,
  watch: ClaimedWatch,
  state: PortfolioState,
  { value, known }: Extract<Judged, { known: unknown }>,
): Promise<void> {
  const limit = { isAbove: watch.is_above === true, threshold: decimal(watch.threshold ?? '0') }
  const past = isPast({ ...limit, isPast: watch.is_past }, value)
  await db.transaction().execute(async (trx) => {
    const isOurs = await settle(trx, watch, { isPast: past, value: formatDecimal(value), known })
    if (isOurs && past && watch.is_past === false) await tell(trx, watch, state, formatDecimal(value))
  })
}

async function tell(trx: Db, watch: ClaimedWatch, { reads }: PortfolioState, value: string): Promise<void> {
  const { id, account_id, address, chain, contract } = watch
  const of = {
    watchId: id,
    address,
    value,
    direction: directionOf(watch.is_above === true),
    threshold: spelled(watch.threshold ?? '0'),
  } as const
  const subject = subjectOf(address)
  if (chain === null || contract === null) {
    const data = { ...of, asOf: presentAsOf(reads) }
    return reportToAccounts(trx, 'networth.threshold', [account_id], [{ subject, data }])
  }
  const asOf = presentAsOf(reads.filter(({ read }) => read.chain === chain))
  await reportToAccounts(trx, 'balance.threshold', [account_id], [{ subject, data: { ...of, chain, contract, asOf } }])
}
