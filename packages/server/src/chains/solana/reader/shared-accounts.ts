import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { seenLater } from '../../../lib/concurrency.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { createTickBatch } from '../../../lib/tick-batch.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import { GATHERING } from '../../rpc/request-together.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { SolanaAccount } from '../codec/account-data.ts'
import { type AtSlot, highest } from '../rpc-values.ts'
import {
  ACCOUNTS_A_CALL,
  type AccountEncoding,
  accountsRequest,
  type BatchTerms,
  inShortest,
  type ReadTerms,
} from './account-requests.ts'

export type FoundAccount = AtSlot<SolanaAccount | null>

export function batchTerms({ limits }: RpcEndpoint, terms: ReadTerms, encoding: AccountEncoding): BatchTerms {
  return { ...terms, timeoutMs: limits.scanTimeoutMs, encoding }
}

export async function readPlain(
  endpoint: RpcEndpoint,
  addresses: readonly SolanaAddress[],
  terms: ReadTerms,
  encoding: AccountEncoding = 'base64',
): Promise<FoundAccount[]> {
  const requests = pagesOf(addresses, ACCOUNTS_A_CALL).map((page) =>
    accountsRequest(page, batchTerms(endpoint, terms, encoding)),
  )
  const pages = (await requestEach(endpoint, requests)).map(valueOrThrow)
  return pages.flatMap(({ slot, value }) => value.map((account) => ({ slot, value: account })))
}

export function readCompressed(
  endpoint: RpcEndpoint,
  addresses: readonly SolanaAddress[],
  terms: ReadTerms,
): Promise<FoundAccount[]> {
  return inShortest(endpoint, 'getMultipleAccounts', (encoding) => readPlain(endpoint, addresses, terms, encoding))
}

type ReadAccounts = (addresses: readonly SolanaAddress[], least: bigint) => Promise<FoundAccount[]>

/** `at`: Unix milliseconds. */
type Entry = { least: bigint; at: number; answer: Promise<FoundAccount> }

/** Bounds memory, not age. */
const KEPT_MS = 2_000
const MOST_KEPT = 2_000

/**
 * Batches requests of a few milliseconds, at the newest slot that one of their readers has seen. A reader takes answers
 * of its slot or later. Without a slot it reads again.
 */
function createSharedAccounts(endpoint: RpcEndpoint, of: { final?: true }): ReadAccounts {
  const { clock } = endpoint
  let kept = new BoundedMap<SolanaAddress, Entry>(MOST_KEPT)
  let isToForget = false

  function keep(address: SolanaAddress, entry: Entry): void {
    kept.set(address, entry)
    if (isToForget) return
    isToForget = true
    setTimeout(() => {
      kept = new BoundedMap(MOST_KEPT)
      isToForget = false
    }, KEPT_MS).unref()
  }

  const ask = createTickBatch(async (asked: readonly { address: SolanaAddress; least: bigint }[]) => {
    const least = highest(asked.map((each) => each.least))
    const addresses = [...new Set(asked.map(({ address }) => address))]
    const reading = readCompressed(endpoint, addresses, { ...of, least })
    const at = clock.now()
    const entries = addresses.map((address, i): Entry => {
      const answer = seenLater(reading.then((found) => found[i] as FoundAccount))
      const entry = { least, at, answer }
      keep(address, entry)
      return entry
    })
    try {
      const found = await reading
      for (const [i, entry] of entries.entries()) entry.least = found[i]?.slot ?? least
      const byAddress = new Map(addresses.map((address, i) => [address, found[i] as FoundAccount]))
      return asked.map(({ address }) => byAddress.get(address) as FoundAccount)
    } catch (error) {
      for (const [i, address] of addresses.entries()) if (kept.get(address) === entries[i]) kept.delete(address)
      throw error
    }
  }, GATHERING)

  function findKept(address: SolanaAddress, least: bigint): Promise<FoundAccount> | undefined {
    const entry = kept.get(address)
    if (!entry || least === 0n || entry.least < least || clock.now() - entry.at >= KEPT_MS) return undefined
    return entry.answer
  }

  return (addresses, least) =>
    Promise.all(addresses.map((address) => findKept(address, least) ?? ask({ address, least })))
}

/** Newest and final slots differ. */
const ofEndpoints = {
  newest: new WeakMap<RpcEndpoint, ReadAccounts>(),
  final: new WeakMap<RpcEndpoint, ReadAccounts>(),
}

export function sharedAccounts(endpoint: RpcEndpoint, of: { final?: true }): ReadAccounts {
  const known = of.final ? ofEndpoints.final : ofEndpoints.newest
  const shared = known.get(endpoint) ?? createSharedAccounts(endpoint, of)
  known.set(endpoint, shared)
  return shared
}
