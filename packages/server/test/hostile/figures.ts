import type { Portfolio } from '@coffer/contract'
import { compareText } from '../../src/lib/compare-text.ts'
import { scaled } from '../journeys/portfolio-lines.ts'
import type { Expected, Planted } from './cases.ts'

/** Totals are shown with 18 decimals. */
const UNIT = 10n ** 42n

/** Protocols that sum honest and untrusted positions. */
const sharedBy = ({ contracts, tokens = [] }: Planted) =>
  contracts.length + tokens.length > 0 ? ['uniswap_v2', 'uniswap_v3'] : []

function honestCosts(portfolio: Portfolio, planted: Planted): string[] {
  const strange = new Set([...planted.contracts, ...(planted.tokens ?? [])].map((contract) => contract.toLowerCase()))
  const assets = (portfolio.assetByProtocols['wallet']?.assets ?? [])
    .filter(({ contract }) => !strange.has(contract))
    .map(({ contract, totalCostBasis, openPnl }) => `${contract} cost ${totalCostBasis} open ${openPnl}`)
  const groups = Object.values(portfolio.assetByProtocols).flatMap(({ key, chains }) => {
    if (['wallet', 'erc4626', ...sharedBy(planted)].includes(key)) return []
    return Object.values(chains).flatMap(({ protocolPositions }) =>
      Object.values(protocolPositions).map(
        (group) => `${key} cost ${group?.totalCostBasis} open ${group?.totalOpenPnl}`,
      ),
    )
  })
  return [...assets, ...groups].sort()
}

/** Figures that attacks must not change. */
export const honestFigures = (portfolio: Portfolio, planted: Planted) => ({
  costs: honestCosts(portfolio, planted),
  closedPnl: portfolio.closedPnl,
  dailyIncome: portfolio.dailyIncome,
  dailyExpense: portfolio.dailyExpense,
  fees: [portfolio.fees, portfolio.feesFiat],
})

/** Surplus over a control wallet that received nothing, and missing costs. */
export const untrustedFigures = (portfolio: Portfolio, control: Portfolio) => ({
  cost: scaled(portfolio.totalCostBasis) - scaled(control.totalCostBasis),
  open: scaled(portfolio.openPnl) - scaled(control.openPnl),
  lacks: byContract(portfolio.pnlIncomplete),
})

export const expectedFigures = ({ worth, cost, unknown }: Required<Expected>) => ({
  cost: rounded(cost),
  open: unknown.length > 0 ? 0n : rounded(worth - cost),
  lacks: byContract(
    unknown.map((contract) => ({ reason: 'unknown-cost', chain: 'ethereum', contract: contract.toLowerCase() })),
  ),
})

const byContract = <T extends { contract?: string | undefined }>(lacks: readonly T[]): T[] =>
  lacks.toSorted((a, b) => compareText(a.contract ?? '', b.contract ?? ''))

const rounded = (figure: bigint) => (figure / UNIT) * UNIT
