import type { NestedPosition, Portfolio } from '@coffer/contract'
import { assetRow, cut, day, heading, type Row, table } from './table.ts'

/** A portfolio as a table for people: chains, protocols and positions as headings, one line an asset, debts negative. */
export function portfolioTable(portfolio: Portfolio): string {
  const rows = chainKeys(portfolio).flatMap((chain) => chainRows(portfolio, chain))
  const lines = table(rows, { name: 'Net worth', value: portfolio.networth })
  return [`Wallet ${portfolio.address}`, ...lines, ...notes(portfolio)].join('\n')
}

const chainKeys = (portfolio: Portfolio) => Object.keys(portfolio.chains)

function chainRows(portfolio: Portfolio, chain: string): Row[] {
  const asOf = portfolio.asOf[chain]
  const summary = portfolio.chains[chain]
  const title = `${summary?.name ?? chain}, block ${asOf?.block ?? '?'} (${asOf?.timestamp ?? '?'})`
  const protocols = Object.values(portfolio.assetByProtocols).flatMap((protocol) => {
    const onChain = protocol.chains[chain]
    if (!onChain) return []
    const groups = Object.values(onChain.protocolPositions).flatMap((group) => [
      ...group.assets.map((asset) => assetRow(asset, 4)),
      ...group.protocolPositions.flatMap(positionRows),
    ])
    return [heading(`  ${protocol.name}`, onChain.value), ...groups]
  })
  return ['line', heading(title, summary?.value ?? '0'), ...protocols]
}

function positionRows(position: NestedPosition): Row[] {
  const health = position.healthRate === undefined ? '' : `  health ${cut(position.healthRate, 3)}`
  const locked = position.unlockAt === '0' ? '' : `  until ${day(position.unlockAt)}`
  return [
    heading(`    ${position.name}${health}${locked}`, position.value),
    ...[...position.assets, ...position.supplyAssets, ...position.dexAssets].map((asset) => assetRow(asset, 6)),
    ...position.borrowAssets.map((asset) => assetRow(asset, 6, 'debt')),
    ...position.rewardAssets.map((asset) => assetRow(asset, 6, 'to collect')),
  ]
}

function notes(portfolio: Portfolio): string[] {
  return portfolio.incomplete.map(
    ({ chain, protocol, reason }) => `Incomplete: ${[chain, protocol].filter(Boolean).join(' ')} is ${reason}`,
  )
}
