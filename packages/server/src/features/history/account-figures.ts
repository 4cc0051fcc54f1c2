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
 * What was looked up is answered from memory for so long, and looked up anew behind once it is older than `RENEW_MS`. That
 * there is nothing ends with a sync, which somebody waits for: it is believed for `RENEW_MS`, and not by who asks for news.
 */
const FRESH_MS = 60_000
const RENEW_MS = 5_000
const CACHED = 2_000

type Known = { figures: WalletFigures | null; at: number }

/** What wallets' histories say to an account; null where one is not whole. */
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

  /** Never rejects: what a wallet holds is worth telling without what it cost. */
  async function get(accountId: string, wallet: Address, isForNews: boolean): Promise<WalletFigures | null> {
    const known = cache.get(`${accountId} ${wallet}`)
    if (known && isBelieved(known, isForNews)) return known.figures
    return lookUp(accountId, wallet).catch((err: unknown) => {
      log.warn({ err }, 'cost and PnL could not be looked up')
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

/** What is known of what was sold; null only where nothing of it is. */
function closedOf(totals: Found['totals']): Pick<WalletFigures, 'closedPnl' | 'unknownDisposals'> {
  if (!totals) return { closedPnl: ZERO, unknownDisposals: [] }
  const unknownDisposals = Object.keys(totals.unknownDisposals)
  const isKnown = totals.disposals > 0 || unknownDisposals.length === 0
  return { closedPnl: isKnown ? totals.closedPnl : null, unknownDisposals: unknownDisposals.map(assetOfKey) }
}
