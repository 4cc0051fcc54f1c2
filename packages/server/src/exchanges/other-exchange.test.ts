import { describe, expect, it } from 'vitest'
import { loadCcxt } from './create-exchanges.ts'
import { furtherAccounts } from './other-exchange.ts'

type Request = { method: string; body?: string }

/** ccxt's client of an exchange without markets. `answer` handles its requests. */
async function clientOf(key: string, answer: (url: string, request: Request) => unknown) {
  const { Client } = await loadCcxt(key)
  const client = new Client({
    apiKey: 'key',
    secret: Buffer.from('secret').toString('base64'),
    password: 'password',
    enableRateLimit: false,
    fetchImplementation: async (url: string, request: Request) => {
      const text = JSON.stringify(answer(url, request))
      return { status: 200, statusText: '', headers: new Headers(), text: async () => text }
    },
  })
  client.setMarkets([])
  return client
}

/** Requests about an account before its balances, with answers for a unified account. */
const answers: readonly (readonly [RegExp, unknown])[] = [
  [/\/v5\/account\/info/, { retCode: 0, result: { unifiedMarginStatus: 5 } }],
  [/\/v5\/user\/query-api/, { retCode: 0, result: { uta: 1 } }],
  [/\/ua\/v1\/account\/mode/, { code: '200000', data: { selfAccountMode: 'UNIFIED' } }],
]

/** Removes time-dependent parts. */
function withoutTime(text: string): string {
  return text.replace(/(signature|sign|nonce|timestamp|time|ts)["=:]+[^&,}]*/gi, '')
}

/** ccxt's last request for an account's balances: method, URL, body. */
async function requestFor(key: string, params: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  const requests: string[] = []
  const client = await clientOf(key, (url, { method, body = '' }) => {
    requests.push(withoutTime(`${method} ${url} ${body}`))
    return answers.find(([path]) => path.test(url))?.[1] ?? {}
  })
  // The client may refuse an empty answer: only the request counts.
  await client.fetchBalance({ ...params }).catch(() => undefined)
  return requests.at(-1)
}

describe('an account other than the main one', () => {
  const cases = Object.entries(furtherAccounts)
    .filter(([key]) => key !== 'bitfinex')
    .flatMap(([key, accounts]) => accounts.map(({ account, params }) => [key, account, params] as const))

  it.each(cases)('is asked for in another way at %s (%s)', async (key, _account, params) => {
    const main = await requestFor(key, {})
    const further = await requestFor(key, params)
    expect(main).toBeDefined()
    expect(further).toBeDefined()
    expect(further).not.toBe(main)
  })

  it('is separated at Bitfinex, which answers with all wallets at once', async () => {
    const wallets = [
      ['exchange', 'BTC', 1, 0, 1],
      ['margin', 'BTC', 2, 0, 2],
      ['funding', 'BTC', 3, 0, 3],
    ]
    const client = await clientOf('bitfinex', () => wallets)
    const totals = []
    for (const { params } of [{ params: {} }, ...(furtherAccounts['bitfinex'] ?? [])]) {
      totals.push((await client.fetchBalance({ ...params }))['BTC']?.total)
    }
    expect(totals).toEqual([1, 3, 2])
  })
})
