import type { Chain } from '../chains/chain.ts'
import { ofEnabled } from '../chains/chain-catalog.ts'
import type { ChainReading } from '../chains/chain-reading.ts'
import type { Collected, CollectedNow } from '../chains/collected.ts'
import type { SearchStep } from '../chains/shared/search-end.ts'
import type { Address } from '../domain/address.ts'
import type { Clock } from '../lib/clock.ts'
import { FairGate, type Places } from '../lib/fair-gate.ts'
import type { Logger } from '../lib/logger.ts'
import { currentTenant } from '../lib/tenant.ts'
import { UpstreamError } from '../lib/upstream-error.ts'
import type { WalletReadStore } from './wallet-read-store.ts'
import { afterSearch, NEVER_SEARCHED, type StoredRead } from './wallet-search.ts'

const AT_ONCE: Places = { all: 160, alone: 128, least: 16, rests: true }
const ATTEMPTS = 3

type Last = StoredRead & { hash: string | null }

type Asked = CollectedNow['asked'] | undefined

export function createRefresh({
  chains,
  readingOf,
  store,
  clock,
  log,
}: {
  chains: ReadonlyMap<string, Chain>
  readingOf(chain: string): Pick<ChainReading, 'collect' | 'search' | 'isReplaced'>
  store: WalletReadStore
  clock: Clock
  log: Logger
}) {
  const gatesOf = () => ({ reads: new FairGate(AT_ONCE), searches: new FairGate(AT_ONCE) })
  const gates = new Map([...chains.keys()].map((key) => [key, gatesOf()]))

  /** `follow`: resolves to whether the search changed what is stored. */
  return async function refresh(
    chainKey: string,
    wallet: Address,
    follow?: (search: Promise<boolean>) => void,
  ): Promise<StoredRead> {
    const [chain, gate] = [ofEnabled(chains, chainKey), ofEnabled(gates, chainKey)]
    const tenant = currentTenant()
    const readOnce = () => gate.reads.run(tenant, () => readAndStore(chain, wallet))
    const { asked, ...last } = await readOnce()
    const { search } = readingOf(chainKey)
    if (!search) return noteWhole(last)
    const head = { block: last.read.block, hash: last.hash }
    const searched = gate.searches
      .run(tenant, () => searchBehind(last, asked, (known) => search(chain, wallet, head, known), readOnce))
      .catch((err: unknown) => {
        log.warn(
          { err, chain: chain.key },
          'the background search for unlisted tokens failed; the next read of the wallet continues it',
        )
        return false
      })
    follow?.(searched)
    return last
  }

  async function readAndStore(chain: Chain, wallet: Address): Promise<Last & { asked?: Asked }> {
    const begunAt = clock.now()
    const previous = await store.findOne(wallet, chain.key)
    const { asked, ...found } = await startAnew(() => readingOf(chain.key).collect(chain, wallet, previous))
    const newer = await keep(chain, found, begunAt)
    const search = previous?.search ?? NEVER_SEARCHED
    return { ...(newer ?? { read: found.read, hash: found.hash, search }), ...(asked && { asked }) }
  }

  async function keep(chain: Chain, { read, plan, hash }: Collected, begunAt: number): Promise<Last | undefined> {
    if (await store.save(read, plan, { begunAt, hash })) return undefined
    const stored = await store.findOne(read.wallet, chain.key)
    if (!stored?.hash || stored.read.block <= read.block) return stored
    if (!(await readingOf(chain.key).isReplaced(chain, { block: stored.read.block, hash: stored.hash }))) return stored
    await store.save(read, plan, { begunAt, hash, overAnything: true })
    return undefined
  }

  async function noteWhole(last: Last): Promise<Last> {
    const search = afterSearch(last.search, 'whole', clock.now())
    if (search !== last.search) await store.noteSearch(last.read.wallet, last.read.chain, search)
    return { ...last, search }
  }

  async function searchBehind(
    { read: { wallet, chain }, search }: Last,
    asked: Asked,
    searchOn: (asked: Asked) => Promise<SearchStep>,
    readAgain: () => Promise<{ asked?: Asked }>,
  ): Promise<boolean> {
    let isFound = false
    for (let known = asked; ; ) {
      const { found, end, isAnew, more } = await searchOn(known)
      if (found) known = (await readAgain()).asked
      isFound ||= found
      if (more) continue
      const after = afterSearch(search, end, clock.now(), isAnew)
      if (after !== search) await store.noteSearch(wallet, chain, after)
      return isFound || after !== search
    }
  }
}

/** For a reorg or a disagreement of nodes. */
async function startAnew<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (thrown) {
      if (!(thrown instanceof UpstreamError) || thrown.reason !== 'invalid' || attempt === ATTEMPTS) throw thrown
    }
  }
}
