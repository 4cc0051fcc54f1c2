import { describe, expect, it } from 'vitest'
import { ask, chainNamed, describeFailures, json, priceApi, prices, raw, tokenAt } from '../../../../test/price-api.ts'
import { readerOf } from '../../../../test/solana/protocol-bench.ts'
import type { Token } from '../../../domain/token.ts'
import { TOKEN_PROGRAM } from '../codec/token-program.ts'
import { createJupiterPrices } from './jupiter-prices.ts'

const api = priceApi()
const NO_ANCHORS = { expects: () => false, price: async () => undefined }

/** A mint of the SPL Token program, with or without a freeze authority. */
function mintData(isFreezable: boolean): Uint8Array {
  const data = new Uint8Array(82)
  data[44] = 6
  data[46] = isFreezable ? 1 : 0
  return data
}
const at = () => ({ baseUrl: api.baseUrl, timeoutMs: api.timeoutMs })
const address = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

describe('Jupiter', () => {
  const [MINT, OTHER] = ['DriFtupJYLTosbwoN8koMbEYSx54aFAVLddWsbksjwg7', 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN']
  const SOL = '11111111111111111111111111111111'
  const WRAPPED = 'So11111111111111111111111111111111111111112'
  const solana = chainNamed('solana')
  const source = (apiKey?: string) => createJupiterPrices({ ...at(), ...(apiKey && { apiKey }) })
  const mint = (at: string, decimals = 6): Token => ({ ...tokenAt(address(1), decimals), chain: 'solana', address: at })
  const entry = (usdPrice: unknown, rest: object = {}) => ({
    ...{ createdAt: '2024-06-05T08:55:25.527Z', liquidity: 621_679_197.67, usdPrice, blockId: 348_004_023 },
    ...{ decimals: 6, priceChange24h: 1.29, ...rest },
  })

  it('answers for mints, for SOL by its wrapped form, with the key that it is given', async () => {
    api.answer = json({ [MINT]: entry(0.4312), [WRAPPED]: entry(147.48, { decimals: 9 }) })
    const tokens = [mint(MINT), mint(SOL, 9), mint(WRAPPED, 9), mint(OTHER)]
    expect(await prices(source('k1'), tokens, solana)).toEqual([
      [MINT, '0.4312', 0.9, undefined],
      [SOL, '147.48', 0.9, undefined],
      [WRAPPED, '147.48', 0.9, undefined],
    ])
    expect(api.seen.map(({ path }) => path)).toEqual([`/secret-key/price/v3?ids=${MINT},${WRAPPED},${OTHER}`])
    expect(api.seen.map(({ headers }) => headers['x-api-key'])).toEqual(['k1'])
  })

  it('keeps every digit of a price', async () => {
    api.answer = raw(`{"${MINT}":{"usdPrice":0.000000123456789012345678,"decimals":6,"liquidity":60000}}`)
    expect(await prices(source(), [mint(MINT)], solana)).toEqual([[MINT, '0.000000123456789012345678', 0.7, undefined]])
  })

  it.each([
    [1_000_000, 0.9],
    [999_999, 0.8],
    [250_000, 0.8],
    [50_000, 0.7],
    [10_000, 0.5],
    [9_999.99, 0.3],
    [null, 0.3],
  ])('is as sure as %s USD of liquidity make it', async (liquidity, confidence) => {
    api.answer = json({ [MINT]: entry(2, { liquidity }) })
    expect(await prices(source(), [mint(MINT)], solana)).toEqual([[MINT, '2', confidence, undefined]])
  })

  it.each([
    ['zero', entry(0)],
    ['negative', entry(-1)],
    ['text', entry('1')],
    ['null', entry(null)],
    ['absurd', entry(1e30)],
    ['for other decimals', entry(1, { decimals: 9 })],
    ['no object', 5],
  ])('leaves out a price that is %s', async (_, found) => {
    api.answer = json({ [MINT]: found, [OTHER]: entry(3) })
    expect(await prices(source(), [mint(MINT), mint(OTHER)], solana)).toEqual([[OTHER, '3', 0.9, undefined]])
  })

  it('leaves out an unlisted token that a freeze authority can stop, and keeps a listed one', async () => {
    const account = (of: string, isFreezable: boolean) => {
      return { address: of, owner: TOKEN_PROGRAM, lamports: 1n, data: mintData(isFreezable) }
    }
    const accounts = [account(MINT, true), account(OTHER, false)]
    const reader = readerOf(accounts)
    const asked = (tokens: readonly Token[]) =>
      source().open({ chain: solana, reader, anchors: NO_ANCHORS }).quote(tokens)
    api.answer = json({ [MINT]: entry(2), [OTHER]: entry(3) })
    const unlisted = [mint(MINT), mint(OTHER)].map((token) => ({ ...token, listed: false }))
    expect([...(await asked(unlisted)).keys()]).toEqual([OTHER])
    expect([...(await asked([mint(MINT)])).keys()]).toEqual([MINT])
  })

  it('asks for fifty mints a call', async () => {
    api.answer = json({})
    const many = Array.from({ length: 51 }, (_, index) => mint(`mint${index}`))
    await prices(source(), many, solana)
    expect(api.seen.map(({ path }) => path.split(',').length).sort()).toEqual([1, 50])
  })

  it('is asked about the present of Solana alone', async () => {
    expect((await ask(source(), [tokenAt(address(1))])).size).toBe(0)
    expect((await ask(source(), [mint(MINT)], solana, 1_648_680_000)).size).toBe(0)
    expect(api.seen).toEqual([])
  })
})

describeFailures(api, 'jupiter', () => createJupiterPrices({ ...at(), apiKey: 'k1' }), chainNamed('solana'))
