import { describe, expect, test } from 'vitest'
import { examineService } from '../../src/bin/examine-service.ts'
import { createChainTypes } from '../../src/chains/chain-type.ts'
import { chainTypes as shipped } from '../../src/chains/chain-types.ts'
import { readConfig } from '../../src/config/config.ts'
import { createContext } from '../../src/context.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { testDatabase } from '../database.ts'
import { startService, testClock } from '../harness.ts'
import { started } from '../started.ts'
import { COIN, pebbleChain } from './pebble/chain.ts'
import { pebbleChainType } from './pebble/chain-type.ts'
import { startPebbleNode } from './pebble-node.ts'

// A chain type takes only the folder `pebble` and this line, which a shipped one has in chains/chain-types.ts.
const chainTypes = createChainTypes([...shipped.list, pebbleChainType])

const [WALLET, OTHER] = ['a', 'z'].map((digit) => `pbl1${digit.repeat(20)}`) as [string, string]
const USD_PER_PBL = '2.5'
const UNREPORTED = 'transactions of wallets of this type cannot be read'
const config = { priceOverrides: [{ chain: 'pbl', token: COIN.toUpperCase(), usd: USD_PER_PBL }] }

/** A read is renewed after this time. */
const OLD_MS = 61_000

const clock = testClock()

const node = await started(startPebbleNode())
const service = await started(startService({ chainTypes, endpoints: { pebble: [node.url] }, config, clock }))

async function get(path: string): Promise<unknown> {
  const response = await service.get(path)
  expect([path, response.status, response.text]).toEqual([path, 200, expect.anything()])
  return response.json()
}

