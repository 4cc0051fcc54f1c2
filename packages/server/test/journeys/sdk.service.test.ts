import { type Client, CofferError, createClient } from '@coffer/client'
import { type Devnet, startDevnet } from '@coffer/devnet'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { startService, type TestService } from '../harness.ts'

const CREDITS = 10

let devnet: Devnet
let service: TestService
beforeAll(async () => {
  devnet = await startDevnet({ state: inject('devnetState') })
  service = await startService({ devnet })
})
afterAll(async () => {
  await service?.stop()
  await devnet?.stop()
})

/** The SDK with the key of a new account. */
async function newClient(credits: number): Promise<Client> {
  return createClient({ baseUrl: service.url, apiKey: await service.newKey(credits) })
}

test('from the balance to the protocols: every call is typed, and the balance falls by what was charged', async () => {
  const client = await newClient(CREDITS)
  const { address } = devnet.wallets.demo
  const addresses = [address]
  expect(await client.getCredits()).toBe(CREDITS)

  const [portfolio] = await client.getPortfolio({ query: { addresses, includeImages: true, waitForSync: true } })
  expect(portfolio?.address).toBe(address.toLowerCase())
  expect(Object.keys(portfolio?.chains ?? {}).sort()).toEqual(['base', 'ethereum'])
  const { timestamp } = portfolio?.asOf['ethereum'] ?? { timestamp: '' }
  expect(new Date(timestamp).toISOString().replace('.000Z', 'Z')).toBe(timestamp)
  expect(await client.getCredits()).toBe(CREDITS - 1)

  const [wallet] = await client.getWallet({ query: { addresses } })
  expect(wallet?.address).toBe(portfolio?.address)
  const ofChains = Object.values(wallet?.chains ?? {}).map((chain) => Number(chain.value))
  expect(ofChains.reduce((total, value) => total + value, 0)).toBeCloseTo(Number(wallet?.networth), 2)
  expect(await client.getCredits()).toBe(CREDITS - 2)

  const { nav, currency, conversionPrice } = await client.getNav({ query: { addresses, currency: 'USD' } })
  expect([currency, conversionPrice]).toEqual(['USD', 1])
  expect(nav.toFixed(2)).toBe(Number(portfolio?.networth).toFixed(2))
  expect(await client.getCredits()).toBe(CREDITS - 3)

  const [status] = await client.getStatus({ query: { addresses: [address, devnet.wallets.empty.address] } })
  expect(status?.address).toBe(portfolio?.address)

  const chains = await client.listChains()
  expect(chains.filter((chain) => chain.isPortfolioSupported).map((chain) => chain.key)).toEqual(['base', 'ethereum'])
  const { data, pagination } = await client.listProtocols({ params: { chainKey: 'ethereum' }, query: { limit: 2 } })
  expect(pagination).toEqual({ page: 1, limit: 2, hasMore: true })
  expect(data.filter((protocol) => protocol.isUserProtocol).map((protocol) => protocol.key)).toEqual(['nova_vaults'])
  expect(await client.getCredits()).toBe(CREDITS - 3)
  expect(await service.ledgerProblems()).toEqual([])
})

test('what is refused is a CofferError that says why, and costs nothing', async () => {
  const client = await newClient(1)
  const addresses = devnet.wallets.demo.address
  const refusalOf = (call: Promise<unknown>) =>
    call.then(
      () => expect.fail('was not refused'),
      (thrown: unknown) => {
        if (!(thrown instanceof CofferError)) throw thrown
        const { status, message, body, requestId } = thrown
        expect(requestId).toMatch(/^\S+$/)
        return { status, message, body }
      },
    )

  const nobody = createClient({ baseUrl: service.url, apiKey: 'coffer_nobody' })
  expect(await refusalOf(nobody.getCredits())).toEqual({
    status: 401,
    message: '401: Unauthorized',
    body: { error: 'Unauthorized', message: 'Unauthorized' },
  })
  const solana = 'So11111111111111111111111111111111111111112'
  expect(await refusalOf(client.getPortfolio({ query: { addresses: [solana] } }))).toMatchObject({
    status: 400,
    message: expect.stringMatching(/^400: addresses: Solana is not a supported chain here/),
    body: { error: 'Bad Request' },
  })
  expect(await refusalOf(client.listProtocols({ params: { chainKey: 'atlantis' } }))).toMatchObject({ status: 404 })
  const badPage = client.listProtocols({ params: { chainKey: 'ethereum' }, query: { page: '0' } })
  expect(await refusalOf(badPage)).toMatchObject({ status: 400, body: { error: 'Validation Failed' } })
  expect(await client.getCredits()).toBe(1)

  await client.getWallet({ query: { addresses } })
  expect(await client.getCredits()).toBe(0)
  expect(await refusalOf(client.getPortfolio({ query: { addresses } }))).toMatchObject({
    status: 402,
    body: { message: expect.any(String), creditsRequired: 1, creditsAvailable: 0, creditsNeeded: 1 },
  })
  expect(await client.getCredits()).toBe(0)
})
