import { poolFigures } from '../../domain/accounting/pnl.ts'
import { ZERO } from '../../domain/decimal.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import { BoundedMap } from '../../lib/bounded-map.ts'
import type { Clock } from '../../lib/clock.ts'
import type { WalletFigures } from '../portfolio/wallet-figures.ts'
import type { Accounts } from './accounts.ts'

/** What was looked up is answered from memory for so long. */
const FRESH_MS = 60_000
const CACHED = 2_000

/** What wallets' histories say to an account; null where one is not whole. */
export function createAccountFigures({ accounts, clock }: { accounts: Pick<Accounts, 'find'>; clock: Clock }) {
  const cache = new BoundedMap<string, { figures: WalletFigures | null; until: number }>(CACHED)

  /** From memory; undefined when it has to be looked up. */
  function findFresh(accountId: string, wallet: EvmAddress): WalletFigures | null | undefined {
    const known = cache.get(`${accountId} ${wallet}`)
    return known && known.until > clock.now() ? known.figures : undefined
  }

  async function get(accountId: string, wallet: EvmAddress): Promise<WalletFigures | null> {
    const fresh = findFresh(accountId, wallet)
    if (fresh !== undefined) return fresh
    const now = clock.now()
    const found = await accounts.find(accountId, wallet)
    const figures = found ? figuresOf(found, now) : null
    cache.set(`${accountId} ${wallet}`, { figures, until: now + FRESH_MS })
    return figures
  }

  return { findFresh, get }
}

type Found = NonNullable<Awaited<ReturnType<Accounts['find']>>>

function figuresOf({ version, totals, pools }: Found, now: number): WalletFigures {
  const today = new Date(now).toISOString().slice(0, 10)
  const day = totals?.day?.date === today ? totals.day : undefined
  return {
    version: `${version} ${today}`,
    income: day?.income ?? ZERO,
    expense: day?.expense ?? ZERO,
    feesRaw: Object.values(totals?.feesRaw ?? {}).reduce((sum, raw) => sum + raw, 0n),
    feesUsd: totals?.feesUsd ?? ZERO,
    closedPnl: totals && totals.unknownDisposals > 0 ? null : (totals?.closedPnl ?? ZERO),
    pools: poolFigures({ pools }),
  }
}
