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

const RENEW_MS = 24 * 60 * 60 * 1000
const RETRY_MS = 60_000
const UNLISTED =
  'the contracts of a protocol could not be listed; known contracts are kept, and the service tries again after a minute'

type Listed = readonly ProtocolContract[]
type Entry = { protocolContracts: Listed | undefined; renewAt: number; failure?: UpstreamError }

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

export function createProtocolContracts(dependencies: Dependencies) {
  const { deployments, store, untrustedContracts, tokens, openReader, clock, log } = dependencies
  const warn = createSampledWarn(log)
  const { entries, contractsOf, changeListed, addressesOf } = createEntries()
  const flights = createSingleFlight<void>()
  const rowsIn = (chain: string) => deployments.filter((row) => row.chain === chain)
  const loadMissing = createTickBatch(loadTogether)

  /** Includes stored contracts at the addresses `met`. Waits only for never listed deployments. */
  async function rowsOf(chain: Chain, encountered: Iterable<Address>): Promise<KnownDeployment[]> {
    const rows = rowsIn(chain.key)
    const findDue = () => rows.filter((row) => (entries.get(row)?.renewAt ?? 0) <= clock.now())
    if (!flights.has(`renew ${chain.key}`)) await Promise.all(findDue().map((row) => load(chain, row)))
    const due = findDue()
    const waiting = due.length > 0 ? renew(chain, due) : Promise.resolve()
    if (due.some((row) => contractsOf(row) === undefined)) await waiting
    const known = addressesOf(chain.key, rows)
    const missing = [...encountered].filter((address) => !known.has(address))
    if (missing.length > 0) await loadMissing({ chain, missing })
    return rows.map((deployment) => ({ deployment, protocolContracts: contractsOf(deployment) }))
  }

  /** For stored data: retries deployments left unlisted by a node failure. Rejects with its `UpstreamError`. */
  async function allRowsOf(chain: Chain, encountered: Iterable<Address>): Promise<KnownDeployment[]> {
    const failureOf = (row: ProtocolDeployment) => (contractsOf(row) ? undefined : entries.get(row)?.failure)
    await rowsOf(chain, [])
    const failed = rowsIn(chain.key).filter(failureOf)
    await Promise.all(failed.map((row) => load(chain, row)))
    const rows = await rowsOf(chain, encountered)
    const [failure] = rowsIn(chain.key).flatMap((row) => failureOf(row) ?? [])
    if (failure) throw failure
    return rows
  }

  async function load(chain: Chain, row: ProtocolDeployment): Promise<void> {
    await flights.run(`load ${row.chain} ${row.id}`, async () => {
      const { protocolContracts, discoveredAt = -RENEW_MS } = (await store.find(row.chain, row.id)) ?? {}
      await keepShown(tokens, chain, protocolContracts ?? [])
      entries.set(row, { protocolContracts, renewAt: discoveredAt + RENEW_MS })
    })
  }

  async function loadTogether(asked: readonly { chain: Chain; missing: readonly Address[] }[]): Promise<undefined[]> {
    const loads = [...Map.groupBy(asked, ({ chain }) => chain)].map(async ([chain, all]) => {
      const found = await store.findAmong(chain.key, [...new Set(all.flatMap(({ missing }) => missing))])
      for (const row of rowsIn(chain.key)) changeListed(row, (listed) => mergedWith(listed, found.get(row.id) ?? []))
      await keepShown(tokens, chain, [...found.values()].flat())
    })
    await Promise.all(loads)
    return asked.map(() => undefined)
  }

  async function renew(chain: Chain, rows: readonly ProtocolDeployment[]): Promise<void> {
    await flights.run(`renew ${chain.key}`, async () => {
      const reader = openReader(chain.key)
      await Promise.all(rows.map((row) => discover(chain, row, reader)))
    })
  }

  async function discover(chain: Chain, row: ProtocolDeployment, reader: EvmReader): Promise<void> {
    try {
      const protocolContracts = await listAgain(dependencies, chain, row, reader, contractsOf(row))
      entries.set(row, { protocolContracts, renewAt: clock.now() + RENEW_MS })
    } catch (err) {
      // A dead node is one line, not one per protocol.
      warn(`${row.chain} ${err}`, { err, chain: row.chain, protocol: row.key }, UNLISTED)
      const failure = err instanceof UpstreamError && { failure: err }
      entries.set(row, { protocolContracts: contractsOf(row), renewAt: clock.now() + RETRY_MS, ...failure })
    }
  }

  function refused(row: ProtocolDeployment, protocolContract: ProtocolContract): void {
    if (!contractsOf(row) || !untrustedContracts.isDropped(row, protocolContract)) return
    changeListed(row, (listed) => listed.filter(({ address }) => address !== protocolContract.address))
  }

  /** An unlisted deployment stays so: these are not all of its contracts. */
  async function add(chain: Chain, row: ProtocolDeployment, reader: EvmReader, found: Listed): Promise<void> {
    if (found.length === 0) return
    await learnShown(tokens, chain, reader, found)
    await store.add(row.chain, row.id, found)
    changeListed(row, (listed) => mergedWith(listed, found))
  }

  const listedOf = (chain: string, family: string) =>
    rowsIn(chain).flatMap((row) => (row.adapter.name === family && contractsOf(row)) || [])

  return { rowsOf, allRowsOf, add, refused, listedOf }
}

