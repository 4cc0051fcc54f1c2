import {
  type Portfolio,
  type PortfolioAsset,
  type PortfolioProtocol,
  type PositionGroup,
  portfolio as portfolioSchema,
} from '@coffer/contract'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { scaled } from '../../../test/journeys/portfolio-lines.ts'
import { seededRandom } from '../../../test/random.ts'
import { decimal } from '../../domain/decimal.ts'
import {
  CEX,
  cashOf,
  type HoldingAccount,
  symbolToken,
  type VirtualHolding,
  type VirtualRead,
  valueVirtualRead,
} from '../../domain/virtual-read.ts'
import { NO_COIN_RATES } from '../portfolio/conversion-rates.ts'
import { type PortfolioState, type Presentation, presentPortfolio } from '../portfolio/present-portfolio.ts'
import { mergeStates } from './virtual-portfolios.ts'

const { seed } = seededRandom('aggregates')

const chainOf = (key: string) => ({ key, name: key.toUpperCase(), chainId: '', explorer: null })
const presentation: Presentation = {
  chain: chainOf,
  protocol: (key) => ({ name: key }),
  explorerUrls: true,
  flatAssets: true,
  coins: NO_COIN_RATES,
}

/** Up to 30 digits before the point and 18 after it. */
const amount = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.stringMatching(/^\d{0,17}[1-9]$/))
  .map(([whole, fraction]) => decimal(`${whole}.${fraction}`))
const price = fc.option(fc.record({ usd: amount, source: fc.constantFrom('chainlink', 'binance', 'fixed') }), {
  nil: null,
  freq: 5,
})

