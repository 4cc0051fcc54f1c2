import type { Transaction } from '@coffer/contract'
import { startDevnet } from '@coffer/devnet'
import { getAddress } from 'viem'
import { describe, expect, inject, test } from 'vitest'
import { startService, testClock } from '../harness.ts'
import { seededRandom } from '../random.ts'
import { started } from '../started.ts'
import { syncTransactions } from '../sync.ts'
import { dayOf, deedOf, FILTERS, type Filter, isType } from './transaction-filters.ts'
import { DAY_SECONDS, type Deed, playVariedHistory } from './varied-history.ts'

/** Every filter of the list of transactions. Expected lists are computed from the sent transactions. */

const DAYS = 3
const DEFAULT_LIMIT = 50
const ADDRESSES_MAX = 10

const random = seededRandom('transaction filters')
const clock = testClock()
const cast = {
  wallet: random.address(),
  other: random.address(),
  friend: random.address(),
  outsider: random.address(),
  lookalike: random.address(),
}

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const played = await playVariedHistory(devnet, cast)
/** The wallet's actions, oldest first. */
const deeds = played.deeds.filter(({ wallet }) => wallet === cast.wallet)
clock.advance((played.begin + DAYS * DAY_SECONDS) * 1000 - clock.now())
const service = await started(startService({ devnet, clock }))
for (const wallet of [cast.wallet, cast.other]) expect(await syncTransactions(service, wallet)).toBe('done')

const nameOf = ({ name, wallet }: Deed) => (wallet === cast.wallet ? name : `${name}, for the other`)
const namesOf = (some: readonly Deed[]) => some.map(nameOf)

async function listed(query: string): Promise<Transaction[]> {
  const response = await service.get(`/v1/transactions?${query}`)
  expect([response.status, query]).toEqual([200, query])
  return (response.json() as { transactions: Transaction[] }).transactions
}

/** Names of listed transactions, in order. Unknown transactions appear by hash. */
async function names(query: string): Promise<string[]> {
  const known = new Map(played.deeds.map((deed) => [`${deed.wallet} ${deed.hash}`, nameOf(deed)]))
  const transactions = await listed(query)
  return transactions.map(({ address, hash }) => known.get(`${address} ${hash}`) ?? hash)
}

const ofWallet = () => `addresses=${cast.wallet}&limit=250&sort=ASC`
const ofBoth = () => `addresses=${cast.wallet},${cast.other}&limit=250&sort=ASC`

describe('one filter', () => {
  test.each(FILTERS)('$name', async ({ query, keeps }) => {
    const kept = deeds.filter(keeps(played))
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.length).toBeLessThan(deeds.length)
    expect(await names(`${ofWallet()}&${query(played)}`)).toEqual(namesOf(kept))
  })

  test('each of the types that there are', async () => {
    const types = new Set(deeds.map(({ type }) => type))
    expect([...types].toSorted()).toEqual(
      'ADDLIQUIDITY APPROVAL DEPOSIT FAILED INTERACTION LEND SPAM SWAP TRANSFERIN TRANSFEROUT'.split(' '),
    )
    for (const type of types) {
      expect(await names(`${ofWallet()}&txTypes=${type}`)).toEqual(namesOf(deeds.filter(isType(type))))
    }
  })

  test('that keeps everything', async () => {
    const queries = [
      'networks=ethereum,base',
      'networks=base&chain=ethereum',
      'hideSpam=false&hideDust=false',
      `startDate=${dayOf(played, 0)}&endDate=${dayOf(played, DAYS - 1)}`,
      'initialSearchText=0x',
    ]
    for (const query of queries) expect([query, await names(`${ofWallet()}&${query}`)]).toEqual([query, namesOf(deeds)])
  })

  test('that keeps nothing', async () => {
    const { hash } = deedOf(played, 'bait')
    const queries = [
      'networks=polygon',
      'txTypes=VOTE',
      'protocols=aave_v2',
      'tokenId=0',
      `tokenId=${'9'.repeat(78)}`,
      `startDate=${dayOf(played, DAYS)}`,
      `endDate=${dayOf(played, -1)}`,
      `startDate=${dayOf(played, 2)}&endDate=${dayOf(played, 0)}`,
      'endDate=0001-01-01T00:00:00%2B14:00',
      'startDate=9999-12-31T23:59:59-14:00',
      `interactingAddresses=${cast.lookalike}`,
      'initialSearchText=atlantis',
      // These are no patterns.
      'initialSearchText=%25',
      'initialSearchText=_',
      'initialSearchText=%5C',
      `initialSearchText=${hash.slice(0, 20)}%25`,
      `initialSearchText=_${hash.slice(1)}`,
    ]
    for (const query of queries) expect([query, await names(`${ofWallet()}&${query}`)]).toEqual([query, []])
  })
})

