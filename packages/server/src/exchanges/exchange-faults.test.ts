import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startBinance } from '../../test/exchanges/binance-emulator.ts'
import type { EmulatedExchange, EmulatorMode } from '../../test/exchanges/emulated-exchange.ts'
import { startKraken } from '../../test/exchanges/kraken-emulator.ts'
import { exchangeOf, failureOf } from '../../test/exchanges/read-lines.ts'
import { HANGS_MS } from '../../test/hangs.ts'
import { UpstreamError, type UpstreamReason } from '../lib/upstream-error.ts'
import { createExchanges } from './create-exchanges.ts'

const apiKey = 'the-api-key-of-the-account'
const secret = Buffer.from('the-secret-of-the-account').toString('base64')
const account = { apiKey, secret }

const starts = {
  binance: () => startBinance({ accounts: [account] }),
  kraken: () => startKraken({ accounts: [account] }),
}

describe.each([
  ['binance', 'Binance'],
  ['kraken', 'Kraken'],
] as const)('%s', (key, name) => {
  let server: EmulatedExchange
  let now: number

  beforeEach(async () => {
    now = Date.now()
    server = await starts[key]()
  })
  afterEach(() => server.stop())

  function exchange(timeoutMs = HANGS_MS) {
    const urls = new Map([[key as string, server.url]])
    return exchangeOf(createExchanges({ urls, clock: { now: () => now }, timeoutMs }), key)
  }

  /** The error has that reason and a sentence that names only the exchange, and contains nothing else. */
  async function expectFailure(call: Promise<unknown>, reason: UpstreamReason, sentence: string) {
    const failure = await failureOf(call)
    expect(failure).toBeInstanceOf(UpstreamError)
    expect(failure).toMatchObject({ reason, message: `${name} ${sentence}` })
    const shown = `${inspect(failure, { depth: null, showHidden: true })} ${JSON.stringify(failure)}`
    for (const hidden of [apiKey, secret, server.url, server.url.slice(7), 'signature', 'EAPI', 'msg']) {
      expect(shown).not.toContain(hidden)
    }
  }

  const faults: [EmulatorMode, UpstreamReason, string][] = [
    ['down', 'unavailable', 'cannot be reached'],
    ['500', 'unavailable', 'cannot be reached'],
    ['429', 'rate-limited', 'asks for fewer requests'],
    ['bad-json', 'invalid', 'gave an answer that cannot be trusted'],
    ['slow', 'timeout', 'did not answer in time'],
  ]

  it.each(faults)(
    'that is %s fails, at the first read and later, and is read again when it is well',
    async (mode, ...said) => {
      const subject = await exchange(mode === 'slow' ? 500 : HANGS_MS)
      server.mode = mode
      await expectFailure(subject.permissions(account), ...said)
      await expectFailure(subject.read(account), ...said)
      server.mode = 'ok'
      // A busy machine may take longer than the limit of the slow one.
      await expect.poll(() => subject.read(account).catch(String)).toMatchObject({ balances: [], gaps: [] })
      server.mode = mode
      await expectFailure(subject.read(account), ...said)
    },
  )

  it('that is not there fails', async () => {
    const subject = await exchange()
    await server.stop()
    await expectFailure(subject.read(account), 'unavailable', 'cannot be reached')
  })

  it('refuses a wrong secret, a wrong key, and none', async () => {
    const subject = await exchange()
    const wrongSecret = { apiKey, secret: Buffer.from('another secret').toString('base64') }
    const noBase64 = { apiKey, secret: '§ not base64 §' }
    const wrongKey = { apiKey: 'another-key', secret }
    for (const credentials of [wrongSecret, noBase64, wrongKey, { apiKey: '', secret: '' }]) {
      await expectFailure(subject.read(credentials), 'not-allowed', 'refuses the key')
      await expectFailure(subject.permissions(credentials), 'not-allowed', 'refuses the key')
    }
    expect(await subject.read(account)).toMatchObject({ gaps: [] })
  })

  it('that asks to wait is left alone until then', async () => {
    const subject = await exchange()
    server.mode = '429'
    server.retryAfter = 30
    await expectFailure(subject.read(account), 'rate-limited', 'asks for fewer requests')
    server.mode = 'ok'
    const { length } = server.requests
    now += 29_999
    await expectFailure(subject.read(account), 'rate-limited', 'asks for fewer requests')
    expect(server.requests).toHaveLength(length)
    now += 1
    expect(await subject.read(account)).toMatchObject({ gaps: [] })
  })

  it('is asked for its markets again when they are six hours old', async () => {
    const subject = await exchange()
    const path = { binance: '/api/v3/exchangeInfo', kraken: '/0/public/AssetPairs' }[key]
    const asked = () => server.paths().filter((one) => one === path).length
    await subject.read(account)
    now += 6 * 3_600_000 - 1
    await subject.read(account)
    expect(asked()).toBe(1)
    now += 1
    await subject.read(account)
    expect(asked()).toBe(2)
  })
})