async function listAgain(
  { store, untrustedContracts, tokens }: Dependencies,
  chain: Chain,
  row: ProtocolDeployment,
  reader: EvmReader,
  known: Listed | undefined,
): Promise<Listed> {
  const named = await row.adapter.discover({ reader, deployment: row.deployment })
  const found = [...named, ...(await untrustedContracts.judgeAgain(chain, row, reader, known))]
  await learnShown(tokens, chain, reader, found)
  await store.add(row.chain, row.id, found)
  await store.markDiscovered(row.chain, row.id)
  return (await store.find(row.chain, row.id))?.protocolContracts ?? found
}

function createEntries() {
  const entries = new Map<ProtocolDeployment, Entry>()
  const kept = new Map<string, { lists: readonly (Listed | undefined)[]; addresses: ReadonlySet<Address> }>()
  const contractsOf = (row: ProtocolDeployment) => entries.get(row)?.protocolContracts

  function changeListed(row: ProtocolDeployment, change: (listed: Listed) => Listed): void {
    const entry = entries.get(row)
    if (entry?.protocolContracts) entries.set(row, { ...entry, protocolContracts: change(entry.protocolContracts) })
  }

  function addressesOf(chain: string, rows: readonly ProtocolDeployment[]): ReadonlySet<Address> {
    const lists = rows.map(contractsOf)
    const known = kept.get(chain)
    if (known?.lists.every((list, i) => list === lists[i])) return known.addresses
    const addresses = new Set(lists.flatMap((list) => list?.map(({ address }) => address) ?? []))
    kept.set(chain, { lists, addresses })
    return addresses
  }

  return { entries, contractsOf, changeListed, addressesOf }
}

function mergedWith(listed: Listed, found: Listed): Listed {
  if (found.length === 0) return listed
  return [...new Map([...listed, ...found].map((item) => [item.address, item])).values()]
}

/** Another wallet's logs may have led to more data. */
export function withKnownFacts(known: Listed | undefined, found: Listed): ProtocolContract[] {
  const before = new Map(known?.map((item) => [item.address, item]))
  return found.map((item) => {
    const facts = before.get(item.address)?.data
    return facts && item.data ? { ...item, data: { ...facts, ...item.data } } : item
  })
}

const shownOf = (found: Listed) =>
  found.flatMap(({ address, fungible, underlyings, alsoShown = [] }) => [
    ...(fungible ? [address] : []),
    ...underlyings,
    ...alsoShown,
  ])

async function keepShown(tokens: Tokens<EvmReader>, chain: Chain, found: Listed): Promise<void> {
  await (await tokens.of(chain)).keep(shownOf(found))
}

/** Ahead, so that no wallet's read waits. */
async function learnShown(tokens: Tokens<EvmReader>, chain: Chain, reader: EvmReader, found: Listed): Promise<void> {
  await (await tokens.of(chain)).learn(reader, shownOf(found))
  await keepShown(tokens, chain, found)
}
