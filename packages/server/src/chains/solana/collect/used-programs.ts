import { INDEXED_AFTER, missingRanges, searchedRanges } from '../../../domain/block-ranges.ts'
import { stampPosition } from '../../../domain/position.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createKept } from '../../../lib/kept.ts'
import { createSingleFlight } from '../../../lib/single-flight.ts'
import { isNodeFailure, UpstreamError, upstreamOnly } from '../../../lib/upstream-error.ts'
import { ofEnabled } from '../../chain-catalog.ts'
import { endOf, type SearchStep } from '../../shared/search-end.ts'
import type { UsedProgramStore } from '../../stores.ts'
import { finalSlot, type SolanaActivity, solanaActivity } from '../activity/wallet-activity.ts'
import type { SolanaAdapter, SolanaScope } from '../protocols/adapter.ts'
import { solanaAdapters } from '../protocols/protocols.ts'
import type { SolanaContext } from './context.ts'

const PIECES_PER_ADVANCE = 8
const MOST_REMEMBERED = 10_000

/** Reads ask about no other programs. */
const SEARCHED: ReadonlySet<SolanaAddress> = new Set(solanaAdapters.flatMap(({ searched = [] }) => searched))

/** `found`: a new program among `searched`. Rejects if no node returns the newest slot. */
export function createProgramSearch(
  store: UsedProgramStore,
  pools: SolanaContext['pools'],
  probe: AccountProbe,
  searched = SEARCHED,
) {
  const flights = createSingleFlight<SearchStep>()
  /** Slots by signature, as the newest slots are searched again. */
  const newest = new BoundedMap<string, ReadonlyMap<string, bigint>>(MOST_REMEMBERED)

  async function search(of: WalletOnChain<SolanaAddress>): Promise<SearchStep> {
    const pool = ofEnabled(pools, of.chain)
    const whole = { fromBlock: 0n, toBlock: await finalSlot(pool) }
    const covered = searchedRanges(await store.findCoverage(of))
    const known = new Set(await store.find(of))
    const countSearched = () => [...known].filter((program) => searched.has(program)).length
    const before = countSearched()
    // Programs found in the newest slots are deleted with the coverage.
    const had = new Map(covered.length > 0 ? newest.get(keyOf(of)) : undefined)
    let failure: UpstreamError | undefined
    let left = PIECES_PER_ADVANCE
    const ranges = missingRanges(whole, covered)
    for await (const piece of solanaActivity({ pool, wallet: of.wallet, ranges, tokenAccounts: null, had })) {
      await saveFound(of, piece, known)
      covered.push(...piece.covered)
      for (const { slot, signature } of piece.transactions) had.set(signature, slot)
      failure = piece.failure
      left -= 1
      if (left === 0) break
    }
    newest.set(keyOf(of), new Map([...had].filter(([, slot]) => slot + INDEXED_AFTER >= whole.toBlock)))
    const isWhole = missingRanges(whole, covered).length === 0
    const isProbed = isWhole && (await saveProbed(of, known))
    return { found: isProbed || countSearched() > before, end: endOf(isWhole, failure) }
  }

  async function saveFound(of: WalletOnChain<SolanaAddress>, piece: SolanaActivity, known: Set<SolanaAddress>) {
    // Failed transactions changed nothing.
    const succeeded = piece.transactions.filter((transaction) => transaction.succeeded)
    const called = new Set(succeeded.flatMap(({ instructions }) => instructions.map(({ program }) => program)))
    const fresh = [...called].filter((program) => !known.has(program))
    await store.save(of, { programs: fresh, covered: piece.covered })
    for (const program of fresh) known.add(program)
  }

  async function saveProbed(of: WalletOnChain<SolanaAddress>, known: ReadonlySet<SolanaAddress>): Promise<boolean> {
    const programs = (await probe(of, known)).filter((program) => !known.has(program))
    if (programs.length > 0) await store.save(of, { programs, covered: [] })
    return programs.length > 0
  }

  return (of: WalletOnChain<SolanaAddress>): Promise<SearchStep> => flights.run(keyOf(of), () => search(of))
}

const keyOf = ({ chain, wallet }: WalletOnChain<SolanaAddress>) => `${chain}:${wallet}`

/** The most expensive call of a node. */
const EVERY_MS = 24 * 60 * 60 * 1_000
const AFTER_FAILURE_MS = 60 * 60 * 1_000
const MOST_WALLETS = 10_000

export type AccountProbe = (
  of: WalletOnChain<SolanaAddress>,
  used: ReadonlySet<SolanaAddress>,
) => Promise<readonly SolanaAddress[]>

type Probed = { programs: readonly SolanaAddress[]; failed: boolean }

/** An account can be opened or handed over without a transaction that names its owner. */
export function createAccountProbe(
  openReader: SolanaContext['openReader'],
  findsOf: SolanaContext['findsOf'],
  clock: Clock,
): AccountProbe {
  const probed = createKept<Probed>({
    most: MOST_WALLETS,
    clock,
    freshMs: ({ failed }) => (failed ? AFTER_FAILURE_MS : EVERY_MS),
  })

  async function search(
    { chain, wallet }: WalletOnChain<SolanaAddress>,
    used: ReadonlySet<SolanaAddress>,
  ): Promise<Probed> {
    const reader = openReader(chain)
    const scope = { reader, wallet, clock: await reader.clock(), held: [], found: findsOf(chain) }
    const found = await Promise.all(solanaAdapters.map((adapter) => programsWith(adapter, scope, used)))
    return { programs: found.flatMap((programs) => programs ?? []), failed: found.includes(undefined) }
  }

  return async (of, used) => (await probed.get(`${of.chain} ${of.wallet}`, () => search(of, used))).programs
}

async function programsWith(
  { key, searched = [], positions }: SolanaAdapter,
  scope: SolanaScope,
  used: ReadonlySet<SolanaAddress>,
): Promise<readonly SolanaAddress[] | undefined> {
  const programs = searched.filter((program) => !used.has(program))
  if (programs.length === 0) return []
  const drafts = await positions({ ...scope, used: new Set(programs) }).catch(upstreamOnly)
  if (drafts instanceof UpstreamError) return isNodeFailure(drafts) ? undefined : []
  return drafts.some((draft) => stampPosition(draft, key, '')) ? programs : []
}
