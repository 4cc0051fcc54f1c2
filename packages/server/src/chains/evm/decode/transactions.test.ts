import { expect, test } from 'vitest'
import { draftTransaction, draftTransfer } from '../../../../test/draft-transaction.ts'
import {
  addressOf,
  castDirectory,
  castNames,
  ethereum,
  readCases,
  readingOf,
  type TransactionCase,
  transactionOf,
} from '../../../../test/transaction-cases.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { createRemainder } from '../../legs.ts'
import { bindProtocol, protocolRows } from '../protocols/protocols.ts'
import { changesOf } from './changes.ts'
import { bridgeRows, type ContractDirectory, createContractDirectory } from './contract-directory.ts'
import { labelsOf } from './contract-labels.ts'
import { PLAIN, plainLegs, UNREQUESTED } from './naming-rules.ts'
import { purposeLegs, RECEIPT_RULES } from './purpose-legs.ts'
import { readTransaction, STILL_RULES } from './read-transaction.ts'
import { sceneOf } from './scene.ts'

const {
  rules = [],
  unlisted = [],
  'contracts on Ethereum': contracts = [],
  ...others
} = Object.fromEntries(readCases())
const wallet = addressOf('wallet')

const cases = Object.entries({ rules, ...others }).flatMap(([section, list]) =>
  list.map((one) => ({ ...one, name: `${section}: ${one.title}`, isWithOthers: section === 'transactions' })),
)

test.each(cases)('$name', ({ items, expected, isWithOthers }) => {
  expect(readingOf(transactionOf(items), castDirectory, isWithOthers)).toBe(expected)
})

/** Names of the rules that apply to a transaction. */
function rulesOf({ items }: TransactionCase): string[] {
  const scene = sceneOf(transactionOf(items), wallet, castDirectory)
  const rest = createRemainder(changesOf(scene))
  const legs = [...purposeLegs(scene, rest), ...plainLegs(scene, rest, [])]
  const still = legs.length > 0 ? undefined : STILL_RULES.find(({ when }) => when(scene))
  return [...legs, ...(still ? [{ rule: still.name }] : [])].map(({ rule }) => rule)
}

test('every rule has a case, which its name decides', () => {
  const names = [...UNREQUESTED, ...PLAIN, ...RECEIPT_RULES, ...STILL_RULES].map(({ name }) => name)
  expect(rules.map(({ title }) => title)).toEqual(names)
  expect(rules.filter((one) => !rulesOf(one).includes(one.title))).toEqual([])
})

test('a transaction keeps what the chain says of it', () => {
  const { logs: _, nativeTransfers: __, calls: ___, feeInToken: ____, ...facts } = draftTransaction([])
  expect(readTransaction(draftTransaction([]), wallet, castDirectory)).toMatchObject(facts)
})

test.each([
  ['without topics', { topics: [] }],
  ['with half a word', { data: '0x0003' }],
] as const)('a log %s says nothing', (_, cut) => {
  const log = { ...draftTransfer(addressOf('usdc'), wallet, addressOf('other'), 3n), ...cut }
  expect(readingOf(draftTransaction([log], { feeRaw: 0n }))).toBe('INTERACTION')
})

test('the directory lists what rebases', () => {
  const rebasing = castNames.filter((name) => castDirectory.isRebasing(addressOf(name)))
  expect(rebasing.toSorted()).toEqual([
    ...['aUsdc', 'aWeth', 'comet', 'debtUsdc', 'oldAUsdc', 'oldStableUsdc', 'stEth', 'stableUsdc'],
  ])
})

/** Without protocol contracts, which only nodes list. */
const directoryOf = (rows: typeof protocolRows): ContractDirectory =>
  createContractDirectory({
    chain: { ...ethereum, wrappedNative: addressOf('weth') },
    rows: rows.map((row) => ({ deployment: bindProtocol(row), protocolContracts: undefined })),
    bridges: bridgeRows,
    labelOf: labelsOf('ethereum'),
    isListed: (token) => ['usdc', 'dai', 'reward', 'wstEth'].map(addressOf).includes(token),
    isSpam: () => false,
  })
const lists = directoryOf([])

/** By name: an address, and the protocol keys in lists and deployments. */
const places = new Map(
  contracts.map(({ title }) => {
    const [name = '', facts = ''] = title.split(': ')
    const [address, ...owners] = facts.split(' ')
    return [name, { address: address as EvmAddress, owners }]
  }),
)

/** The title has the contract and the called function. The type is the action according to the project's documentation. */
const calls = unlisted.map(({ title, items, expected }) => {
  const [name = '', signature = ''] = title.split(': ')
  const { address, owners = [] } = places.get(name) ?? {}
  const tx = transactionOf([`call ${signature}`, items].filter(Boolean).join('; '), address)
  return { name, title, owners, expected, tx }
})

test.each(calls)('without a row: $title', ({ tx, expected }) => {
  expect(readTransaction(tx, wallet, lists).type).toBe(expected)
})

/** Calls of contracts with known owners: how many have a name, which a wrong one, which contracts none. */
function namedBy(directory: ContractDirectory) {
  const read = calls
    .filter(({ owners }) => owners.length > 0)
    .map((one) => ({ ...one, protocol: readTransaction(one.tx, wallet, directory).protocol }))
  const missing = read.filter(({ protocol }) => protocol === null)
  const wrong = read.filter(({ owners, protocol }) => protocol !== null && !owners.includes(protocol))
  return {
    ...{ count: read.length, named: read.length - missing.length },
    ...{ wrong, missing: [...new Set(missing.map(({ name }) => name))] },
  }
}

test('lists name 112 of 126 contracts, and none wrongly', () => {
  expect(namedBy(lists)).toMatchObject({ wrong: [], count: 126, named: 112 })
})

test('with the rows of the catalog all have a name, but two routers and what only nodes list', () => {
  const missing = ['Maverick', 'Liquidity Book', 'crvUSD', 'wstETH']
  expect(namedBy(directoryOf(protocolRows.filter(({ chain }) => chain === 'ethereum')))).toMatchObject({
    wrong: [],
    missing,
  })
})
