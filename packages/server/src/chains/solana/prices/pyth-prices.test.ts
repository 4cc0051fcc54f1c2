import { driftFeeds, type PythFigures, pythFeeds, pythPrice } from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { CLOCK, cutShort, ofAnotherType, readerOf } from '../../../../test/solana/protocol-bench.ts'
import type { Token } from '../../../domain/token.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Chain } from '../../chain.ts'
import { chains } from '../../chain-types.ts'
import type { SolanaAccount } from '../codec/account-data.ts'
import { feedAddresses } from './pyth-feed.ts'
import { createPythPrices, PUBLISHED_PYTH_FEEDS } from './pyth-prices.ts'

const solana = chains.find(({ key }) => key === 'solana') as Chain
const NOW = CLOCK.time
const SOL = '11111111111111111111111111111111'
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112'
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const UNKNOWN = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'

const token = (address: string): Token => ({
  ...{ chain: 'solana', address, symbol: '', name: '', decimals: 9, listed: true },
})
const sol = (figures: Partial<PythFigures> = {}) =>
  pythPrice({
    feedId: pythFeeds.SOL,
    price: 15_234_567_890n,
    confidence: 7_000_000n,
    publishedAt: NOW - 20,
    ...figures,
  })

const open = (accounts: readonly SolanaAccount[], asOf?: number) => {
  const reader = readerOf(accounts)
  const anchors = { expects: () => false, price: async () => undefined }
  const past = asOf === undefined ? {} : { asOf }
  return { reader, query: createPythPrices().open({ chain: solana, reader, anchors, ...past }) }
}
const quote = async (accounts: readonly SolanaAccount[], address = SOL, asOf?: number) =>
  (await open(accounts, asOf).query.quote([token(address)])).get(address)

