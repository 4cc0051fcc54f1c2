import { poolFigures } from '../../domain/accounting/pnl.ts'
import { assetOfKey } from '../../domain/accounting/state.ts'
import type { Address } from '../../domain/address.ts'
import { dayOf } from '../../domain/day.ts'
import { ZERO } from '../../domain/decimal.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import { createSingleFlight } from '../../lib/single-flight.ts'
import type { WalletFigures } from '../portfolio/wallet-figures.ts'
import type { Accounts } from './accounts.ts'

/**
 * Figures are served from the cache for `FRESH_MS`, and renewed in the background once older than `RENEW_MS`. A cached
 * null ends with a sync that a caller may wait for: it is served for `RENEW_MS` only, and never to callers that ask for
 * news.
 */
const FRESH_MS = 60_000
const RENEW_MS = 5_000
const CACHED = 2_000

type Known = { figures: WalletFigures | null; at: number }

/** Cost and PnL figures of wallets for an account; null while a wallet's history is incomplete. */
export function createAccountFigures({
  accounts,
  clock,
  log,
}: {
  accounts: Pick<Accounts, 'find'>
  clock: Clock
  log: Pick<Logger, 'warn'>
}) {
  const cache = new BoundedMap<string, Known>(CACHED)
  const flights = createSingleFlight<WalletFigures | null>()

  const isBelieved = ({ figures, at }: Known, isForNews: boolean) =>
    at + RENEW_MS > clock.now() && (figures !== null || !isForNews)

  /** From memory; undefined when it has to be looked up. */
  function findFresh(accountId: string, wallet: Address, isForNews: boolean): WalletFigures | null | undefined {
    const known = cache.get(`${accountId} ${wallet}`)
    if (known?.figures === null) return isBelieved(known, isForNews) ? null : undefined
    if (!known || known.at + FRESH_MS <= clock.now()) return undefined
    if (known.at + RENEW_MS <= clock.now()) void get(accountId, wallet, false)
    return known.figures
  }

  /** Never rejects: holdings are served even without their cost. */
  async function get(accountId: string, wallet: Address, isForNews: boolean): Promise<WalletFigures | null> {
    const known = cache.get(`${accountId} ${wallet}`)
    if (known && isBelieved(known, isForNews)) return known.figures
    return lookUp(accountId, wallet).catch((err: unknown) => {
      log.warn({ err }, 'cost and PnL could not be looked up; the last known figures are shown, or none')
      return known?.figures ?? null
    })
  }

  function lookUp(accountId: string, wallet: Address): Promise<WalletFigures | null> {
    const key = `${accountId} ${wallet}`
    return flights.run(key, async () => {
      const at = clock.now()
      const found = await accounts.find(accountId, wallet)
      const figures = found ? figuresOf(found, at) : null
      cache.set(key, { figures, at })
      return figures
    })
  }

  return { findFresh, get }
}

type Found = NonNullable<Awaited<ReturnType<Accounts['find']>>>

function figuresOf({ version, totals, pools }: Found, now: number): WalletFigures {
  const today = dayOf(now / 1_000)
  const day = totals?.day?.date === today ? totals.day : undefined
  return {
    version: `${version} ${today}`,
    income: day?.income ?? ZERO,
    expense: day?.expense ?? ZERO,
    feesRaw: Object.values(totals?.feesRaw ?? {}).reduce((sum, raw) => sum + raw, 0n),
    feesUsd: totals?.feesUsd ?? ZERO,
    ...closedOf(totals),
    pools: poolFigures({ pools }),
  }
}

/** Closed PnL of the known disposals; null if all disposals are unknown. */
function closedOf(totals: Found['totals']): Pick<WalletFigures, 'closedPnl' | 'unknownDisposals'> {
  if (!totals) return { closedPnl: ZERO, unknownDisposals: [] }
  const unknownDisposals = Object.keys(totals.unknownDisposals)
  const isKnown = totals.disposals > 0 || unknownDisposals.length === 0
  return { closedPnl: isKnown ? totals.closedPnl : null, unknownDisposals: unknownDisposals.map(assetOfKey) }
}
