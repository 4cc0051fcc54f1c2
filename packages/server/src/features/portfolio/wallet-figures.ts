import { openPnl, type Pnl, type PoolFigures, sumPnl } from '../../domain/accounting/pnl.ts'
import type { Decimal } from '../../domain/decimal.ts'
import type { ValuedAsset, ValuedPosition, ValuedRead } from '../../domain/valuation.ts'

/**
 * What a wallet's history says beside what it holds now, in USD unless said otherwise. `feesRaw`: gas in base units over all
 * chains. `version` is another one when anything of it is.
 */
export type WalletFigures = {
  version: string
  income: Decimal
  expense: Decimal
  feesRaw: bigint
  feesUsd: Decimal
  closedPnl: Decimal | null
  pools: readonly PoolFigures[]
}

const UNKNOWN: Pnl = { totalCostBasis: null, openPnl: null }

/** Cost and open PnL of what a wallet holds now, by its pools. */
export type WalletPnl = ReturnType<typeof walletPnl>

export function walletPnl({ pools }: Pick<WalletFigures, 'pools'>, reads: readonly ValuedRead[]) {
  const byToken = Map.groupBy(pools, ({ chain, token }) => `${chain}:${token}`)
  const poolsOf = (chain: string, token: string) => byToken.get(`${chain}:${token}`) ?? []

  /** Unknown where more or less is held than the history tells of. */
  function ofAsset(chain: string, { token, balance, value, priceSource }: ValuedAsset): Pnl {
    const [pool] = poolsOf(chain, token.address).filter(({ debt, position }) => !debt && position === null)
    if (!pool?.quantity.eq(balance)) return UNKNOWN
    return openPnl([pool], priceSource === null ? null : value)
  }

  /** By the pools of its receipts and of what is owed; unknown where one of them has none. */
  function ofPosition(chain: string, { position, borrowed, value }: ValuedPosition): Pnl {
    const receipts = (position.receipts ?? []).flatMap((token) => poolsOf(chain, token)).filter(isOf(position))
    const owed = borrowed.flatMap(({ token }) => poolsOf(chain, token.address)).filter(({ debt }) => debt)
    const found = new Set([...receipts, ...owed])
    const debts = [...found].filter(({ debt }) => debt)
    return found.size === 0 || debts.length < borrowed.length ? UNKNOWN : openPnl([...found], value)
  }

  const total = sumPnl(
    reads.flatMap((read) => [
      ...read.held.map((asset) => ofAsset(read.read.chain, asset)),
      ...read.positions.map((position) => ofPosition(read.read.chain, position)),
    ]),
  )
  return { ofAsset, ofPosition, total }
}

const isOf =
  ({ tokenId }: ValuedPosition['position']) =>
  (pool: PoolFigures) =>
    pool.tokenId === (tokenId ?? null)