describe('Pyth', () => {
  it('prices a token by its feed, exactly', async () => {
    // 15234567890 × 10^-8
    const said = { usd: '152.3456789', source: 'pyth', confidence: 1, asOf: NOW - 20, block: CLOCK.slot }
    for (const address of [SOL, WRAPPED_SOL]) {
      const found = await quote([await sol()], address)
      if (!found || found instanceof UpstreamError) throw new Error('no price')
      expect({ ...found.price, usd: found.price.usd.toFixed() }).toEqual({ chain: 'solana', token: address, ...said })
      expect(found.proceeds).toBeUndefined()
    }
  })

  it.each([
    ['of the least token', 1n, -12, '0.000000000001'],
    ['without decimals', 64_123n, 0, '64123'],
    ['in thousands', 64n, 3, '64000'],
    ['of all the digits that there are', 9_223_372_036_854_775_807n, -18, '9.223372036854775807'],
  ])('keeps every digit of a price %s', async (_, price, exponent, usd) => {
    const found = await quote([await sol({ price, exponent, confidence: 0n })])
    expect(found && 'price' in found && found.price.usd.toFixed()).toBe(usd)
  })

  it('reads its accounts when a wallet begins to be read, in one trip', async () => {
    const { reader, query } = open([await sol()])
    expect(reader.trips.length).toBe(1)
    await query.quote([token(SOL), token(USDC)])
    expect(reader.trips.length).toBe(1)
  })

  it('knows only what it has a feed and an account of', async () => {
    const { query } = open([await sol()])
    expect([SOL, WRAPPED_SOL, USDC, UNKNOWN].map(query.expects)).toEqual([true, true, true, false])
    expect([...(await query.quote([token(USDC), token(UNKNOWN)])).keys()]).toEqual([])
  })

  it('takes the newest of what the old and the new programs say, and whichever is sound', async () => {
    const usd = async (accounts: readonly SolanaAccount[]) => {
      const found = await quote(accounts)
      return found && 'price' in found ? found.price.usd.toFixed() : found
    }
    const later = { price: 200n, confidence: 1n, exponent: 0, upgraded: true, publishedAt: NOW - 1 }
    expect(await usd([await sol(), await sol(later)])).toBe('200')
    expect(await usd([await sol(), await sol({ ...later, publishedAt: NOW - 30 })])).toBe('152.3456789')
    expect(await usd([await sol({ publishedAt: NOW - 90_000 }), await sol(later)])).toBe('200')
  })

  it.each<[string, Partial<PythFigures>]>([
    ['stale', { publishedAt: NOW - 301 }],
    ['from the future', { publishedAt: NOW + 61 }],
    ['verified in part', { verification: 13 }],
    ['zero', { price: 0n, confidence: 0n }],
    ['negative', { price: -1n, confidence: 0n }],
    ['wide of the mark', { confidence: 304_691_358n }],
    ['of an absurd exponent', { exponent: -31 }],
  ])('fails where the price is %s', async (_, figures) => {
    expect(await quote([await sol(figures)])).toBeInstanceOf(UpstreamError)
  })

  it('believes an interval of two percent and a figure of five minutes ago', async () => {
    // 15234567890 / 50 = 304691357.8
    const found = await quote([await sol({ confidence: 304_691_357n, publishedAt: NOW - 300 })])
    expect(found).toHaveProperty('price')
  })

  it.each([
    ['cut short', cutShort],
    ['of another kind', ofAnotherType],
  ])('fails where an account is %s', async (_, change) => {
    expect(await quote([change(await sol())])).toBeInstanceOf(UpstreamError)
  })

  it('fails where the account is of another feed', async () => {
    const [right, other] = [await sol(), await sol({ feedId: pythFeeds.USDC })]
    expect(await quote([{ ...other, address: right.address }])).toBeInstanceOf(UpstreamError)
  })

  it('takes SOL that lies at the address for no price', async () => {
    expect(await quote([{ ...(await sol()), owner: SOL, data: new Uint8Array() }])).toBeUndefined()
  })

  it('knows a past moment only while its figure is of then', async () => {
    expect(await quote([await sol()], SOL, NOW - 60)).toHaveProperty('price')
    expect(await quote([await sol()], SOL, NOW - 86_400)).toBeInstanceOf(UpstreamError)
  })

  it('rejects when the node does', async () => {
    const reader = {
      ...readerOf([]),
      accounts: async () => {
        throw new UpstreamError('unavailable', 'no endpoint answers')
      },
    }
    const anchors = { expects: () => false, price: async () => undefined }
    const query = createPythPrices().open({ chain: solana, reader, anchors })
    expect((await query.quote([token(SOL)])).get(SOL)).toBeInstanceOf(UpstreamError)
  })
})

