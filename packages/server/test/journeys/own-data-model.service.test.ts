import fc from 'fast-check'
import { expect, test } from 'vitest'
import { updateAccount } from '../../src/features/accounts/accounts.ts'
import { startService } from '../harness.ts'
import { type Answer, type OwnAccount, ownAccount } from '../own-data.ts'
import * as expected from '../own-data-model.ts'
import { seedOf } from '../random.ts'
import { sized } from '../sized.ts'
import { started } from '../started.ts'

type Model = expected.Model
/** Two accounts that must not see each other's data. `ids`: all bundles ever created. */
type World = { models: Model[] }
type Real = { accounts: OwnAccount[]; ids: string[] }
type Command = fc.AsyncCommand<World, Real>

/** Few, so that commands interact. One of the last two is always just beyond the quota. */
const ADDRESSES = [
  `0x${'1'.repeat(36)}aBcD`,
  `0x${'2'.repeat(36)}aBcD`,
  '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
  '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4t',
  'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  '0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7',
]
const CREDITS = 30

const service = await started(startService({ endpoints: { ethereum: ['http://127.0.0.1:9'] } }))

let executed = 0
/** Number of answers, by code or status. */
const answers = new Map<unknown, number>()

/** Every answer of these routes that depends on input alone. */
const REACHED = [
  ...[200, 201, 204, 402],
  ...['VALIDATION_ERROR', 'ADDRESSBOOK_ENTRY_NOT_FOUND', 'ADDRESSBOOK_ENTRY_NOT_DELETABLE'],
  ...['ADDRESSBOOK_QUOTA_REACHED', 'BUNDLE_NOT_FOUND', 'BUNDLE_NAME_TAKEN', 'BUNDLE_MEMBERS_ALREADY_BUNDLED'],
  ...['BUNDLE_QUOTA_REACHED', 'BUNDLE_SIZE_LIMIT_EXCEEDED', 'BUNDLE_EMPTY', 'BUNDLE_ADDRESS_NOT_IN_ADDRESS_BOOK'],
]

/** Mostly one account: otherwise refusals would be rare. */
const who = fc.constantFrom(0, 0, 0, 0, 1)
/** EVM addresses come in two spellings. */
const address = fc
  .tuple(fc.constantFrom(...ADDRESSES, ...ADDRESSES.slice(0, 4), ...ADDRESSES.slice(0, 4)), fc.boolean())
  .map(([text, lower]) => (lower ? expected.normal(text) : text))
const addresses = fc.oneof(
  { weight: 5, arbitrary: fc.uniqueArray(address, { minLength: 1, maxLength: 2 }) },
  { weight: 1, arbitrary: fc.uniqueArray(address, { minLength: 1, maxLength: 4 }) },
)
const label = fc.constantFrom('', 'a', 'b')
const name = fc.constantFrom(' ', 'one', ' one', 'two', 'Two', 'three', 'four', 'five')
const which = fc.nat(2)

/** The path of one of the account's bundles, a removed one, or another account's. */
type BundleOf = (index: number) => { id: string; path: string }
type Asked = { path: string; body?: object; expects(model: Model, answer: Answer): Answer }

/** A request with random values, and its expected answer. */
function requests<G extends unknown[]>(
  method: string,
  given: fc.Arbitrary<G>,
  ask: (bundle: BundleOf, ...of: G) => Asked,
) {
  return fc.tuple(who, given).map(
    ([i, values]): Command => ({
      check: () => true,
      toString: () => `${i}: ${method} ${JSON.stringify(values)} ${ask}`,
      async run({ models }, { accounts, ids }) {
        const model = models[i] as Model
        const bundle = (index: number) => {
          const id = model.bundles[index]?.id ?? ids.at(-1 - index) ?? 'none'
          return { id, path: `/bundles/${id}` }
        }
        const { path, body, expects } = ask(bundle, ...values)
        const answer = await (accounts[i] as OwnAccount).call(method, `/v1${path}`, body)
        const { data, error } = (answer.body ?? {}) as { data?: { id: string }; error?: { code?: string } }
        const kind = error?.code ?? answer.status
        executed += 1
        answers.set(kind, (answers.get(kind) ?? 0) + 1)
        expect(answer).toEqual(expects(model, answer))
        if (answer.status === 201) ids.push(data?.id ?? 'none')
      },
    }),
  )
}

const nothing = fc.tuple()
const bookPath = (of: string) => `/addressbook/${of}`