/** Status and message of a refusal, which must be free. */
async function refusal(method: 'GET' | 'POST', path: string, body?: object): Promise<[number, string]> {
  const credits = await get('/v1/credits')
  const response = await fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${service.ownerKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const { message } = (await response.json()) as { message: string }
  expect(await get('/v1/credits')).toEqual(credits)
  return [response.status, message]
}

const send = (method: 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
  fetch(service.url + path, {
    method,
    headers: { authorization: `Bearer ${service.ownerKey}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  })

describe('a chain type of the tests', () => {
  test('answers for its wallets, in any letter case, at a named block', async () => {
    node.set(WALLET, 1_500_000n)
    const block = String(node.height())
    expect(await get(`/v1/portfolio?addresses=${WALLET.toUpperCase()},${WALLET}`)).toMatchObject([
      {
        address: WALLET,
        networth: '3.75',
        assetByProtocols: {
          wallet: { assets: [{ contract: COIN, balance: '1.5', price: USD_PER_PBL, value: '3.75' }] },
        },
        asOf: { pebble: { block } },
        incomplete: [],
        pnlIncomplete: [{ reason: 'no-history' }],
      },
    ])
    expect(await get(`/v1/wallet?addresses=${WALLET}`)).toMatchObject([
      { address: WALLET, networth: '3.75', chains: { pebble: { value: '3.75', protocols: ['wallet'] } } },
    ])
    expect(await get(`/v1/nav?addresses=${WALLET}&currency=USD`)).toMatchObject({
      ...{ nav: 3.75, currency: 'USD', asOf: { pebble: { block } }, incomplete: [] },
    })
  })

  test('shows a wallet without holdings as empty, and a change with the next read', async () => {
    expect(await get(`/v1/portfolio?addresses=${OTHER}`)).toMatchObject([{ networth: '0', incomplete: [] }])
    node.set(OTHER, 1n)
    clock.advance(OLD_MS)
    expect(await get(`/v1/wallet?addresses=${OTHER}&waitForSync=true`)).toMatchObject([
      { networth: '0.0000025', asOf: { pebble: { block: String(node.height()) } } },
    ])
  })

  test('keeps its last read while the node fails, and says so', async () => {
    node.setBroken(true)
    clock.advance(OLD_MS)
    const [read] = (await get(`/v1/portfolio?addresses=${WALLET}&waitForSync=true`)) as object[]
    node.setBroken(false)
    expect(read).toMatchObject({ networth: '3.75', incomplete: [{ chain: 'pebble', reason: 'stale' }] })
  })

  test('is in the address book, in bundles, among the chains and in the reference', async () => {
    const saving = await send('POST', '/v1/addressbook', {
      entries: [{ address: WALLET.toUpperCase(), label: 'mine' }],
    })
    expect([saving.status, await saving.json()]).toMatchObject([200, { data: [{ address: WALLET, label: 'mine' }] }])
    const bundling = await send('POST', '/v1/bundles', { name: 'stones', addresses: [WALLET] })
    expect([bundling.status, await bundling.json()]).toMatchObject([201, { data: { addresses: [WALLET] } }])
    expect((await send('PATCH', `/v1/addressbook/${WALLET}`, { label: 'other' })).status).toBe(200)
    expect((await send('DELETE', `/v1/addressbook/${WALLET.toUpperCase()}`)).status).toBe(204)
    expect(await get('/v1/addressbook')).toEqual({ data: [] })

    const chains = (await get('/v1/chains')) as { key: string }[]
    expect(chains.find(({ key }) => key === 'pebble')).toMatchObject({
      ...{ chainId: pebbleChain.chainId, isPortfolioSupported: true, isTransactionsSupported: false },
    })
    expect(await get('/v1/chains/pbl/protocols')).toMatchObject({ data: [] })
    expect((await service.get(`/icons/tokens/pebble/${COIN}.svg`)).status).toBe(200)
    const reference = (await service.get('/openapi.json')).text
    expect(reference).toContain('EVM, Solana or Pebble wallets, in one comma-separated list.')
  })

  test('says what it cannot, in the envelopes of the routes, for free', async () => {
    const never = {
      ...{ state: 'never', reason: UNREPORTED, action: 'none', advice: null },
      ...{ requestedAt: null, newTransactions: 0, chains: [] },
    }
    expect(await get(`/v1/status?addresses=${WALLET}`)).toMatchObject([
      { address: WALLET, portfolioLastSync: expect.any(String), transactionsLastSync: null, sync: never },
    ])
    expect(await get(`/v1/transactions?addresses=${WALLET}`)).toEqual({
      ...{ transactions: [], coverage: [], syncs: [{ address: WALLET, ...never }] },
    })
    const addresses = [WALLET]
    expect(await refusal('POST', '/v1/sync-transactions', { addresses })).toEqual([
      400,
      `addresses: ${UNREPORTED}: ${WALLET}`,
    ])
    expect(await refusal('POST', '/v1/subscribe-snapshot', { addresses: [{ address: WALLET }] })).toEqual([
      ...[400, `snapshots of wallets of this type cannot be taken: ${WALLET}`],
    ])
    const onDay = `addresses=${WALLET}&date=2026-01-01`
    const noSnapshot = [404, `There is no snapshot of ${WALLET} on 2026-01-01`]
    expect(await refusal('GET', `/v1/historical?${onDay}`)).toEqual(noSnapshot)
    expect(await refusal('GET', `/v1/token-overview?${onDay}`)).toEqual(noSnapshot)
    const notHere = [400, `addresses: Pebble addresses are not supported by this endpoint: ${WALLET}`]
    expect(await refusal('GET', `/v1/airdrop?addresses=${WALLET}`)).toEqual(notHere)
    expect(await refusal('GET', `/v1/approvals/ethereum?addresses=${WALLET}`)).toEqual(notHere)
    const [status, message] = await refusal('GET', `/v1/approvals/pebble?addresses=${WALLET}`)
    expect([status, message]).toEqual([400, expect.stringMatching(/^chain: must be one of /)])
    expect(await refusal('GET', `/v1/portfolio?addresses=${WALLET}1`)).toEqual([
      ...[400, `addresses: not a wallet address: ${WALLET}1`],
    ])
    expect(await service.ledgerProblems()).toEqual([])
  })

  test('is examined by the doctor', async () => {
    const env = { COFFER_CHAINS: 'pebble', COFFER_RPC_PEBBLE: node.url }
    const findings = await examineService(
      readConfig(env, () => '', chainTypes),
      service.context.database.db,
      async () => undefined,
      chainTypes,
    )
    const ofNode = findings.find(({ check }) => check === 'endpoint')
    expect(ofNode).toMatchObject({ name: 'pebble#1', state: 'ok', facts: { head: String(node.height()) } })
  })
})

test('a service may have no other chain type', async () => {
  const alone = await startService({
    chainTypes: createChainTypes([pebbleChainType]),
    endpoints: { pebble: [node.url] },
    config,
  })
  try {
    node.set(WALLET, 4_000_000n)
    const { status, text } = await alone.get(`/v1/portfolio?addresses=${WALLET}`)
    expect([status, JSON.parse(text)]).toMatchObject([200, [{ networth: '10' }]])
    const outsider = `0x${'1'.repeat(40)}`
    const refused = await alone.get(`/v1/portfolio?addresses=${outsider}`)
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(`not a wallet address: ${outsider}`)])
    const airdrops = await alone.get(`/v1/airdrop?addresses=${WALLET}`)
    expect(airdrops.status).toBe(400)
  } finally {
    await alone.stop()
  }
})

test('a node of another network is not asked', async () => {
  const outsider = await startPebbleNode({ network: '1' })
  const wrong = await startService({ chainTypes, endpoints: { pebble: [outsider.url] } })
  try {
    outsider.set(WALLET, 1n)
    const { status, text } = await wrong.get(`/v1/portfolio?addresses=${WALLET}`)
    expect([status, JSON.parse(text)]).toMatchObject([502, { error: 'Bad Gateway' }])
    expect(await wrong.ledgerProblems()).toEqual([])
  } finally {
    await wrong.stop()
    await outsider.stop()
  }
})

test('validators are refused at the start where no chain type reads their execution chain', async () => {
  const database = await testDatabase('type_without_execution')
  const ethereum = { ...pebbleChain, key: 'ethereum', aliases: [] }
  const own = createChainTypes([{ ...pebbleChainType, chains: [ethereum] }])
  const env = {
    ...{ DATABASE_URL: database.url, COFFER_CHAINS: 'ethereum', COFFER_RPC_ETHEREUM: node.url },
    COFFER_BEACON_URL: 'http://127.0.0.1:9',
  }
  const starting = createContext(
    readConfig(env, () => '', own),
    { chainTypes: own, logger: createLogger({ level: 'silent' }) },
  )
  await expect(starting).rejects.toThrow(/^COFFER_BEACON_URL is set, but ethereum is of a kind that cannot be read as/)
  await database.drop()
})
