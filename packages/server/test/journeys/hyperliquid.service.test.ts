import { createDevChain, deployHyperCore, startAnvil } from '@coffer/devnet'
import { zeroAddress } from 'viem'
import { beforeEach, expect, it } from 'vitest'
import { evmAddress } from '../../src/domain/evm-address.ts'
import { startService, testClock } from '../harness.ts'
import { readPortfolio } from '../portfolio-reads.ts'
import { seededRandom } from '../random.ts'
import { startReadProxy } from '../read-proxy.ts'
import { started } from '../started.ts'
import { gapsOf, shownLines } from './portfolio-lines.ts'

const HYPEREVM = 999
/** From the shipped deployment. */
const usdc = '0xb88339cb7199b77e23db6e890353e22632ba630f'
const vault = '0xdfc24b077bc1425ad1dea75bcb6f8158e10df303'
const USDC = 0n
const BTC_PERP = 0
/** Longer than an answer is fresh. */
const NOT_FRESH_MS = 61_000

const random = seededRandom('hyperliquid trips')
const clock = testClock()

const anvil = await started(startAnvil({ chainId: HYPEREVM }))
const chain = createDevChain(anvil)
await chain.impersonate()
const set = await deployHyperCore(chain)
await set('addToken', 'USDC', zeroAddress, 8, 0)
await set('addDex')
await set('addPerp', 0, 'BTC', 5, 40, 600_000n)
await set('addVault', vault)
const proxy = await started(startReadProxy(anvil.url))
const service = await started(startService({ endpoints: { hyperevm: [proxy.url] }, config: {}, clock }))
// The first read lists the contracts of deployments.
await readPortfolio(service, random.address())

beforeEach(() => proxy.countAnew())

it('reads a wallet of HyperCore in two trips, and then in one, whatever its amounts are by now', async () => {
  const wallet = random.address()
  await set('join', wallet, false)
  await set('setSpot', wallet, USDC, 500_000_000n, 0n)
  await set('setCash', wallet, 0, 900_000_000n)
  await set('open', wallet, BTC_PERP, 100n, 5, false, 0n)
  await set('setShare', wallet, vault, 40_000_000n, 0n)
  let first = await readPortfolio(service, wallet)
  const tripsOfFirstRead = async () => {
    await service.context.database.db.deleteFrom('wallet_read').where('wallet', '=', evmAddress(wallet)).execute()
    clock.advance(NOT_FRESH_MS)
    proxy.countAnew()
    first = await readPortfolio(service, wallet)
    return proxy.trips()
  }
  // Background work of other reads adds round trips.
  await expect.poll(tripsOfFirstRead).toBe(2)
  const same = [`hyperliquid ${vault} supplied[${usdc}=40000000] borrowed[] rewards[] `, `wallet ${usdc}=5000000`]
  const margin = `hyperliquid  supplied[${usdc}=900000000] borrowed[] rewards[] `
  expect(gapsOf(first)).toEqual([])
  expect(shownLines(first, 'hyperevm')).toEqual([margin, ...same])

  // 0.001 BTC, 1,000 USD higher.
  await set('setMark', BTC_PERP, 610_000n)
  let next = first
  const tripsOfNextRead = async () => {
    clock.advance(NOT_FRESH_MS)
    proxy.countAnew()
    next = await readPortfolio(service, wallet)
    return [proxy.trips(), proxy.requests() <= 1]
  }
  await expect.poll(tripsOfNextRead).toEqual([1, true])
  const won = `hyperliquid  supplied[${usdc}=1000000] borrowed[] rewards[] `
  expect(gapsOf(next)).toEqual([])
  expect(shownLines(next, 'hyperevm')).toEqual([won, margin, ...same])
})
