import { type BlockRange, missingRanges, searchedRanges } from '../../../domain/block-ranges.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { createSingleFlight } from '../../../lib/single-flight.ts'
import type { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Chain } from '../../chain.ts'
import { endOf, type SearchStep } from '../../collect/search-end.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import type { UsedProgramStore } from '../../stores.ts'
import { finalSlot, type SolanaActivity, solanaActivity } from '../activity/wallet-activity.ts'

/** Pieces of some hundred transactions after one read: a long history is worked off bit by bit. */
const PIECES_PER_ADVANCE = 8

/** Finds which programs wallets have used by the transactions that name them, newest first, behind the reads. */
export function createUsedPrograms({ store, pools }: { store: UsedProgramStore; pools: ReadonlyMap<string, RpcPool> }) {
  const flights = createSingleFlight<SearchStep>()

  /** As far as it is known. */
  async function of({ key: chain }: Pick<Chain, 'key'>, wallet: SolanaAddress): Promise<ReadonlySet<SolanaAddress>> {
    return new Set(await store.find({ wallet, chain }))
  }

  /**
   * Continues the search. `found`: the wallet has used a program that was not known before. Rejects with
   * `UpstreamError` if no node returns the newest slot; slots that a node fails to search are searched another time.
   */
  function advance(chain: Pick<Chain, 'key'>, wallet: SolanaAddress): Promise<SearchStep> {
    return flights.run(`${chain.key}:${wallet}`, async () => {
      const pool = pools.get(chain.key)
      if (!pool) throw new Error(`${chain.key} is not enabled`)
      const searched = { wallet, chain: chain.key }
      const head = await finalSlot(pool)
      const whole = { fromBlock: 0n, toBlock: head }
      const covered = searchedRanges(await store.findCoverage(searched))
      const known = new Set(await store.find(searched))
      const before = known.size
      let failure: UpstreamError | undefined
      for await (const piece of piecesOf(pool, wallet, missingRanges(whole, covered))) {
        const fresh = [...programsIn(piece)].filter((program) => !known.has(program))
        await store.save(searched, { programs: fresh, covered: piece.covered })
        for (const program of fresh) known.add(program)
        covered.push(...piece.covered)
        failure = piece.failure
      }
      const isWhole = missingRanges(whole, covered).length === 0
      return { found: known.size > before, end: endOf(isWhole, failure) }
    })
  }

  return { of, advance }
}

/** Yields pieces until those of this call are used up or a node fails. */
async function* piecesOf(
  pool: RpcPool,
  wallet: SolanaAddress,
  ranges: readonly BlockRange[],
): AsyncGenerator<SolanaActivity, void, undefined> {
  let left = PIECES_PER_ADVANCE
  for (const range of ranges) {
    for await (const piece of solanaActivity({ pool, wallet, range, tokenAccounts: null })) {
      yield piece
      left -= 1
      if (piece.failure || left === 0) return
    }
  }
}

/** Programs of successful transactions; failed ones changed nothing. */
function programsIn({ transactions }: SolanaActivity): Set<SolanaAddress> {
  const succeeded = transactions.filter((transaction) => transaction.succeeded)
  return new Set(succeeded.flatMap(({ instructions }) => instructions.map(({ program }) => program)))
}