/** Accounts of shard 0, from Pyth's list of feeds on Solana. */
const ACCOUNTS: readonly (readonly [token: string, account: string])[] = [
  [SOL, '7UVimffxr9ow1uXYxsr4LHAcV58mLzhmwaeKvJ1pjLiE'],
  ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'Dpw1EAVrSB1ibxiDQyTAW6Zip3J4Btk2x4SgApQCeFbX'],
  ['Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', 'HT2PLQBcG5EiCcNSaMHAjSgd9F98ecpATbk4Sk5oYuM'],
  ['CASHx9KJUStyftLFWGvEVf59SGeG9sh5FfcnZMVPCASH', 'F23Xi7VQw1pdre26VmuKnjRcDcrhpqGtHkGdKdSdbM8w'],
  ['mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So', '5CKzb9j4ChgLUt8Gfm5CNGLN6khXKiqMbnGAW4cgXgxK'],
  ['bSo13r4TkiE4KumL71LsHTPpL2euBYLFx6h9HP3piy1', '5cN76Xm2Dtx9MnrQqBDeZZRsWruTTcw37UruznAdSvvE'],
  ['5oVNBeEEQvYi1cX3ir8Dx5n1P7pdxydbGF2X4TxVusJm', 'Ceg5oePJv1a6RR541qKeQaTepvERA3i8SvyueX9tT8Sq'],
  ['3NZ9JMVBmGAqocybic2c7LQCJScmgsAZ6vQqTDzcqmJh', '9gNX5vguzarZZPjTnE1hWze3s6UsZ7dsU3UnAmKPnMHG'],
  ['7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs', '42amVS4KgzR9rA28tkVYqVXjq9Qa8dcZQMbH5EYFX6XC'],
  ['zBTCug3er3tLyffELcvDNrKkCymbPWysGcWihESYfLg', '7qFJxM2GefbY2td7cXb6bmXmwVqkeF7kYjaypgZWLBng'],
  ['LBTCgU4b3wsFKsPwBn1rRZDx5DoFutM6RPiEt1TPDsY', 'HENev4WeM2VhJ2b9tFCQsWdHGU6fTvgW68MsvBeYpxYn'],
  ['27G8MtK7VtTcCHkpASjSDdkWWYfoqT6ggEuKidVJidD4', '2TTGSRSezqFzeLUH8JwRUbtN66XLLaymfYsWRTMjfiMw'],
  ['JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN', '7dbob1psH1iZBS7qPsm3Kwbf5DzSXK8Jyg31CTgTnxH5'],
  ['HZ1JovNiVvGrGNiiYvEozEVgZ58xaU3RKwX8eACQBCt3', '8vjchtMuJNY4oFQdTi8yCe6mhCaNBFaUbktT482TpLPS'],
  ['85VBFQZC9TZkfaptBWjvUw7YbZjy52A6mjtPGjstQAmQ', 'BEMsCSQEGi2kwPA4mKnGjxnreijhMki7L4eeb96ypzF9'],
  ['orcaEKTdK7LKz57vaAYr9QeNsVEPfiu6QeMU1kektZE', '4CBshVeNBEXz24GZpoj8SrqP5L7VGG3qjGd6tCST1pND'],
  ['hntyVP6YFm1Hg25TN9WGLqM12b8TQmcknKrdu1oxWux', '4DdmDswskDxXGpwHrXUfn2CNUm9rt21ac79GHNTN3J33'],
  ['DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263', 'DBE3N8uNjhKPRHfANdwGvCZghWXyLPdqdSbEW2XFwBiX'],
  ['EKpQGSJtjMFqKZ9KQanSqYXRcF8fBopzLHYxdM65zcjm', '6B23K3tkb51vLZA14jcEQVCA1pfHptzEHFA93V5dYwbT'],
  ['2zMMhcVQEXDtdE6vsFS7S7D5oUodfJHE8vd1gnBouauv', '27zzC5wXCeZeuJ3h9uAJzV5tGn6r5Tzo98S1ZceYKEb8'],
  ['6p6xgHyF7AeE6TZkSmFsko444wqoP15icUSqi2jfGiPN', '9vNb2tQoZ8bB4vzMbQLWViGwNaDJVtct13AGgno1wazp'],
  ['9BB6NFEcjBCtnNLFko2FqVQBq8HHM13kCyYcdQbgpump', '2t8eUbYKjidMs3uSeYM9jXM9uudYZwGkSeTB4TKjmvnC'],
  ['pumpCmXqMfrsAkQ5r49WcJnRayYRqmXz6ae8H7H9Dfn', 'HMm3GPbdnqGwbkTnUUqCFsH8AMHDdEC3Lg8gcPD3HJSH'],
]
/** Drift's SDK has no feed for these. */
const ELSEWHERE = 3

describe('published feeds of Pyth', () => {
  it('lead to the accounts that Pyth lists', () => {
    const found = [...PUBLISHED_PYTH_FEEDS].map(([token, feedId]) => [token, feedAddresses(feedId)[0]])
    expect(found).toEqual(ACCOUNTS)
  })

  it('are of the tokens that Drift reads them for', () => {
    const drift = driftFeeds()
    const both = [...PUBLISHED_PYTH_FEEDS].flatMap(([token, feedId]) => {
      const published = drift.get(token === SOL ? WRAPPED_SOL : token)
      return published ? [[feedId, published] as const] : []
    })
    expect(both.map(([feedId]) => feedId)).toEqual(both.map(([, published]) => published))
    expect(both).toHaveLength(PUBLISHED_PYTH_FEEDS.size - ELSEWHERE)
  })
})
