import { type Client, CofferError, createClient } from '@coffer/client'
import { startDevnet } from '@coffer/devnet'
import { parseEther, parseUnits } from 'viem'
import { expect, inject, test, vi } from 'vitest'
import { HANGS_MS } from '../hangs.ts'
import { startService } from '../harness.ts'
import { readPortfolio } from '../portfolio-reads.ts'
import { seededRandom } from '../random.ts'
import { started } from '../started.ts'
import { syncTransactions } from '../sync.ts'

const CREDITS = 10
const random = seededRandom('transactions')

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const service = await started(startService({ devnet }))

/**
 * The net worth is the sum of the portfolios'. A background search may find more between two answers, so it retries.
 * The owner asks, so the test's own account pays nothing.
 */
async function expectSameWorth(addresses: string[]): Promise<void> {
  const ask = async () => {
    const portfolios = await service.client.getPortfolio({ query: { addresses } })
    const { nav } = await service.client.getNav({ query: { addresses, currency: 'USD' } })
    expect(nav).toBe(Number(sumOf(portfolios.map(({ networth }) => networth))))
    expect(nav).toBeGreaterThan(0)
  }
  await vi.waitFor(ask, { timeout: HANGS_MS })
}

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
  expect([typeof nav, currency, conversionPrice]).toEqual(['number', 'USD', 1])
  await expectSameWorth(addresses)
  expect(await client.getCredits()).toBe(CREDITS - 3)

  const [status] = await client.getStatus({ query: { addresses: [address, devnet.wallets.empty.address] } })
  expect(status?.address).toBe(portfolio?.address)

  const chains = await client.listChains()
  expect(chains.filter((chain) => chain.isPortfolioSupported).map((chain) => chain.key)).toEqual(['base', 'ethereum'])
  const { data, pagination } = await client.listProtocols({ params: { chainKey: 'ethereum' }, query: { limit: 2 } })
  expect(pagination).toEqual({ page: 1, limit: 2, hasMore: true })
  expect(data.filter((protocol) => protocol.isUserProtocol).map((protocol) => protocol.key)).toEqual(['nova_vaults'])
  expect(await client.getCredits()).toBe(CREDITS - 3)
})

/** The exact sum of decimal strings. */
function sumOf(decimals: readonly string[]): string {
  const places = Math.max(...decimals.map((text) => text.split('.')[1]?.length ?? 0))
  const total = decimals.reduce((sum, text) => {
    const [whole = '0', fraction = ''] = text.split('.')
    return sum + BigInt(whole + fraction.padEnd(places, '0'))
  }, 0n)
  const digits = String(total).padStart(places + 1, '0')
  return places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

test('label my wallets, bundle them, read the net worth of the bundle', async () => {
  const client = await newClient(CREDITS)
  const wallets = [devnet.wallets.demo.address, devnet.wallets.dust.address]
  const saved = await client.addToAddressBook({
    body: { entries: wallets.map((address, index) => ({ address, label: `Wallet ${index + 1}` })) },
  })
  expect(saved.data.map(({ address, label }) => [address, label])).toEqual([
    [wallets[0]?.toLowerCase(), 'Wallet 1'],
    [wallets[1]?.toLowerCase(), 'Wallet 2'],
  ])
  const { data: labelled } = await client.relabelAddress({
    params: { address: wallets[1] ?? '' },
    body: { label: 'Pocket' },
  })
  expect(labelled).toEqual({ ...saved.data[1], label: 'Pocket' })

  const { data: made } = await client.createBundle({ body: { name: 'Treasury', addresses: wallets.slice(0, 1) } })
  const params = { bundleId: made.id }
  await client.addBundleAddress({ params, body: { address: wallets[1] ?? '' } })
  await client.renameBundle({ params, body: { name: 'Desk' } })
  const { data: bundle } = await client.getBundle({ params })
  expect(bundle).toEqual({ id: made.id, name: 'Desk', addresses: saved.data.map(({ address }) => address) })

  const portfolios = await client.getPortfolio({ query: { addresses: bundle.addresses } })
  expect(portfolios.map(({ address }) => address)).toEqual(bundle.addresses)
  const { nav } = await client.getNav({ query: { addresses: bundle.addresses } })
  expect(nav).toBeGreaterThan(0)
  await expectSameWorth(bundle.addresses)

  expect(await client.removeFromAddressBook({ params: { address: wallets[1] ?? '' } })).toBeUndefined()
  expect((await client.listBundles()).data).toEqual([{ ...bundle, addresses: bundle.addresses.slice(0, 1) }])
  expect(await client.getCredits()).toBe(CREDITS - 10)
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
    message: expect.stringMatching(/^400: this service has no node for wallets of this type: So1/),
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

test('what a wallet did is listed after a sync, newest first, with what it moved', async () => {
  const { actions, addresses, send } = devnet.chains.ethereum
  const wallet = random.address()
  const other = random.address()
  const { usdc } = addresses.tokens
  await actions.erc20.mint(usdc, wallet, parseUnits('5000', 6))
  await actions.native.give(other, parseEther('3'))
  await send({ from: other, to: wallet, value: parseEther('3') })
  await send({ from: wallet, to: other, value: parseEther('1') })
  await actions.vault.deposit(wallet, parseUnits('1000', 6))
  expect(await syncTransactions(service, wallet)).toBe('done')
  const { transactions } = await service.client.listTransactions({ query: { addresses: wallet } })
  expect(transactions.map(({ type, valueFiat }) => [type, valueFiat])).toEqual([
    ['DEPOSIT', '1000'],
    ['APPROVAL', '0'],
    ['TRANSFEROUT', '3000'],
    ['TRANSFERIN', '9000'],
    ['TRANSFERIN', '5000'],
  ])
  const portfolio = await readPortfolio(service, wallet)
  // The vault rounds a share down.
  expect(portfolio).toMatchObject({ totalCostBasis: '11000', openPnl: '-0.000001', closedPnl: '0', fees: '0' })
  expect(transactions[0]).toMatchObject({
    protocol: { key: 'nova_vaults' },
    assetsOut: [{ symbol: 'usdc', balance: '1000', costBasis: '1000', closedPnl: '0' }],
    assetsIn: [{ costBasis: '1000' }],
  })
})
