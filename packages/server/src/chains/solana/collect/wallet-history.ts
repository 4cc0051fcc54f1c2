import { type BlockRange, missingRanges, searchedRanges } from '../../../domain/block-ranges.ts'
import { NATIVE_SOL, type SolanaAddress } from '../../../domain/solana-address.ts'
import type { WalletTransaction } from '../../../domain/transaction.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { ofEnabled } from '../../chain-catalog.ts'
import type { Adjustment, FailWallet, SaveFound } from '../../histories.ts'
import { NotOffered } from '../../rpc/offers.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import { type FinalWallet, readFinalWallet } from '../activity/final-wallet.ts'
import { finalSlot, solanaActivity } from '../activity/wallet-activity.ts'
import { type SolanaTransaction, tokenChanges } from '../codec/solana-transaction.ts'
import type { Mint } from '../codec/token-program.ts'
import { programOf } from '../decode/naming-rules.ts'
import { readSolanaTransactions } from '../decode/read-transactions.ts'
import { readMints } from '../reader/mints.ts'
import type { SolanaContext } from './context.ts'

/** Reads final slots: nothing is rolled back. Sums are compared with the present state: nodes serve no past ones. */
export async function bringUpToDate(context: SolanaContext, of: WalletOnChain, save: SaveFound): Promise<void> {
  const pool = ofEnabled(context.pools, of.chain)
  const now = await readFinalWallet(pool, of.wallet).catch(async (error: unknown) => {
    if (error instanceof NotOffered) await giveUp(context, of, pool)
    throw error
  })
  await searchUpTo(context, { of, pool, now }, save)
}

export async function followWallets(
  context: SolanaContext,
  chain: string,
  wallets: readonly SolanaAddress[],
  save: SaveFound,
  fail: FailWallet,
): Promise<void> {
  const ended = await Promise.allSettled(
    wallets.map((wallet) => context.followed(() => followWallet(context, { chain, wallet }, save))),
  )
  for (const [i, outcome] of ended.entries()) {
    const wallet = wallets[i]
    if (wallet && outcome.status === 'rejected') fail(wallet, outcome.reason)
  }
}

async function followWallet(context: SolanaContext, of: WalletOnChain, save: SaveFound): Promise<void> {
  const pool = ofEnabled(context.pools, of.chain)
  const search = { of, pool, now: await readFinalWallet(pool, of.wallet) }
  if (!(await isSame(context, search)) || (await isNamed(context, search))) await searchUpTo(context, search, save)
}

/** Nothing can be searched without the token accounts. */
async function giveUp(context: SolanaContext, of: WalletOnChain, pool: RpcPool): Promise<void> {
  const missing = await missingSlots(context, of, await finalSlot(pool))
  const gaps = missing.map((range) => ({ ...range, reason: 'not-offered' as const }))
  await context.stores.histories.setGaps(of, gaps)
}

type Search = { of: WalletOnChain; pool: RpcPool; now: FinalWallet }

async function searchUpTo(context: SolanaContext, search: Search, save: SaveFound): Promise<void> {
  const { of, now } = search
  const { histories } = context.stores
  await searchBack(context, search, save)
  await histories.setGaps(of, [])
  await histories.setState(of, { number: now.toSlot, timestamp: now.time })
  await settle(context, search)
}

/** A transaction may name the wallet without changing a balance. */
async function isNamed(context: SolanaContext, { of, pool, now }: Search): Promise<boolean> {
  const ranges = (await missingSlots(context, of, now.toSlot)).slice(0, 1)
  for await (const piece of solanaActivity({ pool, wallet: of.wallet, ranges, tokenAccounts: null })) {
    if (piece.failure || piece.transactions.length > 0) return true
  }
  return false
}

