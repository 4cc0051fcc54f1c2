import { expect, test } from 'vitest'
import type { PoolFigures } from '../../domain/accounting/pnl.ts'
import { keyedPosition } from '../../domain/accounting/state.ts'
import { decimal, formatDecimal, ZERO } from '../../domain/decimal.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'
import { type ValuedPosition, valueAsset, valuePosition } from '../../domain/valuation.ts'
import type { ReadGap } from '../../domain/wallet-read.ts'
import { walletPnl } from './wallet-figures.ts'

const wallet = '0x00000000000000000000000000000000000000ff'
const share = '0x00000000000000000000000000000000000000a1'
const manager = '0x00000000000000000000000000000000000000a2'
const farm = '0x00000000000000000000000000000000000000a3'
const otherFarm = '0x00000000000000000000000000000000000000a4'
const coin = '0x00000000000000000000000000000000000000b1'
const FARM = 'some_farm'

const pool = (token: EvmAddress, quantity: string, basis: string, rest: Partial<PoolFigures> = {}): PoolFigures => ({
  ...{ wallet, chain: 'ethereum', token, tokenId: null, debt: false, position: null, protocol: null, flagged: false },
  ...{ quantity: decimal(quantity), basis: decimal(basis) },
  ...rest,
})

const supplied = (address: EvmAddress, balance: string) =>
  valueAsset({ address, symbol: 'S', name: 'Share', decimals: 18 }, decimal(balance), {
    usd: decimal('3'),
    source: 'receipt',
  })

const pnlOf = (pools: PoolFigures[], positions: ValuedPosition[] = [], gaps: ReadGap[] = []) =>
  walletPnl({ pools, unknownDisposals: [], missing: [], chainGaps: [], gaps: [] }, [
    { read: { chain: 'ethereum', readAt: 0, gaps }, held: [], direct: [], positions, value: ZERO },
  ])

function costOf(pools: PoolFigures[], position: ValuedPosition): string {
  const { totalCostBasis, lacks } = pnlOf(pools).ofPosition('ethereum', position)
  return totalCostBasis === null ? `${lacks}` : formatDecimal(totalCostBasis)
}

const farmed = (balance: string) =>
  valuePosition(
    { protocol: FARM, kind: 'farming', label: '', pool: farm, receipts: [] },
    [supplied(share, balance)],
    [],
  )
const held = valuePosition({ protocol: 'pairs', kind: 'liquidity', label: '', receipts: [share] }, [], [])
const nft = (tokenId: bigint) =>
  valuePosition({ protocol: FARM, kind: 'farming', label: '', tokenId, receipts: [manager] }, [], [])

test('what lies in a farm and what is held of the same token have a cost each', () => {
  const pools = [pool(share, '2', '10'), pool(share, '5', '40', { position: keyedPosition(farm, 0n) })]
  expect(costOf(pools, farmed('5'))).toBe('40')
  expect(costOf(pools, held)).toBe('10')
})

test('a stake that is shown as the coins of the share keeps what the share cost, however many coins are held', () => {
  const weth = '0x00000000000000000000000000000000000000b2'
  const staked = pool(share, '5', '40', { position: keyedPosition(farm, 0n) })
  const coins = [pool(coin, '9', '9'), pool(weth, '1', '3')]
  const opened = valuePosition(
    { protocol: FARM, kind: 'farming', label: '', pool: farm, receipts: [] },
    [supplied(coin, '20'), supplied(weth, '10')],
    [],
  )
  const { ofPosition, ofAsset } = pnlOf([staked, ...coins])
  const { totalCostBasis, openPnl, lacks } = ofPosition('ethereum', opened)
  // 20 + 10 coins at 3 dollars, less 40.
  expect([totalCostBasis?.toFixed(), openPnl?.toFixed(), lacks]).toEqual(['40', '50', undefined])
  expect(ofAsset('ethereum', supplied(coin, '9')).totalCostBasis?.toFixed()).toBe('9')
})

test('two farms of one token have a cost each; one that the history does not know has none', () => {
  const inOther = pool(share, '7', '90', { position: keyedPosition(otherFarm, 0n) })
  const inThis = pool(share, '5', '40', { position: keyedPosition(farm, 0n) })
  expect(costOf([inThis, inOther], farmed('5'))).toBe('40')
  expect(costOf([inOther], farmed('5'))).toBe('balance-differs')
})

