import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Holding, ReadGap } from '../../../domain/wallet-read.ts'
import { createKept } from '../../../lib/kept.ts'
import type { Scan } from '../reader/evm-reader.ts'
import type { EvmContext } from './evm-context.ts'

/** Tokens that fail for every wallet this long are dead: lists keep some for years. */
const DEAD_AFTER_MS = 24 * 60 * 60 * 1000
const NOTED_MS = 60_000

export function createRefusingTokens({ stores: { refusals }, listed, clock }: EvmContext) {
  const kept = createKept<Map<EvmAddress, number>>({ clock, freshMs: NOTED_MS })

  /** Returns a gap if a listed, living token failed: the wallet may hold it. */
  return async function missingOf(chain: string, scan: Scan, holdings: readonly Holding[]): Promise<ReadGap[]> {
    const since = await kept.get(chain, async () => new Map(await refusals.find(chain)))
    const refusing = [...scan.failed].filter((token) => listed.find(chain, token)?.listed)
    const fresh = refusing.filter((token) => !since.has(token))
    const answering = [...since.keys()].filter((token) => !scan.failed.has(token))
    for (const token of fresh) since.set(token, clock.now())
    for (const token of answering) since.delete(token)
    const shown = new Set(holdings.map(({ token }) => token))
    const isAlive = (token: EvmAddress) => clock.now() - (since.get(token) ?? 0) < DEAD_AFTER_MS
    // Before any await: a scan of another wallet may change `since`.
    const isMissing = refusing.some((token) => !shown.has(token) && isAlive(token))
    await Promise.all([refusals.add(chain, fresh, clock.now()), refusals.forget(chain, answering)])
    return isMissing ? [{ reason: 'unreadable' }] : []
  }
}
