import { parseEther, zeroAddress } from 'viem'
import { beforeEach, expect, it } from 'vitest'
import { deployOwn } from '../../../../../test/contract-of.ts'
import { protocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { type EvmAddress, evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import { createPriceGraph } from '../../../../prices/price-graph.ts'
import { createOverridePrices } from '../../../../prices/sources/override-prices.ts'
import { findChain } from '../../../chain-catalog.ts'
import { chains } from '../../../chain-types.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'
import { ownersOf, receiptDirectory } from '../../collect/receipt-directory.ts'

const from = seededRandom('rate prices owner').address()
const MARKET_USD = '2400'

const rows: ProtocolRow[] = []
const bench = await protocolBench(rows)
const rated = await deployOwn(bench.chain, 'RatedToken', ['RATED', 18, 18, zeroAddress])
const token = evmAddress(rated.address)
beforeEach(() => listed(false))

async function listed(market: boolean): Promise<void> {
  const tokens = [{ token, label: 'RATED', view: 'getRate', market }]
  rows.splice(0, rows.length, {
    ...{ family: 'rate_tokens', key: 'rated', name: 'Rated', chain: 'ethereum', deployment: { tokens } },
  })
  await bench.discover()
}

const set = (figure: bigint, refuses = false) => rated.write(from, 'set', figure, refuses)

/** With the coin at 3,000 and a market that trades the receipts. */
async function priced() {
  const chain = findChain('ethereum', chains)
  if (!chain) throw new Error('the catalog has no chain ethereum')
  const facts = (address: string) => ({
    ...{ chain: 'ethereum', address: evmAddress(address), symbol: '', name: '', decimals: 18, listed: true },
  })
  const usd = (of: EvmAddress, figure: string) =>
    createOverridePrices([{ chain: 'ethereum', token: of, usd: figure }], evmAddress)
  const sources = [usd(NATIVE, '3000'), 'receipt', usd(token, MARKET_USD)] as const
  const reader = bench.openReader()
  const tokens = { find: facts } as unknown as Parameters<typeof receiptDirectory>[0]['tokens']
  const directory = receiptDirectory({ owners: ownersOf(await bench.discover()), tokens }, reader)
  const session = createPriceGraph({ sources, log: { warn: () => undefined } }).open({ chain, reader }, directory)
  const prices = await session.price([{ token: facts(token), amountRaw: parseEther('1') }])
  return {
    usd: prices.get(token)?.usd.toFixed(),
    source: prices.get(token)?.source,
    unsettled: [...session.unsettled()],
  }
}

it('is worth its rate of the coin', async () => {
  await set(parseEther('1.0625'))
  expect(await priced()).toEqual({ usd: '3187.5', source: 'receipt', unsettled: [] })
})

it.each([
  ['zero', 0n, false],
  ['2^255', 2n ** 255n, false],
  ['refused', parseEther('1'), true],
])('is worth what another source says where its rate is %s', async (_, figure, refuses) => {
  await set(figure, refuses)
  expect(await priced()).toEqual({ usd: MARKET_USD, source: 'override', unsettled: [] })
})

it('keeps the price of its own market where the row says that it has one', async () => {
  await set(parseEther('1.0625'))
  await listed(true)
  expect(await priced()).toEqual({ usd: MARKET_USD, source: 'override', unsettled: [] })
})
