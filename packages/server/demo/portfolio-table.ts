import type { NestedPosition, Portfolio, PortfolioAsset } from '@coffer/contract'

type Row = { name: string; balance: string; price: string; value: string } | 'line'

const NO_PRICE = 'no price'

/** A portfolio as a table for people: chains, protocols and positions as headings, one line an asset, debts negative. */
export function portfolioTable(portfolio: Portfolio): string {
  const rows = chainKeys(portfolio).flatMap((chain) => chainRows(portfolio, chain))
  const width = (pick: (row: Exclude<Row, 'line'>) => string) =>
    Math.max(...rows.map((row) => (row === 'line' ? 0 : [...pick(row)].length)))
  const widths = {
    name: width((row) => row.name),
    balance: width((row) => row.balance),
    price: width((row) => row.price),
    value: width((row) => row.value),
  }
  const total = widths.name + widths.balance + widths.price + widths.value + 6
  const lines = [...rows, 'line' as const].map((row) =>
    row === 'line'
      ? '─'.repeat(total)
      : [
          row.name.padEnd(widths.name),
          row.balance.padStart(widths.balance),
          row.price.padStart(widths.price),
          row.value.padStart(widths.value),
        ]
          .join('  ')
          .trimEnd(),
  )
  return [
    `Wallet ${portfolio.address}`,
    ...lines,
    `${'Net worth'.padEnd(total - 20)}${usd(portfolio.networth).padStart(20)}`,
    ...notes(portfolio),
  ].join('\n')
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
  return [
    heading(`    ${position.name}${health}`, position.value),
    ...[...position.assets, ...position.supplyAssets, ...position.dexAssets].map((asset) => assetRow(asset, 6)),
    ...position.borrowAssets.map((asset) => assetRow(asset, 6, 'debt')),
    ...position.rewardAssets.map((asset) => assetRow(asset, 6, 'to collect')),
  ]
}

const heading = (name: string, value: string): Row => ({ name, balance: '', price: '', value: usd(value) })

function assetRow(asset: PortfolioAsset, indent: number, note = ''): Row {
  const priced = asset.priceSource !== null
  const sign = asset.side === 'borrow' && asset.value !== '0' ? '-' : ''
  return {
    name: `${' '.repeat(indent)}${asset.symbol}${note && ` (${note})`}`,
    balance: grouped(cut(asset.balance, 6)),
    price: priced ? `$${grouped(cut(asset.price, 4))}` : NO_PRICE,
    value: priced ? `${sign}${usd(asset.value)}` : '',
  }
}

function notes(portfolio: Portfolio): string[] {
  return portfolio.incomplete.map(
    ({ chain, protocol, reason }) => `Incomplete: ${[chain, protocol].filter(Boolean).join(' ')} is ${reason}`,
  )
}

/** Dollars and cents, rounded towards zero: for looking at, not for adding up. */
function usd(value: string): string {
  const [, sign, digits] = /^(-?)(.*)$/.exec(value) ?? []
  const [whole, fraction = ''] = (digits ?? '0').split('.')
  return `${sign}$${grouped(whole ?? '0')}.${fraction.slice(0, 2).padEnd(2, '0')}`
}

/** At most so many decimals; a small amount keeps its first significant digits. */
function cut(value: string, decimals: number): string {
  const [whole, fraction] = value.split('.')
  if (fraction === undefined) return value
  const firstDigit = fraction.search(/[1-9]/)
  const kept = fraction.slice(0, whole === '0' ? Math.max(decimals, firstDigit + 3) : decimals).replace(/0+$/, '')
  return kept === '' ? (whole ?? '0') : `${whole}.${kept}`
}

/** Thousands apart. */
function grouped(value: string): string {
  const [whole = '0', fraction] = value.split('.')
  const spaced = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',')
  return fraction === undefined ? spaced : `${spaced}.${fraction}`
}
