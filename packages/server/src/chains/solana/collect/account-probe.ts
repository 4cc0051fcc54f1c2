import { stampPosition } from '../../../domain/position.ts'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createKept } from '../../../lib/kept.ts'
import { isNodeFailure, UpstreamError, upstreamOnly } from '../../../lib/upstream-error.ts'
import type { SolanaAdapter, SolanaScope } from '../protocols/adapter.ts'
import { solanaAdapters } from '../protocols/protocols.ts'
import type { SolanaContext } from './context.ts'

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