test('positions under one name share what lies there: by the token that it is of, or by worth', () => {
  const at = { position: keyedPosition(farm, 0n) }
  const position: ValuedPosition['position'] = { protocol: FARM, kind: 'locked', label: '', pool: farm, receipts: [] }
  const [staked, waiting] = [farmed('6'), valuePosition(position, [supplied(share, '3')], [])]
  const [other, rewards] = [valuePosition(position, [supplied(coin, '7')], []), valuePosition(position, [], [])]
  const costsOf = (pools: PoolFigures[], positions: ValuedPosition[]) => {
    const { ofPosition, total } = pnlOf(pools, positions)
    const costs = positions.map((one) => ofPosition('ethereum', one).totalCostBasis?.toFixed())
    return [...costs, total.totalCostBasis?.toFixed()]
  }
  const cost = pool(share, '9', '90', at)
  expect(costsOf([cost], [staked, waiting, rewards])).toEqual(['60', '30', '0', '90'])
  expect(costsOf([cost, pool(coin, '7', '14', at)], [staked, other])).toEqual(['90', '14', '104'])
  // In the form of the share's underlying: 18 and 9 dollars.
  expect(costsOf([pool(manager, '9', '30', at)], [staked, waiting])).toEqual(['20', '10', '30'])
})

test('shares in the wallet and what waits at their contract have a cost each', () => {
  const waiting: ValuedPosition['position'] = { protocol: FARM, kind: 'locked', label: '', pool: share, receipts: [] }
  const stake: ValuedPosition['position'] = { ...waiting, kind: 'staked', receipts: [share] }
  const held = [
    valuePosition(stake, [supplied(coin, '8')], []),
    ...['1', '3'].map((balance) => valuePosition(waiting, [supplied(coin, balance)], [])),
  ]
  const pools = [pool(share, '5', '40'), pool(coin, '4', '20', { position: keyedPosition(share, 0n) })]
  const costsOf = (positions: ValuedPosition[]) => {
    const { ofPosition } = pnlOf(pools, positions)
    return positions.map((one) => ofPosition('ethereum', one).totalCostBasis?.toFixed())
  }
  expect(costsOf(held)).toEqual(['40', '5', '15'])
  // The remainder of a slashing under the name is no longer pending.
  expect(costsOf(held.slice(0, 1))).toEqual(['60'])
})

test('an NFT has its own cost, in the wallet and where it is staked', () => {
  const pools = [
    pool(manager, '1', '7', { tokenId: 1n }),
    pool(manager, '1', '9', { tokenId: 2n, position: 'whatever it was called' }),
  ]
  expect([costOf(pools, nft(1n)), costOf(pools, nft(2n)), costOf(pools, nft(3n))]).toEqual([
    '7',
    '9',
    'balance-differs',
  ])
})

test('a recorded debt whose position is gone is named: a liquidation without a log may have taken it', () => {
  const at = (contract: EvmAddress, id: bigint) => ({ position: keyedPosition(contract, id) })
  const owed = (contract: EvmAddress, id: bigint, rest: Partial<PoolFigures> = {}) =>
    pool(coin, '5', '5', { debt: true, protocol: FARM, ...at(contract, id), ...rest })
  const kept = pool(share, '9', '90', at(farm, 1n))
  const shown = valuePosition(
    { protocol: FARM, kind: 'lending', label: '', pool: farm, tokenId: 1n, receipts: [] },
    [supplied(share, '4')],
    [],
  )
  const leftOut = (...of: Parameters<typeof pnlOf>) => pnlOf(...of).leftOut()
  const differs = (contract: EvmAddress) => ({ reason: 'balance-differs', chain: 'ethereum', contract })

  expect(leftOut([kept, owed(farm, 1n)], [])).toEqual([differs(farm)])
  expect(leftOut([owed(farm, 1n), owed(otherFarm, 0n)], [shown])).toEqual([differs(otherFarm)])
  // The worth of the remaining position shows the loss: the whole cost, less the amount received for the debt.
  expect(leftOut([kept, owed(farm, 1n)], [shown])).toEqual([])
  expect(costOf([kept, owed(farm, 1n)], shown)).toBe('85')
  // Its protocol already reports that it was not read.
  expect(leftOut([owed(farm, 1n)], [], [{ protocol: FARM, reason: 'unreadable' }])).toEqual([])
  expect(leftOut([owed(farm, 1n)], [], [{ reason: 'searching' }])).toEqual([differs(farm)])
  // A chain that is not shown, a repaid debt, collateral without debt, a debt without a log.
  const others = [owed(farm, 1n, { chain: 'base' }), owed(farm, 1n, { quantity: decimal('0') }), kept]
  expect(leftOut([...others, owed(farm, 1n, { position: FARM })], [])).toEqual([])
})