const commands = [
  requests('GET', nothing, () => ({ path: '/addressbook', expects: expected.listBook })),
  requests('POST', fc.tuple(fc.array(fc.record({ address, label }), { minLength: 1, maxLength: 4 })), (_, entries) => ({
    path: '/addressbook',
    body: { entries },
    expects: (model) => expected.addEntries(model, entries),
  })),
  requests('PATCH', fc.tuple(address, label), (_, of, text) => ({
    path: bookPath(of),
    body: { label: text },
    expects: (model) => expected.relabel(model, of, text),
  })),
  requests('DELETE', fc.tuple(address), (_, of) => ({
    path: bookPath(of),
    expects: (model) => expected.removeEntry(model, of),
  })),
  fc.tuple(who, address, fc.boolean()).map(([i, of, kept]): Command => planChange(i, of, kept)),
  requests('GET', nothing, () => ({ path: '/bundles', expects: expected.listBundles })),
  requests('POST', fc.tuple(name, addresses), (_, title, members) => ({
    path: '/bundles',
    body: { name: title, addresses: members },
    expects: (model, { body }) =>
      expected.createBundle(model, title, members, (body as { data?: { id: string } }).data?.id ?? 'none'),
  })),
  requests('GET', fc.tuple(which), (bundle, index) => {
    const { id, path } = bundle(index)
    return { path, expects: (model) => expected.getBundle(model, id) }
  }),
  requests('PATCH', fc.tuple(which, name), (bundle, index, title) => {
    const { id, path } = bundle(index)
    return { path, body: { name: title }, expects: (model) => expected.renameBundle(model, id, title) }
  }),
  requests('DELETE', fc.tuple(which), (bundle, index) => {
    const { id, path } = bundle(index)
    return { path, expects: (model) => expected.removeBundle(model, id) }
  }),
  requests('POST', fc.tuple(which, address), (bundle, index, of) => {
    const { id, path } = bundle(index)
    return { path: `${path}/addresses`, body: { address: of }, expects: (model) => expected.addMember(model, id, of) }
  }),
  requests('DELETE', fc.tuple(which, address), (bundle, index, of) => {
    const { id, path } = bundle(index)
    return { path: `${path}/addresses/${of}`, expects: (model) => expected.removeMember(model, id, of) }
  }),
]

/** The plan of an entry is paid or ends. */
const planChange = (i: number, of: string, kept: boolean): Command => ({
  check: () => true,
  toString: () => `${i}: ${kept ? 'pay' : 'end'} the plan of ${of}`,
  async run({ models }, { accounts }) {
    executed += 1
    const [plan, end] = kept ? ['PRO', '2999-01-01T00:00:00Z'] : ['FREE', null]
    await service.context.database.pool.query(
      'update address_book_entry set plan = $1, expires_at = $2 where account_id = $3 and address = $4',
      [plan, end, accounts[i]?.id, expected.normal(of)],
    )
    for (const entry of models[i]?.entries ?? []) if (entry.address === expected.normal(of)) entry.kept = kept
  },
})

/** Bundles are created and extended more often than removed: otherwise most accounts would have none. */
const weighted = [...commands, ...Array.from({ length: 4 }, () => commands.slice(6, 7)).flat(), ...commands.slice(9)]

async function compare(list: Iterable<Command>): Promise<void> {
  const { db } = service.context.database
  const accounts = await Promise.all([0, 1].map(() => ownAccount({ db, url: service.url }, { credits: CREDITS })))
  for (const { id } of accounts) await updateAccount(db, id, { quotas: expected.QUOTAS })
  const models: Model[] = accounts.map(() => ({ credits: CREDITS, charged: 0, entries: [], bundles: [] }))
  const first = ADDRESSES.slice(0, 4).map((address) => ({ address, label: '' }))
  for (const [index, account] of accounts.entries()) {
    const answer = await account.call('POST', '/v1/addressbook', { entries: first })
    expect(answer).toEqual(expected.addEntries(models[index] as Model, first))
  }
  await fc.asyncModelRun(() => ({ model: { models }, real: { accounts, ids: [] } }), list)
  for (const [index, account] of accounts.entries()) {
    const spent = models[index]?.charged ?? 0
    expect(await account.call('GET', '/v1/credits')).toEqual({ status: 200, body: CREDITS - spent })
    const sum = { charge: 1, post: 1, hold: 0, void: 0, refund: -1 }
    const lines = await account.ledger()
    const kinds = lines.map((line) => line.replace(/ 1$/, '') as keyof typeof sum)
    expect(kinds.reduce((total, kind) => total + sum[kind], 0)).toBe(spent)
  }
}

test('address book and bundles do what the interface says, whatever is asked of them in whatever order', {
  timeout: sized({ small: 300_000, deep: 3_600_000 }),
}, async () => {
  const least = sized({ small: 800, deep: 20_000 })
  const seed = seedOf('own data')
  const isReached = () => REACHED.every((kind) => answers.has(kind))
  for (let round = 0; executed < least || (!isReached() && executed < 5 * least); round += 1) {
    console.info(`own data: seed ${seed + round}`)
    const list = fc.commands(weighted, { maxCommands: 120, size: 'max' })
    await fc.assert(fc.asyncProperty(list, compare), { seed: seed + round, numRuns: 10, endOnFailure: true })
  }
  const line = { bar: 'own data model', seed, commands: executed, differences: 0 }
  console.info(JSON.stringify({ ...line, answers: Object.fromEntries(answers) }))
  expect([...answers.keys()]).toEqual(expect.arrayContaining(REACHED))
})
