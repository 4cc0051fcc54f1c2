import {
  compareDecimals,
  endpoints,
  type IncompleteItem,
  type NestedPosition,
  type Portfolio,
  type PortfolioAsset,
  type PortfolioProtocol,
  type PositionGroup,
  type WalletView,
} from '@coffer/contract'
import { type Call, defineCommand } from '../command.ts'
import { type Column, figureColumn, textColumn } from '../output/column.ts'
import { money, price, quantity, UNKNOWN } from '../output/figures.ts'
import type { Output } from '../output/output.ts'
import { priceOf } from '../price.ts'
import { usageProblem } from '../problem.ts'
import { walletsOf } from '../wallets.ts'

/** `value` of a debt is negative: values add up to the net worth. */
type Holding = {
  wallet: string
  protocol: string
  type: string
  position: string
  role: 'held' | 'debt' | 'reward'
  value: string
  asset: Pick<
    PortfolioAsset,
    'chain' | 'symbol' | 'name' | 'balance' | 'price' | 'contract' | 'priceSource' | 'totalCostBasis' | 'openPnl'
  >
}
type Wallet = Portfolio | WalletView
type Place = Pick<Holding, 'wallet' | 'protocol' | 'type'>

const isPriced = ({ asset }: Holding) => asset.priceSource !== null
/** Tables name the role of debts and rewards alone. */
const placeOf = ({ type, position, role }: Holding) =>
  [type, position === type ? '' : position, role === 'held' ? '' : role].filter((part) => part !== '').join(' ')

const columns: readonly Column<Holding>[] = [
  textColumn('wallet', ({ wallet }) => wallet, { spare: 'csv' }),
  textColumn('chain', ({ asset }) => asset.chain, { spare: 1 }),
  textColumn('protocol', ({ protocol }) => protocol, { spare: 2 }),
  textColumn('type', ({ type }) => type, { brief: placeOf, spare: 3 }),
  textColumn('position', ({ position }) => position, { spare: 'csv' }),
  textColumn('role', ({ role }) => role, { spare: 'csv' }),
  textColumn('symbol', ({ asset }) => asset.symbol),
  textColumn('name', ({ asset }) => asset.name, { spare: 'csv' }),
  figureColumn('balance', ({ asset }) => asset.balance, quantity),
  figureColumn('price USD', (one) => (isPriced(one) ? one.asset.price : UNKNOWN), price, { spare: 4 }),
  figureColumn('value USD', (one) => (isPriced(one) ? one.value : UNKNOWN), money),
  figureColumn('cost USD', ({ asset }) => asset.totalCostBasis, money, { spare: 'csv' }),
  figureColumn('open PnL USD', ({ asset }) => asset.openPnl, money, { spare: 5 }),
  textColumn('contract', ({ asset }) => asset.contract, { spare: 'csv' }),
]

const isList = (entry: [string, unknown]): entry is [string, PortfolioAsset[]] =>
  /assets$/i.test(entry[0]) && Array.isArray(entry[1])

function roleOf(list: string): Holding['role'] {
  if (list === 'borrowAssets') return 'debt'
  return list === 'rewardAssets' ? 'reward' : 'held'
}

const negative = (value: string) => (value === '0' || value.startsWith('-') ? value : `-${value}`)

function holdingOf(place: Place, position: string, role: Holding['role'], asset: PortfolioAsset): Holding {
  return { ...place, position, role, asset, value: role === 'debt' ? negative(asset.value) : asset.value }
}

function holdingsOfPosition(place: Place, chain: string, position: NestedPosition): Holding[] {
  const lists = Object.entries(position).filter(isList)
  const holdings = lists.flatMap(([list, assets]) =>
    assets.map((asset) => holdingOf(place, position.name, roleOf(list), asset)),
  )
  if (holdings.length > 0) return holdings
  const { name, value, totalCostBasis, totalOpenPnl: openPnl } = position
  const asset = {
    chain,
    symbol: '',
    name,
    balance: '',
    price: '',
    contract: '',
    priceSource: '',
    totalCostBasis,
    openPnl,
  }
  return [{ ...place, position: name, role: 'held', value, asset }]
}

const holdingsOfGroup = (
  place: Place,
  chain: string,
  { name, assets, protocolPositions }: PositionGroup,
): Holding[] => [
  ...assets.map((asset) => holdingOf(place, name, 'held', asset)),
  ...protocolPositions.flatMap((position) => holdingsOfPosition(place, chain, position)),
]

function holdingsOf({ address, assetByProtocols }: Wallet): Holding[] {
  const protocols: Record<
    string,
    Pick<PortfolioProtocol, 'name' | 'chains'>
  > = assetByProtocols as Portfolio['assetByProtocols']
  const holdings = Object.values(protocols).flatMap(({ name, chains }) =>
    Object.entries(chains).flatMap(([chain, { protocolPositions }]) =>
      Object.entries(protocolPositions).flatMap(([type, group]) =>
        holdingsOfGroup({ wallet: address, protocol: name, type }, chain, group),
      ),
    ),
  )
  return holdings.sort((a, b) => compareDecimals(b.value, a.value))
}