async function searchBack(context: SolanaContext, { of, pool, now }: Search, save: SaveFound): Promise<void> {
  const stored = await context.stores.findTokenAccounts(of)
  const known = new Set(stored)
  let fresh = now.tokenAccounts.map(({ address }) => address).filter((address) => !known.has(address))
  const ranges = await missingSlots(context, of, now.toSlot)
  const tokenAccounts = [...stored, ...fresh]
  for await (const piece of solanaActivity({ pool, wallet: of.wallet, ranges, tokenAccounts })) {
    if (piece.failure) throw piece.failure
    const found = await readHistory(context, of, piece.transactions)
    const opened = [...fresh, ...piece.tokenAccounts]
    await save(of, found, { ranges: piece.covered, native: piece.covered, tokenAccounts: opened })
    fresh = []
  }
}

async function missingSlots({ stores }: SolanaContext, of: WalletOnChain, toBlock: bigint): Promise<BlockRange[]> {
  return missingRanges({ fromBlock: 0n, toBlock }, searchedRanges(await stores.histories.findCoverage(of)))
}

/** Rejects with `UpstreamError` if a node failure leaves mints unknown. */
async function readHistory(
  { chains, tokens, unscaled, openReader }: SolanaContext,
  { chain, wallet }: WalletOnChain,
  transactions: readonly SolanaTransaction[],
): Promise<WalletTransaction[]> {
  const known = await tokens.of(ofEnabled(chains, chain))
  const balances = transactions.flatMap(tokenChanges)
  const mints = [...new Set(balances.filter(({ owner }) => owner === wallet).map(({ mint }) => mint))]
  const reader = openReader(chain)
  const reading = readMints(
    reader,
    mints.filter((mint) => !unscaled.get(mint)),
    unscaled,
  )
  const [scaled] = await Promise.all([reading, known.learn(reader, mints)])
  const isSpam = (mint: SolanaAddress) => {
    const token = known.find(mint)
    return token !== undefined && known.isSpam(token)
  }
  const found = readSolanaTransactions(transactions, wallet, { programOf, isSpam })
  return found.map((transaction) => withUnits(transaction, scaled))
}

function withUnits(transaction: WalletTransaction, mints: ReadonlyMap<SolanaAddress, Mint>): WalletTransaction {
  const { time } = transaction
  const movements = transaction.movements.map((movement) => {
    const mint = mints.get(movement.token)
    const multiplier = mint?.multiplierAt?.(time)?.toFixed()
    if (!mint || multiplier === undefined) return movement
    return { ...movement, unit: { multiplier, known: time >= mint.multiplierSince } }
  })
  return { ...transaction, movements }
}

/** Differences are gaps: no token grows by itself. Needs all movements up to `toSlot`. */
async function settle({ stores: { sums: store } }: SolanaContext, { of, now }: Search): Promise<void> {
  // Earlier balances say nothing about tokens that moved since.
  const moved = now.fromSlot < now.toSlot ? await store.movedAfter(of, now.fromSlot) : new Set()
  await store.settle(of, now.toSlot, ({ sums }) =>
    differences(now, sums)
      .filter(({ token }) => !moved.has(token))
      .map((difference): Adjustment => ({ ...difference, debt: false, kind: 'gap' })),
  )
}

async function isSame({ stores }: SolanaContext, { of, now }: Search): Promise<boolean> {
  const stored = await stores.sums.sums(of)
  return stored !== undefined && differences(now, stored.sums).length === 0
}

function differences({ lamports, tokenAccounts }: FinalWallet, sums: ReadonlyMap<SolanaAddress, bigint>) {
  const balances = new Map([[NATIVE_SOL, lamports]])
  for (const { mint, amountRaw } of tokenAccounts) balances.set(mint, (balances.get(mint) ?? 0n) + amountRaw)
  return [...new Set([...sums.keys(), ...balances.keys()])]
    .map((token) => ({ token, amountRaw: (balances.get(token) ?? 0n) - (sums.get(token) ?? 0n) }))
    .filter(({ amountRaw }) => amountRaw !== 0n)
}
