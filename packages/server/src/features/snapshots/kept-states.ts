import type { Chain } from '../../chains/chain.ts'
import type { Collected, PastBlock } from '../../chains/collected.ts'
import type { Address } from '../../domain/address.ts'
import type { DayBlocks } from './day-blocks.ts'
import { type DayStates, notFinal, type Outcome, problemOf, whole } from './day-states.ts'
import type { EarlyReads } from './early-reads-store.ts'

type OutcomeAt = Outcome & { hash?: string | null }

/**
 * For chains whose nodes keep past states, for a while or forever. Many nodes soon drop the state, so a wallet is read
 * before the block is final. The read counts once the block is final with the same hash.
 */
export function createKeptStates({
  blocks,
  earlyReads,
  collectAt,
  ...kind
}: Pick<DayStates, 'chains' | 'refresh' | 'search'> & {
  blocks: DayBlocks
  earlyReads: EarlyReads
  collectAt(chain: Chain, wallet: Address, block: PastBlock): Promise<Collected>
}): DayStates {
  async function at(chain: Chain, wallet: Address, timestamp: number): Promise<Outcome> {
    const { final, block, early } = await blocks.find(chain.key, timestamp)
    const key = { wallet, timestamp, chain: chain.key }
    if (early) return (await readEarly(chain, key, early)) ?? notFinal(chain)
    if (!block) return notFinal(chain)
    const kept = await earlyReads.find(key)
    if (kept?.hash === block.hash) return { read: kept.read }
    return readAt(chain, wallet, { target: block, age: final.timestamp - timestamp })
  }

  async function readEarly(
    chain: Chain,
    key: Parameters<EarlyReads['find']>[0],
    target: PastBlock & { hash: string },
  ): Promise<Outcome | undefined> {
    const kept = await earlyReads.find(key)
    if (kept?.hash === target.hash) return undefined
    const outcome = await readAt(chain, key.wallet, { target, age: 0 })
    if ('problem' in outcome) return outcome
    if (outcome.hash) await earlyReads.save(key, { hash: outcome.hash, read: outcome.read })
    return undefined
  }

  async function readAt(
    chain: Chain,
    wallet: Address,
    { target, age }: { target: PastBlock; age: number },
  ): Promise<OutcomeAt> {
    try {
      const { end } = await kind.search(chain, wallet, target.number)
      const { read, hash } = await collectAt(chain, wallet, target)
      return { ...whole(read, age, end), hash }
    } catch (cause) {
      return { problem: problemOf(chain.key, age, cause) }
    }
  }

  async function hasBegun({ key }: Chain, timestamp: number): Promise<boolean> {
    const { block, early } = await blocks.find(key, timestamp)
    return (block ?? early) !== undefined
  }

  return { ...kind, passing: false, at, hasBegun }
}
