import { expect } from 'vitest'
import { updateAccount } from '../../src/features/accounts/accounts.ts'
import { type Answer, type OwnAccount, ownAccount, refusal } from '../own-data.ts'
import { seededRandom } from '../random.ts'
import type { TwoProcesses } from './two-processes.ts'

type Request = readonly [method: string, path: string, body?: object]
/** One request per process. `lost`: answer of the second. */
type Race = { requests: readonly [Request, Request]; won: number; lost: Answer }

const random = seededRandom('own data races')
const add = (...addresses: string[]): Request => [
  'POST',
  '/v1/addressbook',
  { entries: addresses.map((address) => ({ address })) },
]
const bundle = (name: string, ...addresses: string[]): Request => ['POST', '/v1/bundles', { name, addresses }]
const member = (path: string, address: string): Request => ['POST', path, { address }]
const remove = (path: string): Request => ['DELETE', path]
const between = (first: Request, second: Request, won: number, lost: Answer): Race => ({
  requests: [first, second],
  won,
  lost,
})

/** The path of a new bundle's members. */
async function membersOf(account: OwnAccount, ...addresses: string[]): Promise<string> {
  const { body } = await account.call(...bundle('First', ...addresses))
  return `/v1/bundles/${(body as { data: { id: string } }).data.id}/addresses`
}

type Prepare = (account: OwnAccount, addresses: [string, string, string], service: TwoProcesses) => Promise<Race>

/** Preparation by contested resource; the account has three saved addresses. */
const races: Record<string, Prepare> = {
  'the last address of the quota': async (account, _, service) => {
    await updateAccount(service.db, account.id, { quotas: { addressBook: 4 } })
    const lost = refusal(422, 'ADDRESSBOOK_QUOTA_REACHED', { quota: 4, current: 4 })
    return between(add(random.address()), add(random.address()), 200, lost)
  },
  'the last bundle of the quota': async (account, [a, b], service) => {
    await updateAccount(service.db, account.id, { quotas: { bundles: 1 } })
    const lost = refusal(422, 'BUNDLE_QUOTA_REACHED', { quota: 1, current: 1 })
    return between(bundle('A', a), bundle('B', b), 201, lost)
  },
  'one name': async (_, [a, b]) =>
    between(bundle('Same', a), bundle('Same', b), 201, refusal(409, 'BUNDLE_NAME_TAKEN', { name: 'Same' })),
  'one set of addresses': async (_, [a, b]) => {
    const lost = refusal(409, 'BUNDLE_MEMBERS_ALREADY_BUNDLED', { bundleId: expect.any(String) })
    return between(bundle('A', a, b), bundle('B', b, a), 201, lost)
  },
  'the last place of a bundle': async (account, [a, b, c], service) => {
    await updateAccount(service.db, account.id, { quotas: { bundleSize: 2 } })
    const path = await membersOf(account, a)
    return between(member(path, b), member(path, c), 200, refusal(422, 'BUNDLE_SIZE_LIMIT_EXCEEDED', { limit: 2 }))
  },
  'the last two members': async (account, [a, b]) => {
    const path = await membersOf(account, a, b)
    return between(remove(`${path}/${a}`), remove(`${path}/${b}`), 200, refusal(422, 'BUNDLE_EMPTY'))
  },
  'the removal of one entry': async (_, [a]) => {
    const path = `/v1/addressbook/${a}`
    return between(remove(path), remove(path), 204, refusal(404, 'ADDRESSBOOK_ENTRY_NOT_FOUND'))
  },
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
