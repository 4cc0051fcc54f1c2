import { expect } from 'vitest'
import { updateAccount } from '../../src/features/accounts/accounts.ts'
import { coded, type OwnAccount, ownAccount } from '../own-data.ts'
import { seededRandom } from '../random.ts'
import type { TwoProcesses } from './two-processes.ts'

type Request = readonly [method: string, path: string, body?: object]
/** One request per process. `lost`: answer of the second. */
type Race = { requests: readonly [Request, Request]; won: number; lost: { status: number; body: unknown } }

const random = seededRandom('own data races')
const add = (...addresses: string[]): Request => [
  'POST',
  '/v1/addressbook',
  { entries: addresses.map((address) => ({ address })) },
]
const bundle = (name: string, ...addresses: string[]): Request => ['POST', '/v1/bundles', { name, addresses }]

async function bundleOf(account: OwnAccount, ...addresses: string[]): Promise<string> {
  const { body } = await account.call(...bundle('First', ...addresses))
  return (body as { data: { id: string } }).data.id
}

type Prepare = (account: OwnAccount, addresses: [string, string, string], service: TwoProcesses) => Promise<Race>

/** Preparation by contested resource; the account has three saved addresses. */
const races: Record<string, Prepare> = {
  'the last address of the quota': async (account, _, service) => {
    await updateAccount(service.db, account.id, { quotas: { addressBook: 4 } })
    return {
      requests: [add(random.address()), add(random.address())],
      won: 200,
      lost: { status: 422, body: coded('ADDRESSBOOK_QUOTA_REACHED', { quota: 4, current: 4 }) },
    }
  },
  'the last bundle of the quota': async (account, [a, b], service) => {
    await updateAccount(service.db, account.id, { quotas: { bundles: 1 } })
    return {
      requests: [bundle('A', a), bundle('B', b)],
      won: 201,
      lost: { status: 422, body: coded('BUNDLE_QUOTA_REACHED', { quota: 1, current: 1 }) },
    }
  },
  'one name': async (_, [a, b]) => ({
    requests: [bundle('Same', a), bundle('Same', b)],
    won: 201,
    lost: { status: 409, body: coded('BUNDLE_NAME_TAKEN', { name: 'Same' }) },
  }),
  'one set of addresses': async (_, [a, b]) => ({
    requests: [bundle('A', a, b), bundle('B', b, a)],
    won: 201,
    lost: { status: 409, body: coded('BUNDLE_MEMBERS_ALREADY_BUNDLED', { bundleId: expect.any(String) }) },
  }),
  'the last place of a bundle': async (account, [a, b, c], service) => {
    await updateAccount(service.db, account.id, { quotas: { bundleSize: 2 } })
    const path = `/v1/bundles/${await bundleOf(account, a)}/addresses`
    return {
      requests: [
        ['POST', path, { address: b }],
        ['POST', path, { address: c }],
      ],
      won: 200,
      lost: { status: 422, body: coded('BUNDLE_SIZE_LIMIT_EXCEEDED', { limit: 2 }) },
    }
  },
  'the last two members': async (account, [a, b]) => {
    const path = `/v1/bundles/${await bundleOf(account, a, b)}/addresses`
    return {
      requests: [
        ['DELETE', `${path}/${a}`],
        ['DELETE', `${path}/${b}`],
      ],
      won: 200,
      lost: { status: 422, body: coded('BUNDLE_EMPTY') },
    }
  },
  'the removal of one entry': async (_, [a]) => ({
    requests: [
      ['DELETE', `/v1/addressbook/${a}`],
      ['DELETE', `/v1/addressbook/${a}`],
    ],
    won: 204,
    lost: { status: 404, body: coded('ADDRESSBOOK_ENTRY_NOT_FOUND') },
  }),
}

/** Exactly one request wins, and only it is charged. */
async function race(service: TwoProcesses, prepare: Prepare): Promise<void> {
  const [{ url }, { url: otherUrl }] = service.processes
  const account = await ownAccount({ db: service.db, url })
  const addresses = [random.address(), random.address(), random.address()] as [string, string, string]
  await account.call(...add(...addresses))
  const { requests, won, lost } = await prepare(account, addresses, service)
  const before = await account.ledger()
  const [first, second] = requests
  const answers = await Promise.all([account.call(...first), account.callAt(otherUrl)(...second)])
  const losers = answers.filter(({ status }) => status !== won)
  expect(losers).toEqual([lost])
  const lines = (await account.ledger()).slice(before.length)
  expect(lines.sort()).toEqual(['charge 1', 'charge 1', 'refund 1'])
}

export const ownDataRaces = Object.entries(races).map(
  ([name, prepare]) =>
    [
      name,
      async (service: TwoProcesses, rounds: number) => {
        for (let round = 0; round < rounds; round += 1) await race(service, prepare)
        console.info(JSON.stringify({ bar: 'own data race', raced: name, seed: random.seed, rounds, wrong: 0 }))
      },
    ] as const,
)
