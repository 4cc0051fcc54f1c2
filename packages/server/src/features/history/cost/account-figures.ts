import { poolFigures } from '../../../domain/accounting/pnl.ts'
import { assetOfKey } from '../../../domain/accounting/state.ts'
import type { Address } from '../../../domain/address.ts'
import { dayOf } from '../../../domain/day.ts'
import { ZERO } from '../../../domain/decimal.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createKept } from '../../../lib/kept.ts'
import type { WarnLog } from '../../../lib/logger.ts'
import { COMPUTING, type WalletFigures } from '../../portfolio/wallet-figures.ts'
import { StillComputing, type WalletCosts } from './cost-accounts.ts'

/** Older figures are renewed in the background, except if they lack a chain. */
const FRESH_MS = 60_000
const RENEW_MS = 5_000
const CACHED = 2_000

/** null while a wallet's history is incomplete. */
export function createAccountFigures(
  findCosts: (accountId: string, wallet: Address) => Promise<WalletCosts | undefined>,
  { clock, logger: log }: { clock: Clock; logger: WarnLog },
) {
  const kept = createKept<WalletFigures | null>({
    most: CACHED,
    clock,
    freshMs: (figures) => (figures?.isComputing ? 0 : RENEW_MS),
    goodMs: (figures) => (figures?.isComputing || lacksChain(figures) ? 0 : FRESH_MS),
  })

  function findFresh(accountId: string, wallet: Address, isForNews: boolean): WalletFigures | null | undefined {
    const figures = kept.find(`${accountId} ${wallet}`, lookUp(accountId, wallet))
    return isForNews && lacksChain(figures) ? undefined : figures
  }

  /** Never rejects: holdings are served even without cost. */
  async function get(accountId: string, wallet: Address, isForNews: boolean): Promise<WalletFigures | null> {
    const [key, read] = [`${accountId} ${wallet}`, lookUp(accountId, wallet)]
    return isForNews && lacksChain(kept.find(key, read)) ? kept.renew(key, read) : kept.get(key, read)
  }

  const lookUp = (accountId: string, wallet: Address) => async (before?: WalletFigures | null) => {
    try {
      const now = clock.now()
      const found = await findCosts(accountId, wallet)
      return found ? figuresOf(found, now) : null
    } catch (err) {
      if (err instanceof StillComputing) return before ?? COMPUTING
      log.warn({ err }, 'cost and PnL could not be read; answers show the last known figures, or none')
      return before ?? null
    }
  }

  return { findFresh, get }
}

const lacksChain = (figures: WalletFigures | null | undefined) =>
  figures === null || (figures !== undefined && figures.missing.length > 0)

function figuresOf({ version, totals, pools, missing, chainGaps, gaps }: WalletCosts, now: number): WalletFigures {
  const today = dayOf(now / 1_000)
  const day = totals?.day?.date === today ? totals.day : undefined
  return {
    version: `${version} ${today}`,
    income: day?.income ?? ZERO,
    expense: day?.expense ?? ZERO,
    feesRaw: Object.values(totals?.feesRaw ?? {}).reduce((sum, raw) => sum + raw, 0n),
    feesUsd: totals?.feesUsd ?? ZERO,
    ...closedOf(totals),
    pools: poolFigures(pools),
    missing,
    chainGaps,
    gaps,
  }
}

/** null: every disposal is unknown. */
function closedOf(totals: WalletCosts['totals']) {
  if (!totals) return { closedPnl: ZERO, unknownDisposals: [] }
  const unknownDisposals = Object.keys(totals.unknownDisposals)
  const isKnown = totals.disposals > 0 || unknownDisposals.length === 0
  return { closedPnl: isKnown ? totals.closedPnl : null, unknownDisposals: unknownDisposals.map(assetOfKey) }
}
