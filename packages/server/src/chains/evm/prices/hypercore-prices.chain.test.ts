import { createDevChain, deployHyperCore, startAnvil } from '@coffer/devnet'
import { expect, it } from 'vitest'
import { localChain } from '../../../../test/local-node.ts'
import { seededRandom } from '../../../../test/random.ts'
import { started } from '../../../../test/started.ts'
import { decimal } from '../../../domain/decimal.ts'
import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { Token } from '../../../domain/token.ts'
import type { PriceWay, Witness } from '../../../prices/price-way.ts'
import { createRpcPool } from '../../rpc/rpc-pool.ts'
import { createEvmReader } from '../reader/create-evm-reader.ts'
import { type CoinPerp, createHyperCorePrices } from './hypercore-prices.ts'

const wrapped: EvmAddress = '0x5555555555555555555555555555555555555555'
const usdc: EvmAddress = '0xb88339cb7199b77e23db6e890353e22632ba630f'
const chain = { ...localChain, wrappedNative: wrapped }
const hype: CoinPerp = { chain: 'ethereum', perp: 0, coin: 'HYPE' }
const anchors = { expects: () => false, price: async () => undefined }
const token = (address: EvmAddress): Token => ({
  ...{ chain: 'ethereum', address, symbol: '', name: '', decimals: 18, listed: true },
})

const anvil = await started(startAnvil({ chainId: 1 }))
const dev = createDevChain(anvil)
await dev.impersonate()
const set = await deployHyperCore(dev)
await set('addDex')
await set('addPerp', 0, 'HYPE', 2, 10, 400_000n)

function open(perps: readonly CoinPerp[] = [hype], witness?: Witness) {
  const reader = createEvmReader({ pool: createRpcPool({ chain: 'ethereum', urls: [anvil.url] }), chain })
  return createHyperCorePrices(perps).open({ chain, reader, anchors, ...(witness && { witness }) })
}

it('prices the coin and its wrapped form by the oracle, not by the mark', async () => {
  const random = seededRandom('hypercore prices')
  for (let round = 0; round < 3; round += 1) {
    const price = random.amount(1n, 10n ** 7n)
    await set('setOracle', 0, price)
    const query = open()
    const quotes = await query.quote([token(NATIVE), token(wrapped), token(usdc)])
    // Sizes take two of the six digits.
    const usd = decimal(price).div(10_000)
    expect([...quotes.keys()]).toEqual([NATIVE, wrapped])
    expect(quotes.get(NATIVE)).toMatchObject({ price: { source: 'hypercore', confidence: 1, token: NATIVE } })
    for (const quote of quotes.values()) expect('price' in quote && quote.price.usd.eq(usd)).toBe(true)
  }
})

it('says that an oracle without a time is what it rests on', async () => {
  await set('setOracle', 0, 123_456n)
  const ways: PriceWay[] = []
  await open([hype], (way) => ways.push(way)).quote([token(NATIVE)])
  expect(ways).toMatchObject([{ token: NATIVE, source: 'hypercore', confidence: 1, path: [{ kind: 'oracle' }] }])
  expect(ways[0]?.usd.toFixed()).toBe('12.3456')
  expect(ways[0]?.path[0]).not.toHaveProperty('updatedAt')
})

it('knows the coin of its chain alone', async () => {
  const query = open()
  expect([NATIVE, wrapped, usdc].map((address) => query.expects(address))).toEqual([true, true, false])
  const elsewhere = open([{ ...hype, chain: 'base' }])
  expect(elsewhere.expects(NATIVE)).toBe(false)
  expect(await elsewhere.quote([token(NATIVE)])).toEqual(new Map())
})

it('fails where the perpetual is about something else, has no price, or is refused', async () => {
  await expect(open([{ ...hype, coin: 'PURR' }]).quote([token(NATIVE)])).rejects.toThrow('not about PURR')
  await set('setOracle', 0, 0n)
  await expect(open().quote([token(NATIVE)])).rejects.toThrow('reports no price of HYPE')
  await expect(open([{ ...hype, perp: 7 }]).quote([token(NATIVE)])).rejects.toThrow('refused')
})
