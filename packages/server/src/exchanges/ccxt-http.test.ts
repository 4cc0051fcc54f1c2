import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EmulatedExchange, startEmulator } from '../../test/exchanges/emulated-exchange.ts'
import { failureOf } from '../../test/exchanges/read-lines.ts'
import { systemClock } from '../lib/clock.ts'
import { createCcxtFetch } from './ccxt-http.ts'

describe('what ccxt sends', () => {
  let server: EmulatedExchange
  let elsewhere: EmulatedExchange

  beforeEach(async () => {
    const speech = { tooMany: {}, answer: () => ({ text: '{"price":1.00000000000000000001}' }) }
    server = await startEmulator(speech)
    elsewhere = await startEmulator(speech)
  })
  afterEach(() => Promise.all([server.stop(), elsewhere.stop()]))

  const send = (url: string, method: string) =>
    createCcxtFetch(server.url, systemClock, 10_000)(url, { method, headers: {} })

  it('goes to the configured place, with its numbers kept', async () => {
    for (const method of ['GET', 'POST']) {
      const response = await send(`${server.url}/v1/balance`, method)
      expect([response.status, await response.text()]).toEqual([200, '{"price":"1.00000000000000000001"}'])
    }
    expect(server.paths()).toEqual(['/v1/balance', '/v1/balance'])
  })

  it('goes nowhere else, and changes nothing', async () => {
    for (const [url, method] of [
      [`${elsewhere.url}/v1/balance`, 'GET'],
      [`${server.url}0/v1/balance`, 'GET'],
      [`${server.url}/v1/order`, 'DELETE'],
      [`${server.url}/v1/order`, 'PUT'],
    ] as const) {
      expect(await failureOf(send(url, method))).toMatchObject({ reason: 'not-allowed' })
    }
    expect([...server.requests, ...elsewhere.requests]).toEqual([])
  })
})
