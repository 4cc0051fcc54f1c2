import { endpoints } from '@coffer/contract'
import { startDevnet } from '@coffer/devnet'
import { describe, expect, inject, it, vi } from 'vitest'
import { openApiDocument } from '../../src/http/openapi.ts'
import { badInputs } from '../conformance/bad-input.ts'
import { createResponseCheck, type ServedDocument } from '../conformance/checked-response.ts'
import { HANGS_MS } from '../hangs.ts'
import { patientFetch, startService, type TestService, testClock } from '../harness.ts'
import { seededRandom } from '../random.ts'
import { startRpcProxy } from '../rpc-proxy.ts'
import { started } from '../started.ts'

const NOT_FRESH_MS = 61_000

const random = seededRandom('routes')
const clock = testClock()
const check = createResponseCheck(openApiDocument(endpoints) as ServedDocument)

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const proxy = await started(startRpcProxy(devnet.chains.base.url))
const wallet = devnet.wallets.demo.address.toLowerCase()
const service = await started(startService({ endpoints: { base: [proxy.url] }, config: {}, clock }))
await searched()

/** Reads until the background searches have ended: afterwards two answers do not differ. */
async function searched(): Promise<void> {
  const addresses = `${wallet},${devnet.wallets.empty.address}`
  const isWhole = async () => {
    const portfolios = await service.client.getPortfolio({ query: { addresses, waitForSync: true } })
    return portfolios.every(({ incomplete }) => incomplete.length === 0)
  }
  await vi.waitUntil(isWhole, { timeout: HANGS_MS, interval: 100 })
}

type Ledger = { lines: number; available: number }

async function ledger(): Promise<Ledger> {
  await service.get('/v1/credits')
  const { rows } = await service.context.database.pool.query(
    'select (select count(*) from credit_line)::int as lines, (select sum(available) from credit_account)::int as available',
  )
  return rows[0] as Ledger
}

type Route = 'getPortfolio' | 'getWallet' | 'getNav' | 'getStatus'
const ROUTES: Route[] = ['getPortfolio', 'getWallet', 'getNav', 'getStatus']

async function ask(route: Route, search: string) {
  const authorization = `Bearer ${service.ownerKey}`
  const response = await patientFetch(`${service.url}${endpoints[route].path}?${search}`, {
    headers: { authorization },
  })
  return check(endpoints[route], response)
}

/** Unused addresses, all different. */
const untrustedContracts = (count: number) => Array.from({ length: count }, () => random.address())

describe.each(ROUTES)('%s', (route) => {
  it('refuses bad input without a line in the ledger', async () => {
    const before = await ledger()
    const inputs = badInputs(endpoints[route], new URLSearchParams({ addresses: wallet }))
    expect(inputs.length).toBeGreaterThan(5)
    const solana = 'So11111111111111111111111111111111111111112'
    const others = [
      'addresses[]=0x1',
      'addresses[a]=b',
      '__proto__[x]=1',
      `addresses=${wallet},zzz`,
      `addresses=${wallet},${solana}`,
      `addresses=${solana}`,
      `addresses=T${'A'.repeat(33)}`,
      `addresses=0x${'1'.repeat(39)}`,
      `addresses=0x${'1'.repeat(41)}`,
      `addresses=${'x'.repeat(10_000)}`,
      'addresses=%00',
      'addresses=%E2%80%AE',
    ]
    for (const search of [...inputs.map((input) => input.search ?? ''), ...others]) {
      const { status, body } = await ask(route, search)
      expect([search.slice(0, 80), status]).toEqual([search.slice(0, 80), 400])
      expect(body).toEqual({ error: 'Bad Request', message: expect.any(String) })
    }
    expect(await ledger()).toEqual(before)
  })

  it('takes addresses as a list, repeated, in any case, spaced and twice', async () => {
    const other = devnet.wallets.empty.address
    const upper = `0x${wallet.slice(2).toUpperCase()}`
    const spellings = [
      `addresses=${wallet},${other}`,
      `addresses=${wallet}&addresses=${other}`,
      `addresses=${wallet},${upper}&addresses=${other},${wallet},`,
      `addresses=%20${upper}%20,,${other.toLowerCase()}`,
    ]
    const bodies: unknown[] = []
    for (const search of spellings) {
      const { status, body } = await ask(route, search)
      expect(status).toBe(200)
      bodies.push(body)
    }
    for (const body of bodies) expect(body).toEqual(bodies[0])
    if (Array.isArray(bodies[0])) {
      expect(bodies[0].map((item: { address: string }) => item.address)).toEqual([wallet, other.toLowerCase()])
    }
  })

  it('takes as many addresses as it says, duplicates not counted, and not one more', async () => {
    const most = route === 'getStatus' ? 100 : 10
    const addresses = untrustedContracts(most)
    const full = [...addresses, ...addresses.map((address) => address.toUpperCase().replace('0X', '0x'))]
    expect((await ask(route, `addresses=${full}`)).status).toBe(200)
    const { status, body } = await ask(route, `addresses=${[...addresses, random.address()]}`)
    expect({ status, body }).toEqual({ status: 400, body: { error: 'Bad Request', message: expect.any(String) } })
  })

  it('costs the same whatever the number of addresses', async () => {
    const addresses = [wallet, devnet.wallets.empty.address]
    await ask(route, `addresses=${addresses}`)
    const cost = route === 'getStatus' ? 0 : 1
    for (const search of [`addresses=${wallet}`, `addresses=${addresses}`]) {
      const before = await ledger()
      expect((await ask(route, search)).status).toBe(200)
      expect((await ledger()).available).toBe(before.available - cost)
    }
  })
})

