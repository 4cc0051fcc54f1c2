import { expect, test } from 'vitest'
import { solanaTransaction } from '../../../../test/solana/draft-transaction.ts'
import { NATIVE_SOL, type SolanaAddress } from '../../../domain/solana-address.ts'
import type { SolanaTransaction, TokenBalance } from '../codec/solana-transaction.ts'
import type { ProgramDirectory } from './naming-rules.ts'
import { readSolanaTransactions } from './read-transactions.ts'

const WALLET = 'Wa11et1111111111111111111111111111111111111'
const POOL = 'Poo1111111111111111111111111111111111111111'
const LENDER = 'Lender1111111111111111111111111111111111111'
const BAIT = 'Bait111111111111111111111111111111111111111'
const [A, B] = ['TokenA1111111111111111111111111111111111111', 'TokenB1111111111111111111111111111111111111']

const directory: ProgramDirectory = {
  programOf: (program) => (program === LENDER ? { protocol: 'lender', into: 'DEPOSIT', back: 'WITHDRAW' } : undefined),
  isSpam: (mint) => mint === BAIT,
}

type Holding = readonly [mint: SolanaAddress, owner: SolanaAddress, before: bigint, after: bigint]
type Draft = { signer?: string; program?: string; index?: number | null }

function draft(holdings: readonly Holding[], { signer = WALLET, program = NATIVE_SOL, index = null }: Draft = {}) {
  const balances = (side: 2 | 3): TokenBalance[] =>
    holdings.map((holding) => {
      const [mint, owner] = holding
      return { account: `${owner} ${mint}`, mint, owner, amountRaw: holding[side] }
    })
  return solanaTransaction({
    index,
    signers: [signer],
    instructions: [{ program, accounts: [], data: '', depth: 0 }],
    lamports: [{ account: signer, before: 9_000n, after: 4_000n }],
    tokensBefore: balances(2),
    tokensAfter: balances(3),
  })
}

function read(tx: SolanaTransaction) {
  const [only] = readSolanaTransactions([tx], WALLET, directory)
  const moved = only?.movements.map((it) => [it.token, it.amountRaw, it.treatment, it.counterparty])
  return { ...only, moved }
}

const FEE = [NATIVE_SOL, -5_000n, 'fee', null]
const GIVEN: Holding[] = [
  [A, WALLET, 10n, 3n],
  [A, POOL, 100n, 107n],
]
const PAID: Holding[] = [
  [B, WALLET, 0n, 5n],
  [B, POOL, 50n, 45n],
]

test('what goes for something else is swapped', () => {
  const moved = [[A, -7n, 'swap', POOL], [B, 5n, 'swap', POOL], FEE]
  expect(read(draft([...GIVEN, ...PAID]))).toMatchObject({ type: 'SWAP', moved })
})

test('what goes into a protocol or comes out of it keeps its cost', () => {
  const lend = (holdings: readonly Holding[]) => read(draft(holdings, { program: LENDER }))
  const into = { type: 'DEPOSIT', protocol: 'lender', to: LENDER, moved: [[A, -7n, 'move', POOL], FEE] }
  expect(lend(GIVEN)).toMatchObject(into)
  expect(lend(PAID)).toMatchObject({ type: 'WITHDRAW', protocol: 'lender', moved: [[B, 5n, 'move', POOL], FEE] })
  const shares = [[A, -7n, 'move', POOL], [B, 6n, 'move', null], FEE]
  expect(lend([...GIVEN, [B, WALLET, 0n, 6n]])).toMatchObject({ type: 'DEPOSIT', moved: shares })
})

test('bait that comes unasked is spam, and what somebody else sends is no deposit', () => {
  const bait = draft([[BAIT, WALLET, 0n, 5n]], { signer: POOL })
  expect(read(bait)).toMatchObject({ type: 'SPAM', moved: [[BAIT, 5n, 'spam', null]] })
  expect(read(draft(PAID, { signer: POOL, program: LENDER }))).toMatchObject({ type: 'TRANSFERIN', protocol: null })
})

test('those of one slot have places of their own, the real ones where they are known', () => {
  const places = (index: (place: number) => number | null) =>
    readSolanaTransactions(
      [0, 1].map((place) => draft([], { index: index(place) })),
      WALLET,
      directory,
    ).map((tx) => tx.index)
  expect(places(() => null)).toEqual([0, 1])
  expect(places((place) => 40 + place)).toEqual([40, 41])
})