const REASONS: Readonly<Record<IncompleteItem['reason'], string>> = {
  unreadable: 'could not be read and is not included; try again, then tell the operator',
  stale: 'is stale: the last good read is shown; try again',
  'not-allowed': 'is not included: no node of the service supports it',
  'time-limit': 'is not included: the read timed out; try again with --fresh',
  searching: 'may lack unlisted tokens: their search is still running; try again in a minute',
  'unpriced-debt': 'has a debt without a price, so totals are too high',
  'not-linked': 'is not included: it is not linked to an exchange',
  'no-state': 'is not included: no node of the service has the state of that block; the operator adds an archive node',
}

/** Reports missing parts before the figures that they qualify. */
export async function sayIncomplete(output: Output, items: readonly IncompleteItem[], wallet = ''): Promise<void> {
  for (const { chain, protocol, reason } of items) {
    const subject = [wallet, chain, protocol].filter(Boolean).join(' ')
    await output.missing(`Incomplete: ${subject} ${REASONS[reason] ?? reason}.`)
  }
}

async function sayGaps(output: Output, { address, pnlIncomplete }: Wallet, rows: readonly Holding[]) {
  const unpriced = rows.filter((row) => !isPriced(row)).length
  if (unpriced > 0) await output.note(`${address}: ${unpriced} without a price, not included in totals.`)
  const reasons = [...new Set(pnlIncomplete.map(({ reason }) => reason))]
  if (reasons.includes('no-history'))
    await output.note(`${address}: cost and PnL need its transactions. Run "coffer sync ${address}".`)
  else if (reasons.length > 0)
    await output.note(`${address}: cost and PnL exclude parts with these reasons: ${reasons.join(', ')}.`)
}

const asOfText = ({ asOf }: Pick<Wallet, 'asOf'>) => {
  const [oldest] = Object.values(asOf)
    .map(({ timestamp }) => timestamp)
    .sort()
  return oldest === undefined ? 'no chain was read' : `as of ${oldest}`
}

const titleOf = (wallet: Wallet) =>
  `${wallet.address}  net worth ${money(wallet.networth)} USD  open PnL ${money(wallet.openPnl)}  closed PnL ${money(wallet.closedPnl)}  ${asOfText(wallet)}`

async function show({ output, service }: Call, wallets: readonly Wallet[]): Promise<void> {
  const groups = wallets.map((wallet) => ({ title: titleOf(wallet), rows: holdingsOf(wallet) }))
  const rows = groups.flatMap((group) => group.rows)
  for (const { address, incomplete } of wallets) await sayIncomplete(output, incomplete, address)
  await output.print({ json: service().lastJson(), columns, rows, groups, empty: 'No holdings.' })
  for (const [index, wallet] of wallets.entries()) await sayGaps(output, wallet, groups[index]?.rows ?? [])
}

export const portfolioCommand = defineCommand({
  name: 'portfolio',
  about: `Shows the holdings of wallets, direct and in protocols. ${priceOf(endpoints.getPortfolio)}.`,
  operands: 'ADDRESS…',
  printsRows: true,
  options: {
    direct: { type: 'boolean', about: 'Shows direct holdings only, with receipt tokens as tokens.' },
    fresh: { type: 'boolean', about: 'Waits for a new read if the last one is older than a minute.' },
    date: {
      type: 'string',
      value: 'TIME',
      about: 'Shows a past time with a zone, e.g. 2026-03-01T12:00:00Z; 1 credit per address.',
    },
    chain: { type: 'string', value: 'CHAIN', about: 'With --block: the only chain shown.' },
    block: { type: 'string', value: 'NUMBER', about: 'Shows a past block of --chain; 1 credit per address.' },
  },
  examples: [
    '0x…',
    '0x… 0x… --csv > holdings.csv',
    '@savings --fresh --strict',
    '0x… --chain ethereum --block 23000000',
  ],
  async run(call) {
    const { client } = call.service()
    const { date, chain, block, direct, fresh } = call.values
    if (date !== undefined || chain !== undefined || block !== undefined) {
      if (direct || fresh) throw usageProblem('--direct and --fresh show the present. Leave them out for the past.')
      const query = {
        addresses: await walletsOf(call),
        date,
        chain,
        block: block === undefined ? block : Number(block),
      }
      return show(call, await client.getPortfolioAtBlock({ query }, { signal: call.host.signal }))
    }
    const query = { addresses: await walletsOf(call), waitForSync: call.values.fresh ?? false }
    const options = { signal: call.host.signal }
    await show(
      call,
      call.values.direct ? await client.getWallet({ query }, options) : await client.getPortfolio({ query }, options),
    )
  },
})
