import type { SolanaAddress } from '../../../domain/solana-address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createKept } from '../../../lib/kept.ts'
import { isNodeFailure, UpstreamError, upstreamOnly } from '../../../lib/upstream-error.ts'
import type { SolanaFamily, SolanaScope } from '../families/family.ts'
import type { SolanaReader } from '../reader/solana-reader.ts'

/** Between two probes of a wallet, in ms: a search of a program's accounts is the dearest call of a node. */
const EVERY_MS = 24 * 60 * 60 * 1_000
const AFTER_FAILURE_MS = 60 * 60 * 1_000
const MOST_WALLETS = 10_000

export type AccountProbe = ReturnType<typeof createAccountProbe>

/**
 * Finds programs that hold accounts of a wallet which no transaction of the wallet names: an account can be opened for
 * another, or handed over. One search a program and wallet, once a day; programs that no node searches are left out.
 */
export function createAccountProbe({
  familiesOf,
  openReader,
  clock,
}: {
  familiesOf(chain: string): readonly SolanaFamily[]
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
    const found = await Promise.all(familiesOf(chain).map((family) => programsWith(family, scope, used)))
    return { programs: found.flatMap((programs) => programs ?? []), failed: found.includes(undefined) }
  }

  /** `used`: programs that need no search. */
  return async function probe(
    of: WalletOnChain<SolanaAddress>,
    used: ReadonlySet<SolanaAddress>,
  ): Promise<readonly SolanaAddress[]> {
    return (await probed.get(`${of.chain} ${of.wallet}`, () => search(of, used))).programs
  }
}

/** The programs of a family if they hold anything of the wallet; undefined where a node failed. */
async function programsWith(
  { searched = [], positions }: SolanaFamily,
  scope: SolanaScope,
  used: ReadonlySet<SolanaAddress>,
): Promise<readonly SolanaAddress[] | undefined> {
  const programs = searched.filter((program) => !used.has(program))
  if (programs.length === 0) return []
  const drafts = await positions({ ...scope, used: new Set(programs) }).catch(upstreamOnly)
  if (drafts instanceof UpstreamError) return isNodeFailure(drafts) ? undefined : []
  return drafts.length > 0 ? programs : []
}
