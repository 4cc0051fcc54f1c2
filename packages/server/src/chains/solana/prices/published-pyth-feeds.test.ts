import { driftFeeds } from '@coffer/solana-fixtures'
import { describe, expect, it } from 'vitest'
import { PUBLISHED_PYTH_FEEDS } from './published-pyth-feeds.ts'
import { feedAddresses } from './pyth-feed.ts'

const SOL = '11111111111111111111111111111111'
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112'

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
    const found = PUBLISHED_PYTH_FEEDS.map(({ token, feedId }) => [token, feedAddresses(feedId)[0]])
    expect(found).toEqual(ACCOUNTS)
  })

  it('are of the tokens that Drift reads them for', () => {
    const drift = driftFeeds()
    const both = PUBLISHED_PYTH_FEEDS.flatMap(({ token, feedId }) => {
      const published = drift.get(token === SOL ? WRAPPED_SOL : token)
      return published ? [[feedId, published] as const] : []
    })
    expect(both.map(([feedId]) => feedId)).toEqual(both.map(([, published]) => published))
    expect(both).toHaveLength(PUBLISHED_PYTH_FEEDS.length - ELSEWHERE)
  })
})
