import { chainEndpoints } from '@coffer/contract'
import { describe, expect, it } from 'vitest'
import { suiteApp } from '../../../test/memory-app.ts'
import { createTokenCatalog } from '../../catalog/token-catalog.ts'
import { chains, chainTypes } from '../../chains/chain-types.ts'
import { createIconUrls } from '../icons/icons.ts'
import { chainHandlers, protocolLists } from './module.ts'

const tokens = createTokenCatalog({ chains, configTokens: [] })
const keys = Array.from({ length: 25 }, (_, index) => `protocol_${String(index).padStart(2, '0')}`)
const row = (key: string) => ({ family: 'any', key, name: `Protocol of ${key}`, chain: 'binance', deployment: {} })
const { app, addAccount, moneyOf } = await suiteApp({
  endpoints: chainEndpoints,
  handlers: chainHandlers({
    chains,
    support: { readsPortfolio: (key) => key === 'binance', readsTransactions: () => false },
    protocols: protocolLists({ system: keys.toReversed().map(row), user: [row('my_own')] }),
    iconUrls: (origin) => createIconUrls({ origin, tokens, spell: chainTypes.spell }),
  }),
})
const headers = addAccount('poor', { credits: 0 })

async function get(url: string, host = 'coffer.example') {
  const response = await app.inject({ url, headers: { ...headers, host } })
  return { status: response.statusCode, headers: response.headers, body: response.json() }
}

type Item = { key: string; name: string; imgSmall: string; isUserProtocol?: boolean; isPortfolioSupported?: boolean }
const keysOf = (items: Item[]) => items.map((item) => item.key)

describe('GET /v1/chains', () => {
  it('is free, fixed for a day, and shows images under the host that was asked', async () => {
    const { status, headers: answered, body } = await get('/v1/chains')
    expect(status).toBe(200)
    expect(answered).toMatchObject({ 'cache-control': 'max-age=86400', 'x-ratelimit-limit': '360' })
    const items = body as Item[]
    expect(items).toHaveLength(51)
    expect(items[0]).toMatchObject({ key: 'abstract', imgSmall: 'http://coffer.example/icons/chains/abstract.svg' })
    expect(items.filter((item) => item.isPortfolioSupported).map((item) => item.key)).toEqual(['binance'])
    expect(moneyOf('poor')).toEqual({ available: 0, held: 0, posted: 0, openHolds: 0 })
  })

  it('ignores parameters', async () => {
    expect((await get('/v1/chains?page=abc&page=0')).status).toBe(200)
  })

  it('needs a key', async () => {
    const response = await app.inject('/v1/chains')
    expect([response.statusCode, response.json()]).toEqual([401, { error: 'Unauthorized', message: 'Unauthorized' }])
  })
})

describe('GET /v1/chains/{chainKey}/protocols', () => {
  it('begins with twenty, after the operator’s own', async () => {
    const { status, body } = await get('/v1/chains/binance/protocols')
    expect(status).toBe(200)
    expect(keysOf(body.data)).toEqual(['my_own', ...keys.slice(0, 20)])
    expect(body.pagination).toEqual({ page: 1, limit: 20, hasMore: true })
    expect(keysOf((await get('/v1/chains/binance/protocols?page=2')).body.data)).toEqual(keys.slice(20))
  })

  it.each(['bsc', 'bnb', '56'])('knows the chain by %s', async (alias) => {
    expect((await get(`/v1/chains/${alias}/protocols?limit=1`)).body.data).toHaveLength(2)
  })

  it.each(['page=1000000000000000', 'page=9007199254740991&limit=100', 'page=3&limit=100'])(
    'is empty beyond the end: %s',
    async (query) => {
      const { status, body } = await get(`/v1/chains/binance/protocols?${query}`)
      expect([status, body.data, body.pagination.hasMore]).toEqual([200, [], false])
    },
  )

  it('is empty for a chain without protocols', async () => {
    const pagination = { page: 1, limit: 20, hasMore: false }
    expect((await get('/v1/chains/solana/protocols')).body).toEqual({ data: [], pagination })
  })

  it.each(['limit=100', 'limit=1', 'page=1&unknown=x', 'limit[]=5', 'limit[a]=5', '__proto__[limit]=5'])(
    'takes %s',
    async (query) => {
      expect((await get(`/v1/chains/binance/protocols?${query}`)).status).toBe(200)
    },
  )

  const names = 'nope Binance BSC 056 __proto__ constructor %zz %00 %2F ..%2f %E2%80%AE %C0%AF'.split(' ')
  const unknown = [...names, 'x'.repeat(101), 'x'.repeat(2000)]
  it.each(unknown)('knows no chain %s', async (key) => {
    const { status, body } = await get(`/v1/chains/${key}/protocols`)
    expect([status, body]).toEqual([404, { message: 'Unknown chain key' }])
  })

  it('looks at the input before the chain, and at the key before both', async () => {
    expect((await get('/v1/chains/nope/protocols?limit=0')).status).toBe(400)
    const response = await app.inject('/v1/chains/nope/protocols?limit=0')
    expect([response.statusCode, response.json()]).toEqual([401, { error: 'Unauthorized', message: 'Unauthorized' }])
  })

  it('leaves every account as it was', () => {
    expect(moneyOf('poor')).toEqual({ available: 0, held: 0, posted: 0, openHolds: 0 })
  })
})
