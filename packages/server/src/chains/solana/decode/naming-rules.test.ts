import { expect, test } from 'vitest'
import { solanaTransaction } from '../../../../test/solana/draft-transaction.ts'
import { createRemainder } from '../../legs.ts'
import type { SolanaChange } from './changes.ts'
import { PLAIN, type ProgramDirectory, plainLegs, UNREQUESTED } from './naming-rules.ts'

const LENDER = 'lender program'
const OTHER = 'other'
const [A, B, BAIT] = ['token A', 'token B', 'bait']

const directory: ProgramDirectory = {
  programOf: (program) => (program === LENDER ? { protocol: 'lender', into: 'DEPOSIT', back: 'WITHDRAW' } : undefined),
  isSpam: (mint) => mint === BAIT,
}

type Draft = {
  program?: string
  /** Default: true. */
  sent?: boolean
  /** A protocol explained another change. */
  isBeside?: boolean
}

/** Without a counterparty: minted or burned. */
const change = (token: string, amountRaw: bigint, counterparty: string | null = OTHER): SolanaChange => ({
  token,
  tokenId: null,
  amountRaw,
  counterparty,
  debt: false,
})

function named(changes: readonly SolanaChange[], { program = 'unknown', sent = true, isBeside = false }: Draft) {
  const tx = solanaTransaction({ instructions: [{ program, accounts: [], data: '', depth: 0 }] })
  const earlier = isBeside ? [{ type: 'STAKE' as const, protocol: null, parts: [] }] : []
  return plainLegs({ tx, wallet: 'wallet', directory, sent }, createRemainder(changes), earlier)
}

type Case = [
  rule: string,
  changes: SolanaChange[],
  draft: Draft,
  type: string,
  protocol: string | null,
  treatments: string[],
]

const CASES: readonly Case[] = [
  ['bait', [change(BAIT, 9n)], { sent: false }, 'SPAM', null, ['spam']],
  ['minted share', [change(A, -9n), change(B, 8n, null)], { program: LENDER }, 'DEPOSIT', 'lender', ['move', 'move']],
  ['burned share', [change(B, -8n, null), change(A, 9n)], { program: LENDER }, 'WITHDRAW', 'lender', ['move', 'move']],
  ['mint for a price', [change(A, -9n), change(B, 8n, null)], {}, 'MINT', null, ['swap', 'swap']],
  ['trade', [change(A, -9n), change(B, 8n)], { program: LENDER }, 'SWAP', 'lender', ['swap', 'swap']],
  ['called protocol', [change(A, -9n)], { program: LENDER }, 'DEPOSIT', 'lender', ['move']],
  ['expense of another action', [change(A, -9n)], { isBeside: true }, 'EXPENSE', null, ['send']],
  ['sent transfer', [change(A, -9n), change(B, -8n)], {}, 'TRANSFEROUT', null, ['send', 'send']],
  ['reward of another action', [change(A, 9n)], { isBeside: true }, 'CLAIM', null, ['income']],
  ['free mint', [change(A, 9n, null)], {}, 'MINT', null, ['acquire']],
  [
    'received transfer',
    [change(A, 9n), change(B, 8n, null)],
    { sent: false },
    'TRANSFERIN',
    null,
    ['acquire', 'acquire'],
  ],
]

test.each(CASES)('%s', (rule, changes, draft, type, protocol, treatments) => {
  const legs = named(changes, draft)
  expect([...new Set(legs.map((leg) => [leg.rule, leg.type, leg.protocol].join()))]).toEqual([
    [rule, type, protocol].join(),
  ])
  expect(legs.flatMap(({ parts }) => parts.map(({ treatment }) => treatment))).toEqual(treatments)
})

test('a called protocol that gives', () => {
  expect(named([change(A, 9n)], { program: LENDER }).map(({ type }) => type)).toEqual(['WITHDRAW'])
})

test('every rule has a case', () => {
  expect(CASES.map(([rule]) => rule)).toEqual([...UNREQUESTED, ...PLAIN].map(({ name }) => name))
})
