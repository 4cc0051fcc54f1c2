import { base58 } from '@scure/base'
import { expect, test } from 'vitest'
import { solanaTransaction } from '../../../../test/solana/draft-transaction.ts'
import { NATIVE_SOL, type SolanaAddress, WRAPPED_SOL } from '../../../domain/solana-address.ts'
import type { TokenBalance } from '../codec/solana-transaction.ts'
import { LENDING_PROGRAM, VAULTS_PROGRAM } from '../protocols/jupiter-lend/layout.ts'
import { programOf } from './naming-rules.ts'
import { readSolanaTransactions } from './read-transactions.ts'

// Calls of Jupiter Lend by wallets on mainnet, with their movements.

const WALLET = 'Wa11et1111111111111111111111111111111111111'
const OTHER = 'Other11111111111111111111111111111111111111'
const LIQUIDITY = '7s1da8DduuBFqGra5bJBjpnvL5E9mGzCuMk1Qkh4or2Z'
const NFT = 'DgE1zGCXdp1cTCV1C5Bz3Xn4m7KpqKCAgeFs6QuPrZPi'
const JUP_SOL = 'jupSoLaHXQiZZTSfEWMTRRgpnyFm8f6sZdosWBjx93v'
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const JL_USDC = '9BEcn9aPEmhSPbPQeFGjidRiEKki46fVQDyPpSQXPA2D'
const DATA = {
  /** 500,000,000 of collateral. */
  deposit: 'cChpZziPXfzNHRLMbKpPXtB73jWz7e6rfh3CEM1wXU1enM5EdAmo79GmkE8MDM4om9b',
  /** 6,126,400 of debt. */
  borrow: 'cChpZziPXfzNCMxQzYYaFZzXMFr1owyUffxKKZzXZoS7chTdZtqScWC6JowSSKM1uo7',
  /** 42,000,000,000 of debt, for 40,000,000,000 of collateral. */
  repayAndWithdraw: 'cChpZziPXfzNHy5KomMhWJi8BtTqEy72gwCaCEGyPJTQMbDgD2V3CuktKq7kACGrCrd',
}
const directory = { programOf, isSpam: () => false }
const FEE = 5_000n

type Call = { program?: string; data?: string; collateral?: string; debt?: string; signer?: string }
type Changes = { sol?: bigint; tokens?: readonly (readonly [mint: SolanaAddress, change: bigint])[]; held?: bigint }

/** A transaction of the wallet that holds or gets the NFT. The counterparty of tokens is the liquidity layer. */
function read(call: Call, { sol = 0n, tokens = [], held = 1n }: Changes) {
  const { program = VAULTS_PROGRAM, data = '', collateral = WRAPPED_SOL, debt = USDC, signer = WALLET } = call
  const accounts = Array.from({ length: 13 }, (_, place) => `account ${place}`)
  Object.assign(accounts, { 0: signer, 8: collateral, 9: debt, 12: 'nft account' })
  const isMinted = (mint: string) => mint === JL_USDC
  const sides = tokens.flatMap(([mint, change]) => [
    { mint, owner: WALLET, change },
    ...(isMinted(mint) ? [] : [{ mint, owner: LIQUIDITY, change: -change }]),
  ])
  const balances = (times: bigint): TokenBalance[] =>
    sides.map(({ mint, owner, change }) => ({
      ...{ account: `${owner} ${mint}`, mint, owner },
      amountRaw: 10n ** 15n + times * change,
    }))
  const nft = { account: 'nft account', mint: NFT, owner: WALLET }
  const tx = solanaTransaction({
    signers: [WALLET],
    instructions: [{ program, accounts, data, depth: 0 }],
    lamports: [
      { account: WALLET, before: 10n ** 12n, after: 10n ** 12n + sol - FEE },
      { account: LIQUIDITY, before: 10n ** 12n, after: 10n ** 12n - sol },
    ],
    tokensBefore: [...balances(0n), { ...nft, amountRaw: held }],
    tokensAfter: [...balances(1n), { ...nft, amountRaw: 1n }],
  })
  const [only] = readSolanaTransactions([tx], WALLET, directory)
  const moved = only?.movements.filter(({ treatment }) => treatment !== 'fee')
  return [only?.type, only?.protocol, moved?.map((it) => [it.token, it.tokenId, it.amountRaw, it.treatment, it.leg])]
}

