import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Chain } from '../src/chains/chain.ts'
import { chains } from '../src/chains/chain-types.ts'
import type { Token } from '../src/domain/token.ts'
import { UpstreamError } from '../src/lib/upstream-error.ts'
import type { PriceSource } from '../src/prices/price-source.ts'
import { type LocalServer, serveLocally } from './local-server.ts'

type Answer = (path: string, response: ServerResponse) => void

/** Ample for loopback; hanging requests get less. */
const PATIENT_MS = 10_000

export const chainNamed = (key: string) => chains.find((chain) => chain.key === key) as Chain
export const tokenAt = (address: string, decimals = 18): Token => ({
  ...{ chain: 'binance', address, symbol: '', name: '', decimals, listed: true },
})

export const json = (value: unknown) => (_: string, response: ServerResponse) => response.end(JSON.stringify(value))
export const raw =
  (body: string, status = 200) =>
  (_: string, response: ServerResponse) => {
    response.statusCode = status
    response.end(body)
  }

/** New for each test, which sets its answers. */
export function priceApi() {
  let server: LocalServer
  const api = {
    baseUrl: '',
    timeoutMs: PATIENT_MS,
    answer: (() => undefined) as Answer,
    seen: [] as { path: string; headers: NodeJS.Dict<string | string[]> }[],
    close: () => server.stop(),
  }
  beforeEach(async () => {
    api.seen = []
    api.timeoutMs = PATIENT_MS
    server = await serveLocally((request, response) => {
      api.seen.push({ path: request.url ?? '', headers: request.headers })
      api.answer(request.url ?? '', response)
    })
    api.baseUrl = `${server.url}/secret-key/`
  })
  afterEach(() => api.close())
  return api
}

type Source = PriceSource<unknown>

export function ask(source: Source, tokens: Token[], chain = chainNamed('binance'), asOf?: number) {
  const anchors = { expects: () => false, price: async () => undefined }
  const past = asOf === undefined ? {} : { asOf }
  return source.open({ chain, reader: {}, anchors, ...past }).quote(tokens)
}

export async function prices(source: Source, tokens: Token[], chain?: Chain) {
  const quotes = await ask(source, tokens, chain)
  return [...quotes].map(([at, said]) =>
    said instanceof UpstreamError
      ? [at, said.reason]
      : [at, said.price.usd.toFixed(), said.price.confidence, said.price.asOf],
  )
}

/** `source` uses the key `k1`. */
export function describeFailures(
  api: ReturnType<typeof priceApi>,
  name: string,
  source: () => Source,
  chain: Chain,
): void {
  const address = `0x${'1'.padStart(40, '0')}`
  describe(`${name}, when it fails`, () => {
    it.each<[string, string, Answer]>([
      ['answers 500', 'unavailable', raw('{"coins":{}}', 500)],
      ['answers 429', 'rate-limited', raw('', 429)],
      ['answers HTML', 'invalid', raw('<html><body>maintenance</body></html>')],
      ['stops in the middle of its JSON', 'invalid', raw('{"coins":{"bsc:')],
      ['answers something else', 'invalid', raw('"ok"')],
      ['cuts the connection', 'unavailable', (_, response) => response.destroy()],
      ['redirects', 'unavailable', (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
      ['floods', 'invalid', raw(`{"coins":{"x":"${'x'.repeat(2_000_000)}"}}`)],
      ['never answers', 'timeout', () => undefined],
    ])('%s: the token stays open, as %s', async (_, reason, fault) => {
      api.answer = fault
      if (reason === 'timeout') api.timeoutMs = 100
      const quotes = await ask(source(), [tokenAt(address)], chain)
      const said = quotes.get(address)
      expect(said).toBeInstanceOf(UpstreamError)
      expect(said).toMatchObject({ reason })
      const { message } = said as UpstreamError
      expect(message).toContain(name)
      for (const hidden of ['127.0.0.1', 'secret-key', 'k1', address]) expect(message).not.toContain(hidden)
    })

    it('has moved away', async () => {
      const moved = source()
      await api.close()
      expect((await ask(moved, [tokenAt(address)], chain)).get(address)).toMatchObject({ reason: 'unavailable' })
    })
  })
}
