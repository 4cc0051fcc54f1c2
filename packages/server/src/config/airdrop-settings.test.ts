import { describe, expect, it } from 'vitest'
import { chainTypes } from '../chains/chain-types.ts'
import { readConfig } from './config.ts'

const settings = (file: object, env = {}) =>
  readConfig({ ...env, COFFER_CONFIG: 'coffer.json' }, () => JSON.stringify(file)).airdrops

const published = chainTypes.list.flatMap(({ airdrops }) => airdrops?.sources ?? [])

const row = {
  key: 'mine',
  protocol: { key: 'mine', name: 'Mine' },
  title: 'Season 1',
  program: 'MErKy6nZVoVAkryxAejJz2juifQ4ArgLgHmaJCQkU7N',
  link: 'https://claim.example/{distributor}',
}
const list = {
  ...row,
  kind: 'allocation',
  file: 'list.csv',
  distributor: 'BsL9EiaD1FLhvE1z27s2vSLPCFU9yUY8bphscbunnRag',
}
const api = {
  ...row,
  kind: 'http-proof',
  url: 'https://api.example/{owner}',
  fields: { unlocked: ['amount'], proof: ['proof'], distributor: ['tree'] },
}

describe('sources of airdrops', () => {
  it('that ship are asked where they are named, and never by themselves', () => {
    expect(settings({})).toEqual({ http: [], allocations: [], urls: new Map() })
    const keys = (names: string) => settings({}, { COFFER_AIRDROP_SOURCES: names }).http.map(({ key }) => key)
    expect(keys('streamflow, kamino_s3')).toEqual(['kamino_s3', 'streamflow'])
    expect(keys('all')).toEqual(published.map(({ key }) => key))
  })

  it('of the file are asked as they are', () => {
    const { http, allocations, urls } = settings({
      airdrops: [list, { ...api, key: 'other' }],
      airdropUrls: { other: 'http://127.0.0.1:1/relay', jito: 'http://127.0.0.1:2' },
    })
    expect(allocations).toEqual([list])
    expect(http).toEqual([{ ...api, key: 'other' }])
    expect([...urls].map(([key, url]) => [key, url.reveal()])).toEqual([
      ['other', 'http://127.0.0.1:1/relay'],
      ['jito', 'http://127.0.0.1:2'],
    ])
  })

  it.each([
    [
      'a source that is none',
      {},
      { COFFER_AIRDROP_SOURCES: 'streamflov' },
      'COFFER_AIRDROP_SOURCES names "streamflov", which is not a source (did you mean streamflow?)',
    ],
    [
      'all and another',
      {},
      { COFFER_AIRDROP_SOURCES: 'all,jito' },
      'COFFER_AIRDROP_SOURCES must be all, or a list of sources',
    ],
    ['a key twice', { airdrops: [list, { ...api }] }, {}, 'COFFER_CONFIG airdrops[1].key: duplicate source mine'],
    [
      'the key of one that ships',
      { airdrops: [{ ...list, key: 'jito' }] },
      {},
      'COFFER_CONFIG airdrops[0].key: duplicate source jito',
    ],
    [
      'a URL of no source',
      { airdropUrls: { jitto: 'https://a.example' } },
      {},
      'airdropUrls: unknown source "jitto" (did you mean jito?)',
    ],
    [
      'a URL with a query',
      { airdropUrls: { jito: 'https://a.example/?b' } },
      {},
      'airdropUrls.jito: must be without query',
    ],
    ['a kind that is none', { airdrops: [{ ...list, kind: 'rumour' }] }, {}, 'COFFER_CONFIG airdrops[0]'],
    [
      'a program whose layout is not known',
      { airdrops: [{ ...list, program: list.distributor }] },
      {},
      'airdrops[0].program',
    ],
    [
      'a distributor that is no address',
      { airdrops: [{ ...list, distributor: 'l0l' }] },
      {},
      'airdrops[0].distributor: must be a Solana address',
    ],
    [
      'an API that says of no distributor',
      { airdrops: [{ ...api, fields: { unlocked: [], proof: [] } }] },
      {},
      'needs fields.distributor or distributor',
    ],
  ])('refuses %s', (_, file, env, message) => {
    expect(() => settings(file, env)).toThrow(message)
  })
})