const ALIASES = ['chain', 'type']

/** The first filter of each parameter. */
function oneOfEach(): Filter[] {
  const first = new Map<string, Filter>()
  for (const filter of FILTERS) {
    const [key, ...more] = new URLSearchParams(filter.query(played)).keys()
    if (key !== undefined && more.length === 0 && !first.has(key) && !ALIASES.includes(key)) first.set(key, filter)
  }
  return [...first.values()]
}

test('two filters keep what both keep', async () => {
  const filters = oneOfEach()
  expect(filters).toHaveLength(10)
  const pairs = filters.flatMap((one, i) => filters.slice(i + 1).map((two) => [one, two] as const))
  for (const [one, two] of pairs) {
    const kept = deeds.filter(one.keeps(played)).filter(two.keeps(played))
    const query = `${one.query(played)}&${two.query(played)}`
    expect([query, await names(`${ofWallet()}&${query}`)]).toEqual([query, namesOf(kept)])
  }
})

describe('order and pages', () => {
  test('oldest first or newest first, chains and wallets of one time in order', async () => {
    const all = namesOf(played.deeds)
    const [first, second] = all
    expect([first, second]).toEqual(['base coins in', 'coins in'])
    expect(await names(ofBoth())).toEqual(all)
    expect(await names(ofBoth().replace('ASC', 'DESC'))).toEqual(all.toReversed())
    expect(await names(ofBoth().replace('&sort=ASC', ''))).toEqual(all.toReversed())
  })

  test('every item is of its wallet, chain and second', async () => {
    const facts = (await listed(ofBoth())).map(({ address, hash, chain, timestamp, type }) => ({
      ...{ wallet: address, hash, chain: chain.key, time: Number(timestamp), type },
    }))
    expect(facts).toEqual(
      played.deeds.map(({ wallet, hash, chain, time, type }) => ({ wallet, hash, chain, time, type })),
    )
  })

  /** Until a page is empty. */
  async function pagesOf(query: string, limit: number): Promise<string[][]> {
    const pages: string[][] = []
    do {
      pages.push(await names(`${query}&limit=${limit}&offset=${pages.length * limit}`))
    } while (pages.at(-1)?.length !== 0)
    return pages
  }

  test.each([1, 7, 250])('pages of %i tile the list, filtered or not', async (limit) => {
    const lists = [
      ['', played.deeds],
      ['&type=TRANSFERIN', played.deeds.filter(isType('TRANSFERIN'))],
      ['&sort=ASC', played.deeds.toReversed()],
    ] as const
    for (const [query, oldestFirst] of lists) {
      const pages = await pagesOf(`addresses=${cast.wallet},${cast.other}${query}`, limit)
      expect(pages.flat()).toEqual(namesOf(oldestFirst).toReversed())
      expect(pages.slice(0, -2).every((page) => page.length === limit)).toBe(true)
      expect(pages).toHaveLength(Math.ceil(oldestFirst.length / limit) + 1)
    }
  })

  test('an offset need be no multiple of the limit; without a limit there are fifty', async () => {
    const all = namesOf(deeds)
    expect(all.length).toBeGreaterThan(DEFAULT_LIMIT)
    const ascending = `addresses=${cast.wallet}&sort=ASC`
    expect(await names(`${ascending}&limit=5&offset=3`)).toEqual(all.slice(3, 8))
    expect(await names(ascending)).toEqual(all.slice(0, DEFAULT_LIMIT))
    expect(await names(`${ascending}&offset=${all.length - 1}`)).toEqual(all.slice(-1))
    expect(await names(`${ascending}&offset=${all.length}`)).toEqual([])
    expect(await names(`${ascending}&offset=${Number.MAX_SAFE_INTEGER}`)).toEqual([])
  })
})