const addresses = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}` as const)

const onChainHolding = fc.record({
  account: fc.constant<HoldingAccount>('wallet'),
  token: fc.constantFrom(...addresses.map((address) => ({ address, symbol: 'TOK', name: 'Token', decimals: 18 }))),
  owned: amount,
  borrowed: fc.constant(decimal('0')),
  price,
})
const symbolHolding = (...accounts: HoldingAccount[]) =>
  fc.record({
    account: fc.constantFrom(...accounts),
    token: fc.constantFrom(...['BTC', 'USD', 'EUR', 'ETH'].map(symbolToken)),
    owned: amount,
    borrowed: accounts.includes('margin') ? fc.oneof(fc.constant(decimal('0')), amount) : fc.constant(decimal('0')),
    price,
  })
const keyOf = ({ account, token }: VirtualHolding) => `${account} ${token.address || token.symbol}`
const several = (holding: fc.Arbitrary<VirtualHolding>) =>
  fc.uniqueArray(holding, { minLength: 1, maxLength: 6, selector: keyOf })

const readAt = fc.integer({ min: 1_790_000_000_000, max: 1_799_999_999_999 })
const onChain = fc
  .record({ chain: fc.constantFrom('base', 'ethereum'), holdings: several(onChainHolding), readAt, time: fc.nat() })
  .map(
    ({ time, ...read }): VirtualRead => ({ ...read, block: BigInt(time), blockTime: 1_790_000_000 + time, gaps: [] }),
  )
const symbols = fc
  .record({ holdings: several(symbolHolding('wallet')), readAt })
  .map((read): VirtualRead => ({ ...read, chain: CEX, gaps: [] }))
const exchange = fc
  .record({
    protocol: fc.constantFrom('binance', 'kraken'),
    holdings: several(symbolHolding('spot', 'funding', 'earn', 'margin')),
    readAt,
  })
  .map((read): VirtualRead => ({ ...read, chain: CEX, gaps: [{ protocol: read.protocol, reason: 'stale' }] }))

const readsOfOne = fc.oneof(
  fc
    .tuple(fc.uniqueArray(onChain, { maxLength: 2, selector: ({ chain }) => chain }), fc.option(symbols))
    .map(([chains, plain]) => (plain ? [...chains, plain] : chains)),
  exchange.map((read) => [read]),
)
const users = fc.array(
  readsOfOne.filter((reads) => reads.length > 0),
  { minLength: 1, maxLength: 6 },
)

const stateOf = (reads: readonly VirtualRead[], index: number): PortfolioState => ({
  address: `virtual:${index}`,
  reads: reads.map(valueVirtualRead),
  incomplete: [],
  cashBalance: cashOf(reads),
})

type Figure = [name: string, value: string]

function ofAssets(place: string, assets: readonly PortfolioAsset[]): Figure[] {
  return assets.flatMap(({ contract, symbol, side, chainKey, balance, value }): Figure[] => {
    const name = `${place} ${chainKey} ${contract || symbol} ${side}`
    return [
      [`balance ${name}`, balance],
      [`value ${name}`, value],
    ]
  })
}

function ofGroup(place: string, { totalValue, assets, protocolPositions }: PositionGroup): Figure[] {
  return [
    [place, totalValue],
    ...ofAssets(place, assets),
    ...protocolPositions.flatMap(({ name, value, assets, supplyAssets, borrowAssets }): Figure[] => [
      [`${place} ${name}`, value],
      ...ofAssets(`${place} in`, [...assets, ...supplyAssets, ...borrowAssets]),
    ]),
  ]
}

function ofProtocol({ key, value, assets, chains }: PortfolioProtocol): Figure[] {
  return [
    [`protocol ${key}`, value],
    ...ofAssets(`protocol ${key}`, assets),
    ...Object.values(chains).flatMap((chain): Figure[] => [
      [`protocol ${key} on ${chain.key}`, chain.value],
      ...Object.entries(chain.protocolPositions).flatMap(([type, group]) => ofGroup(`${key} ${type}`, group)),
    ]),
  ]
}

/** Sums of each level of an answer, by name, in exact integers. */
function figures({ networth, cashBalance, chains, assetByProtocols }: Portfolio): Map<string, bigint> {
  const all: Figure[] = [
    ['networth', networth],
    ['cash', cashBalance],
    ...Object.values(chains).map(({ key, value }): Figure => [`chain ${key}`, value]),
    ...Object.values(assetByProtocols).flatMap(ofProtocol),
  ]
  return sumOf(all.map(([name, value]) => new Map([[name, scaled(value)]])))
}

function sumOf(parts: readonly Map<string, bigint>[]): Map<string, bigint> {
  const totals = new Map<string, bigint>()
  for (const [name, value] of parts.flatMap((part) => [...part])) totals.set(name, (totals.get(name) ?? 0n) + value)
  return new Map([...totals].filter(([, total]) => total !== 0n).sort())
}

test('an aggregate is the exact sum of its parts at every level, whatever the order of the parts', () => {
  fc.assert(
    fc.property(users, (reads) => {
      const states = reads.map(stateOf)
      const parts = states.map((state) => presentPortfolio(state, presentation))
      const whole = presentPortfolio(mergeStates(states), presentation)
      expect(portfolioSchema.parse(whole)).toEqual(whole)
      expect(figures(whole)).toEqual(sumOf(parts.map(figures)))
      expect(whole.address).toBe(states.map(({ address }) => address).join(','))
      expect(whole.lastUpdated).toBe(String(Math.min(...parts.map((part) => Number(part.lastUpdated)))))
      expect(presentPortfolio(mergeStates(states.toReversed()), presentation)).toEqual(whole)
      for (const { assets } of Object.values(whole.assetByProtocols)) {
        const keys = assets.map(({ chainContract, side }) => `${chainContract} ${side}`)
        expect(new Set(keys).size, 'each token once a side').toBe(keys.length)
      }
    }),
    { seed, numRuns: 300 },
  )
})

test('a net worth is what is owned less what is owed, however it is spread', () => {
  fc.assert(
    fc.property(users, (reads) => {
      const worth = reads
        .flat()
        .flatMap(({ holdings }) => holdings)
        .map(({ owned, borrowed, price }) => (price ? owned.minus(borrowed).times(price.usd) : decimal('0')))
        .reduce((total, value) => total.plus(value), decimal('0'))
      const whole = presentPortfolio(mergeStates(reads.map(stateOf)), presentation)
      expect(scaled(whole.networth)).toBe(scaled(worth.toFixed()))
    }),
    { seed, numRuns: 300 },
  )
})
