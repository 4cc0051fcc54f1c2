import type { Address } from '../../../domain/address.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/logger.ts'
import { createSampledWarn } from '../../../lib/sampled-log.ts'
import { createSingleFlight } from '../../../lib/single-flight.ts'
import { createTickBatch } from '../../../lib/tick-batch.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Chain } from '../../chain.ts'
import type { ProtocolContractStore } from '../../stores.ts'
import type { Tokens } from '../../tokens.ts'
import type { KnownDeployment, ProtocolContract, ProtocolDeployment } from '../protocols/adapter.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import type { UntrustedContracts } from './untrusted-contracts.ts'

/** A protocol's contracts change slowly (new reserves, new markets). */
const RENEW_MS = 24 * 60 * 60 * 1000
const RETRY_MS = 60_000
const UNLISTED =
  'the contracts of a protocol could not be listed; known contracts are kept, and the service tries again after a minute'

type Entry = { protocolContracts: readonly ProtocolContract[] | undefined; renewAt: number; failure?: UpstreamError }

export type ProtocolContracts = ReturnType<typeof createProtocolContracts>

type Dependencies = {
  deployments: readonly ProtocolDeployment[]
  store: ProtocolContractStore<EvmAddress>
  untrustedContracts: UntrustedContracts
  tokens: Tokens<EvmReader>
  openReader(chain: string): EvmReader
  clock: Clock
  log: Logger
}

/** Shared by wallets and processes, in memory and database, renewed daily. */
export function createProtocolContracts(dependencies: Dependencies) {
  const { deployments, store, untrustedContracts, tokens, openReader, clock, log } = dependencies
  const warn = createSampledWarn(log)
  const entries = new Map<ProtocolDeployment, Entry>()
  const contractsOf = (row: ProtocolDeployment) => entries.get(row)?.protocolContracts
  const flights = createSingleFlight<void>()
  const byChain = Map.groupBy(deployments, (deployment) => deployment.chain)
  const loadMet = createLoadMet(store, createIsListed(entries), async (chain, found) => {
    for (const row of byChain.get(chain.key) ?? []) {
      changeListed(entries, row, (listed) => mergedWith(listed, found.get(row.id) ?? []))
    }
    await keepShown(tokens, chain, [...found.values()].flat())
  })

  /** Waits only for never listed deployments; renews due ones in the background. */
  async function rowsOf(chain: Chain, met: Iterable<Address>): Promise<KnownDeployment[]> {
    const rows = byChain.get(chain.key) ?? []
    const findDue = () => rows.filter((row) => (entries.get(row)?.renewAt ?? 0) <= clock.now())
    if (!flights.has(`renew ${chain.key}`)) await Promise.all(findDue().map((row) => load(chain, row)))
    const due = findDue()
    const waiting = due.length > 0 ? renew(chain, due) : Promise.resolve()
    if (due.some((row) => contractsOf(row) === undefined)) await waiting
    await loadMet(chain, rows, met)
    return rows.map((deployment) => ({ deployment, protocolContracts: contractsOf(deployment) }))
  }

  /** For stored data: retries deployments left unlisted by a node failure. Rejects with its `UpstreamError`. */
  async function allRowsOf(chain: Chain, met: Iterable<Address>): Promise<KnownDeployment[]> {
    const first = lackingOf(await rowsOf(chain, []), entries)
    await Promise.all(first.map((row) => load(chain, row)))
    const rows = await rowsOf(chain, met)
    for (const row of lackingOf(rows, entries)) throw entries.get(row)?.failure
    return rows
  }

  function load(chain: Chain, row: ProtocolDeployment): Promise<void> {
    return flights.run(`load ${row.chain} ${row.id}`, async () => {
      const stored = await store.find(row.chain, row.id)
      await keepShown(tokens, chain, stored?.protocolContracts ?? [])
      entries.set(row, storedEntry(stored))
    })
  }

  function renew(chain: Chain, rows: readonly ProtocolDeployment[]): Promise<void> {
    return flights.run(`renew ${chain.key}`, async () => {
      const reader = openReader(chain.key)
      await Promise.all(rows.map((row) => discover(chain, row, reader)))
    })
  }

  async function discover(chain: Chain, row: ProtocolDeployment, reader: EvmReader): Promise<void> {
    try {
      const named = await row.adapter.discover({ reader, deployment: row.deployment })
      const found = [...named, ...(await untrustedContracts.judgeAgain(chain, row, reader, contractsOf(row)))]
      await learnShown(tokens, chain, reader, found)
      const stored = await saveFound(store, row, found)
      entries.set(row, { protocolContracts: stored?.protocolContracts ?? found, renewAt: clock.now() + RENEW_MS })
    } catch (err) {
      // A dead node is one line, not one per protocol.
      warn(`${row.chain} ${err}`, { err, chain: row.chain, protocol: row.key }, UNLISTED)
      const failure = err instanceof UpstreamError && { failure: err }
      entries.set(row, { protocolContracts: contractsOf(row), renewAt: clock.now() + RETRY_MS, ...failure })
    }
  }

  function refused(row: ProtocolDeployment, protocolContract: ProtocolContract): void {
    if (!contractsOf(row) || !untrustedContracts.isDropped(row, protocolContract)) return
    changeListed(entries, row, (listed) => listed.filter(({ address }) => address !== protocolContract.address))
  }

  /** An unlisted deployment stays so: these are not all of its contracts. */
  async function add(
    chain: Chain,
    row: ProtocolDeployment,
    reader: EvmReader,
    found: readonly ProtocolContract[],
  ): Promise<void> {
    if (found.length === 0) return
    await learnShown(tokens, chain, reader, found)
    await store.add(row.chain, row.id, found)
    changeListed(entries, row, (listed) => mergedWith(listed, found))
  }

  const underlyingsOf = (chain: string, family: string) => underlyingsIn(byChain.get(chain), family, contractsOf)
  return { rowsOf, allRowsOf, add, refused, underlyingsOf }
}

