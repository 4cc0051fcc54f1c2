import { type BlockRange, missingRanges, searchedRanges } from '../../../domain/block-ranges.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { WalletTransaction } from '../../../domain/transaction.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { createGate } from '../../../lib/concurrency.ts'
import { ofEnabled } from '../../chain-catalog.ts'
import type {
  FailWallet,
  FindTokenAccounts,
  SaveFound,
  Saves,
  StoredHistories,
  WalletHistory,
} from '../../histories.ts'
import { NotOffered } from '../../rpc/offers.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { FinalWallet } from '../activity/final-wallet.ts'
import type { solanaActivity } from '../activity/wallet-activity.ts'
import type { SolanaTransaction } from '../codec/solana-transaction.ts'
import type { Reconcile } from './reconcile.ts'

const FOLLOWED_AT_ONCE = 4

type Dependencies = {
  pools: ReadonlyMap<string, RpcPool>
  store: Pick<StoredHistories, 'findCoverage' | 'setState' | 'setGaps'>
  findTokenAccounts: FindTokenAccounts
  readWallet(pool: RpcPool, wallet: SolanaAddress): Promise<FinalWallet>
  findSlot(pool: RpcPool): Promise<bigint>
  findActivity: typeof solanaActivity
  read(of: WalletOnChain, transactions: readonly SolanaTransaction[]): Promise<WalletTransaction[]>
  reconcile: Reconcile
}

/**
 * Uses final slots only: nothing is rolled back. Reads the wallet's state before the search, so that all open token
 * accounts are searched. Compares sums with it afterwards: nodes serve no past states.
 */
export function createWalletHistory(means: Dependencies): WalletHistory<SolanaAddress> {
  const { pools, readWallet, reconcile } = means
  const gate = createGate(FOLLOWED_AT_ONCE)

  async function bringUpToDate(of: WalletOnChain, save: SaveFound): Promise<void> {
    const pool = ofEnabled(pools, of.chain)
    const now = await readWallet(pool, of.wallet).catch(async (error: unknown) => {
      if (error instanceof NotOffered) await giveUp(of, pool)
      throw error
    })
    await searchUpTo(of, pool, now, save)
  }

  /** Nothing can be searched without the token accounts. */
  async function giveUp(of: WalletOnChain, pool: RpcPool): Promise<void> {
    const whole = { fromBlock: 0n, toBlock: await means.findSlot(pool) }
    const missing = missingRanges(whole, searchedRanges(await means.store.findCoverage(of)))
    await means.store.setGaps(
      of,
      missing.map((range) => ({ ...range, reason: 'not-offered' })),
    )
  }

  async function searchUpTo(of: WalletOnChain, pool: RpcPool, now: FinalWallet, save: SaveFound): Promise<void> {
    await searchBack(means, { of, pool, now }, save)
    await means.store.setGaps(of, [])
    await means.store.setState(of, { number: now.toSlot, timestamp: now.time })
    await reconcile.settle(of, now)
  }

  async function follow(
    chain: string,
    wallets: readonly SolanaAddress[],
    { save }: Saves,
    fail: FailWallet,
  ): Promise<void> {
    const pool = ofEnabled(pools, chain)
    const ended = await Promise.allSettled(wallets.map((wallet) => gate(() => followOn({ chain, wallet }, pool, save))))
    for (const [i, outcome] of ended.entries()) {
      const wallet = wallets[i]
      if (wallet && outcome.status === 'rejected') fail(wallet, outcome.reason)
    }
  }

  async function followOn(of: WalletOnChain, pool: RpcPool, save: SaveFound): Promise<void> {
    const now = await readWallet(pool, of.wallet)
    const isSame = await reconcile.isSame(of, now)
    if (!isSame || (await isNamed(of, pool, now))) await searchUpTo(of, pool, now, save)
  }

  /** A transaction may name the wallet without changing a balance. */
  async function isNamed(of: WalletOnChain, pool: RpcPool, now: FinalWallet): Promise<boolean> {
    const ranges = missingRanges(wholeOf(now), searchedRanges(await means.store.findCoverage(of))).slice(0, 1)
    for await (const piece of means.findActivity({ pool, wallet: of.wallet, ranges, tokenAccounts: null })) {
      if (piece.failure || piece.transactions.length > 0) return true
    }
    return false
  }

  return { bringUpToDate, follow }
}

type Search = { of: WalletOnChain; pool: RpcPool; now: FinalWallet }

async function searchBack(
  { store, findTokenAccounts, findActivity, read }: Dependencies,
  { of, pool, now }: Search,
  save: SaveFound,
): Promise<void> {
  const stored = await findTokenAccounts(of)
  const known = new Set(stored)
  let fresh = now.tokenAccounts.map(({ address }) => address).filter((address) => !known.has(address))
  const ranges = missingRanges(wholeOf(now), searchedRanges(await store.findCoverage(of)))
  for await (const piece of findActivity({ pool, wallet: of.wallet, ranges, tokenAccounts: [...stored, ...fresh] })) {
    if (piece.failure) throw piece.failure
    const found = await read(of, piece.transactions)
    const tokenAccounts = [...fresh, ...piece.tokenAccounts]
    await save(of, found, { ranges: piece.covered, native: piece.covered, tokenAccounts })
    fresh = []
  }
}

const wholeOf = ({ toSlot }: FinalWallet): BlockRange => ({ fromBlock: 0n, toBlock: toSlot })
