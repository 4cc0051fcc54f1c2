import { type BlockRange, INDEXED_AFTER, missingRanges, searchedRanges } from '../../../domain/block-ranges.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { createSingleFlight } from '../../../lib/single-flight.ts'
import type { UpstreamError } from '../../../lib/upstream-error.ts'
import { ofEnabled } from '../../chain-catalog.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import { endOf, type SearchStep } from '../../shared/search-end.ts'
import type { UsedProgramStore } from '../../stores.ts'
import { finalSlot, type SolanaActivity, solanaActivity } from '../activity/wallet-activity.ts'
import type { SolanaTransaction } from '../codec/solana-transaction.ts'
import type { AccountProbe } from './account-probe.ts'

const PIECES_PER_ADVANCE = 8
const MOST_REMEMBERED = 10_000

/** Searches the wallet's transactions. `found`: a new program. Rejects if no node returns the newest slot. */
export function createProgramSearch({
  store,
  pools,
  probe,
}: {
  store: UsedProgramStore
  pools: ReadonlyMap<string, RpcPool>
  probe: AccountProbe
}) {
  const flights = createSingleFlight<SearchStep>()
  const newest = createNewest()

  async function search(of: WalletOnChain<SolanaAddress>): Promise<SearchStep> {
    const pool = ofEnabled(pools, of.chain)
    const whole = { fromBlock: 0n, toBlock: await finalSlot(pool) }
    const covered = searchedRanges(await store.findCoverage(of))
    const known = new Set(await store.find(of))
    const before = known.size
    const had = newest.of(of, covered)
    let failure: UpstreamError | undefined
    let left = PIECES_PER_ADVANCE
    const ranges = missingRanges(whole, covered)
    for await (const piece of solanaActivity({ pool, wallet: of.wallet, ranges, tokenAccounts: null, had })) {
      const fresh = [...programsIn(piece)].filter((program) => !known.has(program))
      await store.save(of, { programs: fresh, covered: piece.covered })
      for (const program of fresh) known.add(program)
      covered.push(...piece.covered)
      had.note(piece.transactions)
      failure = piece.failure
      left -= 1
      if (left === 0) break
    }
    had.keep(whole.toBlock)
    const isWhole = missingRanges(whole, covered).length === 0
    const isProbed = isWhole && (await saveProbed(of, known))
    return { found: isProbed || known.size > before, end: endOf(isWhole, failure) }
  }

  async function saveProbed(of: WalletOnChain<SolanaAddress>, known: ReadonlySet<SolanaAddress>): Promise<boolean> {
    const programs = (await probe(of, known)).filter((program) => !known.has(program))
    if (programs.length > 0) await store.save(of, { programs, covered: [] })
    return programs.length > 0
  }

  return (of: WalletOnChain<SolanaAddress>): Promise<SearchStep> =>
    flights.run(`${of.chain}:${of.wallet}`, () => search(of))
}

/** The newest slots are searched again, but final transactions do not change. */
function createNewest() {
  const newest = new BoundedMap<string, ReadonlyMap<string, bigint>>(MOST_REMEMBERED)
  return {
    of({ chain, wallet }: WalletOnChain<SolanaAddress>, covered: readonly BlockRange[]) {
      const key = `${chain}:${wallet}`
      // Programs found in them are deleted with the coverage.
      const read = new Map(covered.length > 0 ? newest.get(key) : undefined)
      return {
        has: (signature: string) => read.has(signature),
        note(transactions: readonly SolanaTransaction[]): void {
          for (const { slot, signature } of transactions) read.set(signature, slot)
        },
        keep(top: bigint): void {
          newest.set(key, new Map([...read].filter(([, slot]) => slot + INDEXED_AFTER >= top)))
        },
      }
    },
  }
}

/** Failed transactions changed nothing. */
function programsIn({ transactions }: SolanaActivity): Set<SolanaAddress> {
  const succeeded = transactions.filter((transaction) => transaction.succeeded)
  return new Set(succeeded.flatMap(({ instructions }) => instructions.map(({ program }) => program)))
}