test('several addresses: each transaction once for each of them, whatever their order and spelling', async () => {
  const both = namesOf(played.deeds)
  const { wallet, other } = cast
  const unknown = random.address()
  const rest = 'limit=250&sort=ASC'
  expect(both.filter((name) => name.startsWith('tokens to the other'))).toHaveLength(2)
  for (const addresses of [
    `addresses=${other},${wallet}`,
    `addresses=${wallet}&addresses=${getAddress(other)}`,
    `addresses=${wallet},${other},${getAddress(wallet)},${unknown}`,
  ]) {
    expect([addresses, await names(`${addresses}&${rest}`)]).toEqual([addresses, both])
  }
  const kept = played.deeds.filter((deed) => isType('TRANSFERIN')(deed) && deed.chain === 'ethereum')
  expect(await names(`addresses=${wallet},${other}&${rest}&txTypes=TRANSFERIN&networks=ethereum`)).toEqual(
    namesOf(kept),
  )
  expect(await names(`addresses=${other}&${rest}`)).toEqual(['tokens to the other, for the other'])
  expect((await service.get(`/v1/transactions?addresses=${unknown}`)).json()).toEqual({
    transactions: [],
    coverage: [],
    syncs: [
      {
        ...{ address: unknown, state: 'never', reason: null, requestedAt: null, newTransactions: 0, chains: [] },
        ...{ action: 'sync', advice: expect.stringMatching(/^No sync was requested yet, so no transaction is listed/) },
      },
    ],
  })
})

describe('what is refused', () => {
  const many = Array.from({ length: ADDRESSES_MAX + 1 }, () => random.address()).join()
  const refused: readonly (readonly [query: string, says: string])[] = [
    ['networks=atlantis', 'networks: atlantis is not a chain key'],
    ['networks=ethereum,Bose', 'networks: bose is not a chain key'],
    ['chain=atlantis', 'networks: atlantis is not a chain key'],
    ['networks=', 'networks: must name at least one chain key'],
    ['protocols=aave_v3,atlantis', 'protocols: atlantis is not a protocol key'],
    ['txTypes=SWAP,GIFT', 'txTypes: must be among'],
    ['type=GIFT', 'type: must be among'],
    ['type=,', 'type: must name at least one type'],
    ['hideSpam=1', 'hideSpam: must be true or false'],
    ['hideDust=', 'hideDust: must be true or false'],
    ['startDate=yesterday', 'startDate: must be a date'],
    ['startDate=0000-01-01', 'startDate: must be a date'],
    ['startDate=2026-02-30', 'startDate: must be a date'],
    ['startDate=2026-02-30T10:00:00Z', 'startDate: must be a date'],
    ['startDate=2026-01-01T10:00:00', 'startDate: must be a date'],
    ['startDate=2026-01-01T25:00:00Z', 'startDate: must be a date'],
    ['startDate=1767225600', 'startDate: must be a date'],
    ['startDate=2026-01-01&startDate=2026-01-02', 'startDate: must be given once'],
    ['endDate=2026-13-01', 'endDate: must be a date'],
    ['endDate=', 'endDate: must be a date'],
    ['tokenId=-1', 'tokenId: must be a whole number'],
    ['tokenId=0x1', 'tokenId: must be a whole number'],
    ['interactingAddresses=0x12', 'interactingAddresses: must be wallet or contract addresses'],
    ['initialSearchText=', 'initialSearchText: must have 1 to 255 characters'],
    [`initialSearchText=${'x'.repeat(256)}`, 'initialSearchText: must have 1 to 255 characters'],
    ['sort=up', 'sort: must be one of DESC, ASC'],
    ['limit=0', 'limit: must be a whole number from 1 to 250'],
    ['limit=251', 'limit: must be a whole number from 1 to 250'],
    ['limit=1.5', 'limit: must be a whole number from 1 to 250'],
    ['offset=-1', 'offset: must be a whole number of at least 0'],
    ['offset=9007199254740992', 'offset: must be a whole number of at least 0'],
    [`addresses=${many}`, `addresses: must name at most ${ADDRESSES_MAX} addresses`],
  ]

  test.each(refused)('%s', async (query, says) => {
    const before = await service.client.getCredits()
    const { status, json } = await service.get(`/v1/transactions?addresses=${cast.wallet}&${query}`)
    expect([status, json()]).toEqual([400, { error: 'Bad Request', message: expect.stringContaining(says) }])
    expect(await service.client.getCredits()).toBe(before)
  })

  test('no address, and one that is none', async () => {
    for (const query of ['', 'addresses=', 'addresses=0x12']) {
      const { status, json } = await service.get(`/v1/transactions?${query}`)
      expect([status, json()]).toEqual([400, { error: 'Bad Request', message: expect.stringContaining('addresses: ') }])
    }
  })
})
