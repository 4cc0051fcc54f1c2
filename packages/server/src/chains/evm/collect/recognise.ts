import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { FairGate } from '../../../lib/fair-gate.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { currentTenant } from '../../../lib/tenant.ts'
import type { Chain } from '../../chain.ts'
import type { ProtocolContract } from '../protocols/adapter.ts'
import type { EvmContext } from './evm-context.ts'
import { withKnownFacts } from './protocol-contracts.ts'

/** Every protocol asks about each, some 3 ms of CPU. */
export const STEP_CONTRACTS = 20
/** Pause between an account's steps, in steps, up to a second. */
const REST = { times: 2, mostMs: 1_000 }
const VERDICT_MS = 24 * 3_600_000
const MOST_VERDICTS = 100_000
/** As a stake of a share of a pool over another pool. */
const DEEPEST = 4

export type Recognise = {
  /** Returns those of a protocol. Accounts take turns. */
  ask(chain: Chain, found: readonly EvmAddress[]): Promise<ReadonlySet<EvmAddress>>
  isKnown(chain: Chain, address: EvmAddress): boolean
}

type WaitingPage = { contracts: readonly EvmAddress[]; resolve(): void; reject(error: unknown): void }

const contractsOf = (pages: readonly WaitingPage[]) => new Set(pages.flatMap(({ contracts }) => contracts))

/** Removes the oldest pages that fit into one step. */
function takeStep(pages: WaitingPage[]): WaitingPage[] {
  let count = 0
  while (count < pages.length && contractsOf(pages.slice(0, count + 1)).size <= STEP_CONTRACTS) count += 1
  return pages.splice(0, count)
}

export function createRecognise(context: EvmContext): Recognise {
  const { protocolContracts, untrustedContracts, tokens, openPatient, clock, timer } = context
  const askedAt = new BoundedMap<string, number>(MOST_VERDICTS)
  const steps = new FairGate({ all: 2, alone: 1, least: 1 })
  const waiting = new Map<string, WaitingPage[]>()
  const nameOf = (chain: Chain, address: EvmAddress) => `${chain.key} ${address}`

  function isKnown(chain: Chain, address: EvmAddress): boolean {
    const at = askedAt.get(nameOf(chain, address))
    return at !== undefined && clock.now() - at < VERDICT_MS
  }

  async function askStep(chain: Chain, page: readonly EvmAddress[]): Promise<void> {
    const known = await tokens.of(chain)
    const reader = openPatient(chain.key)
    const rows = (await protocolContracts.rowsOf(chain, page)).filter(({ deployment }) => deployment.adapter.recognise)
    await inAndBehind(page, async (contracts) => {
      const due = contracts.filter((address) => !isKnown(chain, address))
      if (due.length === 0) return []
      const [, , ...recognised] = await Promise.all([
        known.learn(reader, due),
        known.check(reader, due),
        ...rows.map(async ({ deployment, protocolContracts: before }) => {
          const own = withKnownFacts(before, await untrustedContracts.recognise(chain, deployment, reader, due))
          await protocolContracts.add(chain, deployment, reader, own)
          return own
        }),
      ])
      // Includes contracts that are no tokens: otherwise each wallet would ask again.
      for (const address of due) askedAt.set(nameOf(chain, address), clock.now())
      return recognised.flat()
    })
  }

  async function answer(chain: Chain, pages: readonly WaitingPage[]): Promise<void> {
    try {
      await askStep(chain, [...contractsOf(pages)])
      for (const { resolve } of pages) resolve()
    } catch (error) {
      // One wallet's contract must not fail those of others.
      if (pages.length > 1) for (const page of pages) await answer(chain, [page])
      else pages[0]?.reject(error)
    }
  }

  async function inTurn(chain: Chain, name: string): Promise<void> {
    const leave = await steps.enter(currentTenant())
    const pages = waiting.get(name) ?? []
    const step = takeStep(pages)
    if (pages.length === 0) waiting.delete(name)
    if (step.length === 0) return leave()
    const begunAt = timer.now()
    await answer(chain, step)
    const rest = Math.min((timer.now() - begunAt) * REST.times, REST.mostMs)
    void timer.wait(rest).then(leave)
  }

  /** Wallets of an account share steps: each step has a fixed cost of requests. */
  function askSoon(chain: Chain, contracts: readonly EvmAddress[]): Promise<void> {
    const name = `${chain.key} ${currentTenant() ?? ''}`
    return new Promise<void>((resolve, reject) => {
      const pages = waiting.get(name) ?? []
      pages.push({ contracts, resolve, reject })
      waiting.set(name, pages)
      void inTurn(chain, name)
    })
  }

  async function ask(chain: Chain, found: readonly EvmAddress[]): Promise<ReadonlySet<EvmAddress>> {
    if (found.length === 0) return new Set()
    const due = found.filter((address) => !isKnown(chain, address))
    for (const page of pagesOf(due, STEP_CONTRACTS)) await askSoon(chain, page)
    const wanted = new Set(found)
    const rows = await protocolContracts.rowsOf(chain, found)
    const contracts = rows.flatMap((row) => row.protocolContracts ?? [])
    return new Set(contracts.flatMap(({ address }) => (wanted.has(address) ? address : [])))
  }

  return { ask, isKnown }
}

/** Also asks about underlyings: a wallet may stake a share never sent to it. */
export async function inAndBehind(
  contracts: readonly EvmAddress[],
  ask: (contracts: readonly EvmAddress[]) => Promise<readonly ProtocolContract[]>,
): Promise<void> {
  const seen = new Set<EvmAddress>([NATIVE, ...contracts])
  for (let next = contracts, depth = 0; next.length > 0 && depth < DEEPEST; depth += 1) {
    const behind = (await ask(next)).flatMap(({ underlyings }) => underlyings)
    next = [...new Set(behind)].filter((address) => !seen.has(address))
    for (const address of next) seen.add(address)
  }
}
