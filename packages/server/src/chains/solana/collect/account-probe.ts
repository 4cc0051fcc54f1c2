import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createKept } from '../../../lib/kept.ts'
import { isNodeFailure, UpstreamError, upstreamOnly } from '../../../lib/upstream-error.ts'
import type { SolanaAdapter, SolanaScope } from '../protocols/adapter.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'

/** The most expensive call of a node. */
const EVERY_MS = 24 * 60 * 60 * 1_000
const AFTER_FAILURE_MS = 60 * 60 * 1_000
const MOST_WALLETS = 10_000

export type AccountProbe = ReturnType<typeof createAccountProbe>

/** An account can be opened or handed over without a transaction that names its owner. */
export function createAccountProbe({
  adaptersOf,
  openReader,
  clock,
}: {
  adaptersOf(chain: string): readonly SolanaAdapter[]
  openReader(chain: string): SolanaReader
  clock: Clock
}) {
  type Probed = { programs: readonly SolanaAddress[]; failed: boolean }
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
    const scope = { reader, wallet, clock: await reader.clock(), held: [] }
    const found = await Promise.all(adaptersOf(chain).map((adapter) => programsWith(adapter, scope, used)))
    return { programs: found.flatMap((programs) => programs ?? []), failed: found.includes(undefined) }
  }

  return async function probe(
    of: WalletOnChain<SolanaAddress>,
    used: ReadonlySet<SolanaAddress>,
  ): Promise<readonly SolanaAddress[]> {
    return (await probed.get(`${of.chain} ${of.wallet}`, () => search(of, used))).programs
  }
}

async function programsWith(
  { searched = [], positions }: SolanaAdapter,
  scope: SolanaScope,
  used: ReadonlySet<SolanaAddress>,
): Promise<readonly SolanaAddress[] | undefined> {
  const programs = searched.filter((program) => !used.has(program))
  if (programs.length === 0) return []
  const drafts = await positions({ ...scope, used: new Set(programs) }).catch(upstreamOnly)
  if (drafts instanceof UpstreamError) return isNodeFailure(drafts) ? undefined : []
  return drafts.length > 0 ? programs : []
}