test('collateral goes into the position, and what the NFT costs is not a sale', () => {
  const rent = 17_962_240n
  expect(read({ data: DATA.deposit }, { sol: -500_000_001n - rent, held: 0n })).toEqual([
    'DEPOSIT',
    'jupiter_lend',
    [
      [NFT, 0n, 0n, 'move', 0],
      [NATIVE_SOL, null, -500_000_001n, 'move', 0],
      [NATIVE_SOL, null, -rent, 'move', 1],
      [NFT, null, 1n, 'move', 1],
    ],
  ])
})

test('what is borrowed comes against a debt of the position', () => {
  expect(read({ data: DATA.borrow }, { tokens: [[USDC, 6_126_400n]] })).toEqual([
    'BORROW',
    'jupiter_lend',
    [
      [NFT, 0n, 0n, 'borrow', 0],
      [USDC, null, 6_126_400n, 'borrow', 0],
    ],
  ])
})

test('a repayment with a withdrawal is both, and no swap', () => {
  const call = { data: DATA.repayAndWithdraw, collateral: JUP_SOL, debt: WRAPPED_SOL }
  const changes = { sol: -42_000_000_001n, tokens: [[JUP_SOL, 40_000_000_000n]] } as const
  const [type, protocol, moved] = read(call, changes)
  expect([type, protocol]).toEqual(['MULTITYPE', 'jupiter_lend'])
  expect(moved).toEqual(
    expect.arrayContaining([
      [NATIVE_SOL, null, -42_000_000_001n, 'repay', 1],
      [JUP_SOL, null, 40_000_000_000n, 'move', 0],
      [NFT, 0n, 0n, 'repay', 1],
      [NFT, 0n, 0n, 'move', 0],
    ]),
  )
})

test('all of a debt or of the collateral is as much as moved', () => {
  const smallest = new Uint8Array(16)
  smallest[15] = 0x80
  const data = (collateral: Uint8Array, debt: Uint8Array) =>
    base58.encode(Uint8Array.of(...base58.decode(DATA.deposit).subarray(0, 8), ...collateral, ...debt))
  const none = new Uint8Array(16)
  const moves = (changes: Changes, call: Call) => read(call, changes).slice(0, 2)
  const all = { tokens: [[JUP_SOL, 123n]] } as const
  expect(moves(all, { data: data(smallest, none), collateral: JUP_SOL })).toEqual(['WITHDRAW', 'jupiter_lend'])
  expect(moves({ tokens: [[USDC, -123n]] }, { data: data(none, smallest) })).toEqual(['REPAYVAULT', 'jupiter_lend'])
})

test('a call that another signed, or that is none of these, is called as those of other protocols', () => {
  const borrowed = { tokens: [[USDC, 6_126_400n]] } as const
  expect(read({ data: DATA.borrow, signer: OTHER }, borrowed).slice(0, 2)).toEqual(['WITHDRAW', 'jupiter_lend'])
  for (const data of ['', 'no base58: 0OIl', base58.encode(base58.decode(DATA.borrow).subarray(0, 39))]) {
    expect(read({ data }, borrowed).slice(0, 2)).toEqual(['WITHDRAW', 'jupiter_lend'])
  }
})

test('jlTokens keep the cost of what they stand for', () => {
  const into = [
    [USDC, -500_000_000n],
    [JL_USDC, 487_817_578n],
  ] as const
  const back = into.map(([mint, change]) => [mint, -change] as const)
  expect(read({ program: LENDING_PROGRAM }, { tokens: into })).toEqual([
    'DEPOSIT',
    'jupiter_lend',
    into.map(([mint, change]) => [mint, null, change, 'move', 0]),
  ])
  expect(read({ program: LENDING_PROGRAM }, { tokens: back }).slice(0, 2)).toEqual(['WITHDRAW', 'jupiter_lend'])
})