async function saveFound(
  store: Dependencies['store'],
  { chain, id }: ProtocolDeployment,
  found: readonly ProtocolContract[],
) {
  await store.add(chain, id, found)
  await store.markDiscovered(chain, id)
  return store.find(chain, id)
}

function storedEntry(
  stored: { protocolContracts: Entry['protocolContracts']; discoveredAt: number } | undefined,
): Entry {
  return { protocolContracts: stored?.protocolContracts, renewAt: stored ? stored.discoveredAt + RENEW_MS : 0 }
}

function underlyingsIn(
  rows: readonly ProtocolDeployment[] | undefined,
  family: string,
  contractsOf: (row: ProtocolDeployment) => readonly ProtocolContract[] | undefined,
): ReadonlySet<EvmAddress> {
  const ofFamily = rows?.filter((row) => row.adapter.name === family) ?? []
  return new Set(ofFamily.flatMap((row) => contractsOf(row)?.flatMap((item) => item.underlyings) ?? []))
}

function createLoadMet(
  store: Pick<ProtocolContractStore<EvmAddress>, 'findAmong'>,
  isListed: ReturnType<typeof createIsListed>,
  keep: (chain: Chain, found: ReadonlyMap<string, readonly ProtocolContract[]>) => Promise<void>,
) {
  const lookUp = createTickBatch(async (asked: readonly { chain: Chain; missing: readonly Address[] }[]) => {
    const chains = Map.groupBy(asked, ({ chain }) => chain)
    await Promise.all(
      [...chains].map(async ([chain, all]) =>
        keep(chain, await store.findAmong(chain.key, [...new Set(all.flatMap(({ missing }) => missing))])),
      ),
    )
    return asked.map(() => undefined)
  })
  return async (chain: Chain, rows: readonly ProtocolDeployment[], met: Iterable<Address>): Promise<void> => {
    const isKnown = isListed(chain.key, rows)
    const missing = [...met].filter((address) => !isKnown(address))
    if (missing.length > 0) await lookUp({ chain, missing })
  }
}

function createIsListed(entries: ReadonlyMap<ProtocolDeployment, Entry>) {
  const kept = new Map<string, { lists: Entry['protocolContracts'][]; addresses: ReadonlySet<Address> }>()
  return (chain: string, rows: readonly ProtocolDeployment[]) => {
    const lists = rows.map((row) => entries.get(row)?.protocolContracts)
    let known = kept.get(chain)
    if (!known || known.lists.some((list, i) => list !== lists[i])) {
      known = { lists, addresses: new Set(lists.flatMap((list) => list?.map(({ address }) => address) ?? [])) }
      kept.set(chain, known)
    }
    const { addresses } = known
    return (address: Address) => addresses.has(address)
  }
}

function changeListed(
  entries: Map<ProtocolDeployment, Entry>,
  row: ProtocolDeployment,
  change: (listed: readonly ProtocolContract[]) => readonly ProtocolContract[],
): void {
  const entry = entries.get(row)
  if (entry?.protocolContracts) entries.set(row, { ...entry, protocolContracts: change(entry.protocolContracts) })
}

function mergedWith(
  listed: readonly ProtocolContract[],
  found: readonly ProtocolContract[],
): readonly ProtocolContract[] {
  if (found.length === 0) return listed
  return [...new Map([...listed, ...found].map((item) => [item.address, item])).values()]
}

/** Another wallet's logs may have led to more data. */
export function withKnownFacts(
  known: readonly ProtocolContract[] | undefined,
  found: readonly ProtocolContract[],
): ProtocolContract[] {
  const before = new Map(known?.map((item) => [item.address, item]))
  return found.map((item) => {
    const facts = before.get(item.address)?.data
    return facts && item.data ? { ...item, data: { ...facts, ...item.data } } : item
  })
}

function lackingOf(
  rows: readonly KnownDeployment[],
  entries: ReadonlyMap<ProtocolDeployment, Entry>,
): ProtocolDeployment[] {
  const lacks = ({ deployment, protocolContracts }: KnownDeployment) =>
    !protocolContracts && entries.get(deployment)?.failure
  return rows.filter(lacks).map(({ deployment }) => deployment)
}

const shownOf = (found: readonly ProtocolContract[]) =>
  found.flatMap(({ address, fungible, underlyings, alsoShown = [] }) => [
    ...(fungible ? [address] : []),
    ...underlyings,
    ...alsoShown,
  ])

async function keepShown(tokens: Tokens<EvmReader>, chain: Chain, found: readonly ProtocolContract[]): Promise<void> {
  await (await tokens.of(chain)).keep(shownOf(found))
}

/** Loads names and decimals ahead, so that no wallet's read waits. */
async function learnShown(
  tokens: Tokens<EvmReader>,
  chain: Chain,
  reader: EvmReader,
  found: readonly ProtocolContract[],
): Promise<void> {
  await (await tokens.of(chain)).learn(reader, shownOf(found))
  await keepShown(tokens, chain, found)
}