it('adds pictures and links where they are asked for, and only there', async () => {
  const plain = await service.get(`/v1/portfolio?addresses=${wallet}`)
  expect(plain.text).not.toMatch(/imgSmall|explorer/)
  const { body } = await ask('getPortfolio', `addresses=${wallet}&includeImages=true&includeExplorerUrls=true`)
  const [portfolio] = body as Awaited<ReturnType<TestService['client']['getPortfolio']>>
  const assets = Object.values(portfolio?.assetByProtocols ?? {}).flatMap((protocol) => protocol.assets)
  expect(assets.length).toBeGreaterThan(5)
  for (const asset of assets) expect(asset.explorerUrl).toBe(`https://basescan.org/token/${asset.contract}`)
  expect(portfolio?.chains['base']?.explorerAddressUrl).toBe(`https://basescan.org/address/${wallet}`)
  const pictures = [...assets, ...Object.values(portfolio?.assetByProtocols ?? {}), portfolio?.chains['base']]
  for (const url of new Set(pictures.map((shown) => shown?.imgSmall ?? ''))) {
    expect(url.startsWith(`${service.url}/`)).toBe(true)
    const { status, headers } = await fetch(url)
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'image/svg+xml; charset=utf-8' })
  }
  const view = await service.get(`/v1/wallet?addresses=${wallet}`)
  expect(view.status).toBe(200)
  expect(view.text).not.toMatch(/imgSmall|explorer/)
  const [shown] = await service.client.getWallet({
    query: { addresses: wallet, includeImages: true, includeExplorerUrls: true },
  })
  const [held] = shown?.assetByProtocols.wallet.chains['base']?.protocolPositions.WALLET.assets ?? []
  expect(held?.explorerUrl).toBe(`https://basescan.org/token/${held?.contract}`)
  expect(held?.imgSmall).toMatch(new RegExp(`^${service.url}/icons/`))
})

it.each(['getPortfolio', 'getWallet', 'getNav'] as const)(
  '%s gives back what it cannot answer, one wallet of several being enough',
  async (route) => {
    proxy.add({ fault: { raw: { status: 500, body: '' } } })
    const before = await ledger()
    const { status, body } = await ask(route, `addresses=${wallet},${random.address()}`)
    expect({ status, body }).toEqual({ status: 502, body: { error: 'Bad Gateway', message: expect.any(String) } })
    expect((await ledger()).available).toBe(before.available)
    proxy.reset()
    clock.advance(NOT_FRESH_MS)
    expect((await ask(route, `addresses=${wallet}&waitForSync=true`)).status).toBe(200)
  },
)

it('writes nothing where the balance is 0, and answers what is free', async () => {
  const authorization = `Bearer ${await service.newKey(1)}`
  const get = (path: string) => service.get(path, { authorization })
  expect((await get(`/v1/portfolio?addresses=${wallet}`)).status).toBe(200)
  const before = await ledger()
  for (const path of ['portfolio', 'wallet', 'nav']) {
    for (const search of ['', '&waitForSync=true']) {
      const refused = await get(`/v1/${path}?addresses=${wallet}${search}`)
      expect(refused.status).toBe(402)
      expect(refused.json()).toEqual({
        message: expect.any(String),
        creditsRequired: 1,
        creditsAvailable: 0,
        creditsNeeded: 1,
      })
    }
    expect((await get(`/v1/${path}?addresses=zzz`)).status).toBe(400)
  }
  expect((await get(`/v1/status?addresses=${wallet}`)).status).toBe(200)
  expect((await get('/v1/credits?anything=1')).text).toBe('0')
  expect(await ledger()).toEqual(before)
})
