import type { Chain } from '../../chains/chain.ts'
import type { Address } from '../../domain/address.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import { createGate } from '../../lib/concurrency.ts'
import type { Logger } from '../../lib/logger.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { Collected } from './collect.ts'
import type { WalletReadStore } from './wallet-read-store.ts'

/** Wallets read at one time on one chain: enough to keep an endpoint busy, few enough not to be throttled. */
const READS_PER_CHAIN = 8
/** How often a read is begun that finds its block replaced. */
const ATTEMPTS = 3

/** Reads a wallet on a chain anew, stores what was found, and lets the search for unlisted tokens go on behind. */
export function createRefresh({
  chains,
  collect,
  store,
  discovery,
  log,
}: {
  chains: ReadonlyMap<string, Chain>
  collect(chain: Chain, wallet: Address, previous?: Collected): Promise<Collected>
  store: WalletReadStore
  discovery: {
    /** Searches on for what the wallet holds and no list names; true: something was found. */
    advance(chain: Chain, wallet: Address, head: bigint): Promise<boolean>
  }
  log: Logger
}) {
  const gates = new Map([...chains.keys()].map((key) => [key, createGate(READS_PER_CHAIN)]))

  /** `foundMore`: called when the search behind the read led to another one, and that is stored. */
  return async function refresh(chainKey: string, wallet: Address, foundMore?: () => void): Promise<WalletRead> {
    const chain = chains.get(chainKey)
    const gate = gates.get(chainKey)
    if (!chain || !gate) throw new Error(`${chainKey} is not enabled`)
    const readOnce = () =>
      gate(async () => {
        const previous = await store.findOne(wallet, chainKey)
        const { read, plan } = await startAnew(() => collect(chain, wallet, previous))
        if (await store.save(read, plan)) return read
        return (await store.findOne(wallet, chainKey))?.read ?? read
      })
    const read = await readOnce()
    searchBehind(chain, wallet, read.block, () => readOnce().then(foundMore))
    return read
  }

  /** What the search finds is read at once, so that the next answer shows it. */
  function searchBehind(chain: Chain, wallet: Address, head: bigint, readAgain: () => Promise<unknown>): void {
    discovery
      .advance(chain, wallet, head)
      .then((found) => (found ? readAgain() : undefined))
      .catch((err: unknown) => log.warn({ err, chain: chain.key }, 'the search for unlisted tokens stopped'))
  }
}

/** A chain that was reorganised, or two nodes that disagree, in the middle of a read: it starts anew, at another block. */
async function startAnew<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (thrown) {
      if (!(thrown instanceof UpstreamError) || thrown.reason !== 'invalid' || attempt === ATTEMPTS) throw thrown
    }
  }
}
