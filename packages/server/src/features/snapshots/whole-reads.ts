import type { Chain } from '../../chains/chain.ts'
import type { Address } from '../../domain/address.ts'
import type { WalletRead } from '../../domain/wallet-read.ts'
import { type DayStates, type Outcome, type Problem, problemOf, whole } from './day-states.ts'

export type WholeRead = { reads: WalletRead[] } | { problem: Problem }

export type WholeReads = ReturnType<typeof createWholeReads>

/** Completely or not at all: an unreadable part never counts as empty. */
export function createWholeReads(statesOf: (wallet: Address) => DayStates | undefined) {
  function kindOf(wallet: Address): DayStates {
    const states = statesOf(wallet)
    if (!states) throw new Error('this service reads no chain of this type')
    return states
  }

  /** `timestamp` in Unix seconds. */
  function at(wallet: Address, timestamp: number): Promise<WholeRead> {
    return onAllChains(wallet, (chain, kind) => kind.at(chain, wallet, timestamp))
  }

  function latest(wallet: Address): Promise<WholeRead> {
    return onAllChains(wallet, async (chain, { refresh, search }) => {
      const read = await refresh(chain.key, wallet)
      const { found, end } = await search(chain, wallet, read.block)
      return whole(found ? await refresh(chain.key, wallet) : read, 0, end)
    })
  }

  function isRead(wallet: Address): boolean {
    return (statesOf(wallet)?.chains.size ?? 0) > 0
  }

  async function hasBegun(wallet: Address, timestamp: number): Promise<boolean> {
    const { chains, hasBegun: begun } = kindOf(wallet)
    const found = await Promise.allSettled([...chains.values()].map((chain) => begun(chain, timestamp)))
    return found.some((outcome) => outcome.status === 'fulfilled' && outcome.value)
  }

  async function onAllChains(
    wallet: Address,
    read: (chain: Chain, kind: DayStates) => Promise<Outcome>,
  ): Promise<WholeRead> {
    const kind = kindOf(wallet)
    if (!isRead(wallet)) throw new Error('this service reads no chain of this type')
    const outcomes = await Promise.all(
      [...kind.chains.values()].map((chain) =>
        read(chain, kind).catch((cause: unknown): Outcome => ({ problem: problemOf(chain.key, 0, cause) })),
      ),
    )
    const problems = outcomes.flatMap((outcome) => ('problem' in outcome ? [outcome.problem] : []))
    // While there is a transient problem, nothing is given up.
    const problem = problems.find(({ lasting }) => !lasting) ?? problems[0]
    return problem ? { problem } : { reads: outcomes.flatMap((outcome) => ('read' in outcome ? [outcome.read] : [])) }
  }

  const isPassing = (wallet: Address) => statesOf(wallet)?.passing ?? false

  return { at, latest, isRead, isPassing, hasBegun }
}
