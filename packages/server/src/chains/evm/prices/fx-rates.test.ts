import { NAV_CURRENCIES } from '@coffer/contract'
import { describe, expect, it } from 'vitest'
import { decimal } from '../../../domain/decimal.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { FxApi } from '../../../prices/fx-rate.ts'
import { createFxRates } from './fx-rates.ts'

function rates(apis: FxApi[]) {
  let now = 0
  const logged: object[] = []
  const fx = createFxRates({
    openReader: () => undefined,
    apis,
    currencies: NAV_CURRENCIES,
    clock: { now: () => now },
    log: { warn: (fields) => logged.push(fields) },
  })
  const pass = (ms: number) => {
    now += ms
  }
  return { fx, logged, pass }
}

function api(name: string, usd: Record<string, string | UpstreamError>) {
  const asked: string[] = []
  const made: FxApi = {
    name,
    async usdPerUnit(currency) {
      asked.push(currency)
      const said = usd[currency]
      if (said instanceof UpstreamError) throw said
      return said === undefined ? undefined : decimal(said)
    },
  }
  return { made, asked }
}

describe('exchange rates', () => {
  it('know the dollar and the dirham’s peg without asking', async () => {
    const { made, asked } = api('one', {})
    const { fx } = rates([made])
    expect((await fx.usdPerUnit('USD'))?.usd.toFixed()).toBe('1')
    expect((await fx.usdPerUnit('AED'))?.usd.times('3.6725').round(18).toFixed()).toBe('1')
    expect(asked).toEqual([])
  })

  it('continue where an API fails or has no rate, and name the source that answered', async () => {
    const down = api('down', { EUR: new UpstreamError('unavailable', 'down') })
    const up = api('up', { EUR: '1.25' })
    const { fx, logged } = rates([down.made, api('ignorant', {}).made, up.made])
    const rate = await fx.usdPerUnit('EUR')
    expect([rate?.source, rate?.usd.toFixed()]).toEqual(['up', '1.25'])
    expect(logged).toHaveLength(1)
    expect(await fx.usdPerUnit('JPY')).toBeUndefined()
    expect(await fx.usdPerUnit('XYZ')).toBeUndefined()
  })

  it('are kept for a minute; a missing rate is not', async () => {
    const { made, asked } = api('one', { EUR: '1.25' })
    const { fx, pass } = rates([made])
    await Promise.all([fx.usdPerUnit('EUR'), fx.usdPerUnit('EUR')])
    pass(59_999)
    await fx.usdPerUnit('EUR')
    expect(asked).toEqual(['EUR'])
    pass(1)
    await fx.usdPerUnit('EUR')
    await fx.usdPerUnit('GBP')
    await fx.usdPerUnit('GBP')
    expect(asked).toEqual(['EUR', 'EUR', 'GBP', 'GBP'])
  })

  it('name fourteen currencies', () => {
    expect(NAV_CURRENCIES).toHaveLength(14)
  })
})
