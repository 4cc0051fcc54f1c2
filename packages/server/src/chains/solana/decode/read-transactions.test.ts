import { expect, test } from 'vitest'
import { NATIVE_SOL, type SolanaAddress } from '../../../domain/solana-address.ts'
import type { SolanaTransaction, TokenBalance } from '../codec/solana-transaction.ts'
import { readSolanaTransactions } from './read-transactions.ts'
import type { SolanaBook } from './solana-book.ts'

const WALLET = 'Wa11et1111111111111111111111111111111111111'
const POOL = 'Poo1111111111111111111111111111111111111111'
const LENDER = 'Lender1111111111111111111111111111111111111'
const BAIT = 'Bait111111111111111111111111111111111111111'
const [A, B] = ['TokenA1111111111111111111111111111111111111', 'TokenB1111111111111111111111111111111111111']

const book: SolanaBook = {
  programOf: (program) => (program === LENDER ? { protocol: 'lender', into: 'DEPOSIT', back: 'WITHDRAW' } : undefined),
  isSpam: (mint) => mint === BAIT,
}

type Holding = readonly [mint: SolanaAddress, owner: SolanaAddress, before: bigint, after: bigint]

function draft(
  holdings: readonly Holding[],
  {
    signer = WALLET,
    program = NATIVE_SOL,
    index = null,
  }: { signer?: string; program?: string; index?: number | null } = {},
): SolanaTransaction {
  const balances = (amountOf: (holding: Holding) => bigint): TokenBalance[] =>
    holdings.map((holding) => {
      const [mint, owner] = holding
      return { account: `${owner} ${mint}`, mint, owner, decimals: 6, amountRaw: amountOf(holding) }
    })
  return {
    signature: 'signature',
    slot: 7n,
    index,
    time: 1_790_000_000,
    signers: [signer],
    feeRaw: 5_000n,
    succeeded: true,
    instructions: [{ program, accounts: [], data: '', depth: 0 }],
    lamports: [{ account: signer, before: 9_000n, after: 4_000n }],
    tokensBefore: balances(([, , before]) => before),
    tokensAfter: balances(([, , , after]) => after),
    tellsTokens: true,
  }
}

function read(tx: SolanaTransaction) {
  const [only] = readSolanaTransactions([tx], WALLET, book)
  return {
    ...only,
    moved: only?.movements.map(({ token, amountRaw, treatment, counterparty }) => [
      token,
      amountRaw,
      treatment,
      counterparty,
    ]),
  }
}

const FEE = [NATIVE_SOL, -5_000n, 'fee', null]

test('what goes for something else is swapped', () => {
  const { type, moved } = read(
    draft([
      [A, WALLET, 10n, 3n],
      [A, POOL, 100n, 107n],
      [B, WALLET, 0n, 5n],
      [B, POOL, 50n, 45n],
    ]),
  )
  expect(type).toBe('SWAP')
  expect(moved).toEqual([[A, -7n, 'swap', POOL], [B, 5n, 'swap', POOL], FEE])
})

test('what goes into a protocol or comes out of it keeps its cost', () => {
  const into = read(
    draft(
      [
        [A, WALLET, 10n, 3n],
        [A, POOL, 0n, 7n],
      ],
      { program: LENDER },
    ),
  )
  expect(into).toMatchObject({ type: 'DEPOSIT', protocol: 'lender', to: LENDER, moved: [[A, -7n, 'move', POOL], FEE] })
  const back = read(
    draft(
      [
        [A, WALLET, 3n, 11n],
        [A, POOL, 8n, 0n],
      ],
      { program: LENDER },
    ),
  )
  expect(back).toMatchObject({ type: 'WITHDRAW', protocol: 'lender', moved: [[A, 8n, 'move', POOL], FEE] })
  const shares = read(
    draft(
      [
        [A, WALLET, 10n, 3n],
        [A, POOL, 0n, 7n],
        [B, WALLET, 0n, 6n],
      ],
      { program: LENDER },
    ),
  )
  expect(shares).toMatchObject({ type: 'DEPOSIT', moved: [[A, -7n, 'move', POOL], [B, 6n, 'move', null], FEE] })
})

test('bait that comes unasked is spam, and what somebody else sends is no deposit', () => {
  const bait = draft([[BAIT, WALLET, 0n, 5n]], { signer: POOL })
  expect(read(bait)).toMatchObject({ type: 'SPAM', moved: [[BAIT, 5n, 'spam', null]] })
  const sent: Holding[] = [
    [A, WALLET, 0n, 5n],
    [A, POOL, 5n, 0n],
  ]
  expect(read(draft(sent, { signer: POOL, program: LENDER }))).toMatchObject({ type: 'TRANSFERIN', protocol: null })
})

test('those of one slot have places of their own, the real ones where they are known', () => {
  const places = (index: (place: number) => number | null) =>
    readSolanaTransactions(
      [0, 1].map((place) => draft([], { index: index(place) })),
      WALLET,
      book,
    ).map((tx) => tx.index)
  expect(places(() => null)).toEqual([0, 1])
  expect(places((place) => 40 + place)).toEqual([40, 41])
})
