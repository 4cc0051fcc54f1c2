import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { seenLater } from '../../../lib/concurrency.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { createTickBatch } from '../../../lib/tick-batch.ts'
import type { RpcRequest } from '../../rpc/json-rpc.ts'
import { unlessNotOffered } from '../../rpc/offers.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import { GATHERING, runTogether } from '../../rpc/request-together.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { RpcPool, RpcPoolOptions } from '../../rpc/rpc-pool.ts'
import type { SolanaAccount } from '../codec/account-data.ts'
import { randomAddress } from '../codec/address.ts'
import { CLOCK_SYSVAR, decodeClock, type SolanaClock } from '../codec/clock.ts'
import { TOKEN_PROGRAMS, type TokenAccount } from '../codec/token-program.ts'
import { type AtSlot, highest, parseExactIntegers } from '../rpc-values.ts'
import {
  ACCOUNTS_A_CALL,
  type AccountEncoding,
  type AccountFilter,
  accountsRequest,
  type BatchTerms,
  inShortest,
  programAccountsRequest,
  type ReadTerms,
  TOKEN_ACCOUNTS,
  tokenAccountsRequest,
} from './account-requests.ts'

/** Later batches never see an older slot. Rejects with `UpstreamError`: `not-allowed` if no endpoint offers a read. */
export type SolanaReader = {
  /** In the order asked. */
  accounts(addresses: readonly SolanaAddress[]): Promise<(SolanaAccount | null)[]>
  /** Both token programs, empty accounts included. */
  tokenAccounts(owner: SolanaAddress): Promise<TokenAccount[]>
  /** `head`: first bytes of each account. */
  programAccounts(program: SolanaAddress, filters: readonly AccountFilter[], head?: number): Promise<SolanaAccount[]>
  clock(): Promise<SolanaClock>
}

/** Nodes take 50 kB: ten calls of a hundred addresses. */
export const SOLANA_RPC = { parseJson: parseExactIntegers, batchSize: 10 } as const satisfies Partial<RpcPoolOptions>

/** A neutral request finds nothing. `compressed`: method that may be answered in zstd. */
type Search<A> = {
  what: string
  requestOf(terms: BatchTerms, isNeutral: boolean): RpcRequest<AtSlot<A>>
  compressed?: string
}

const neutralOf = (filter: AccountFilter) => ('offset' in filter ? { ...filter, bytes: randomAddress() } : filter)

/** One reader per read of a wallet. `final`: some thirteen seconds older. */
export function createSolanaReader(pool: RpcPool, of: { final?: true } = {}): SolanaReader {
  const session = pool.session()
  const known = new Map<SolanaAddress, Promise<SolanaAccount | null>>()
  const tokenAccounts = new Map<SolanaAddress, Promise<TokenAccount[]>>()
  let least = 0n

  const terms = (): ReadTerms => ({ ...of, least })

  function seen<T>({ slot, value }: AtSlot<T>): T {
    if (slot > least) least = slot
    return value
  }

  const readShared = createTickBatch(async (addresses: readonly SolanaAddress[]) => {
    const found = await runTogether(session.run, async ({ endpoint, isAlone }) => {
      const answers = isAlone
        ? await readCompressed(endpoint, addresses, terms())
        : await sharedAccounts(endpoint, of)(addresses, least)
      checkClock(endpoint, answers[addresses.indexOf(CLOCK_SYSVAR)])
      return answers
    })
    return found.map(seen)
  })

  /** Large reads are mostly small mints: zstd costs more time than it saves. */
  const readMany = createTickBatch(async (addresses: readonly SolanaAddress[]) => {
    return (await session.run((endpoint) => readPlain(endpoint, addresses, terms()))).map(seen)
  })

  function checkClock(endpoint: RpcEndpoint, found: FoundAccount | undefined): void {
    if (!found) return
    const { slot, time } = decodeClock(found.value)
    session.checkHead(endpoint, { number: slot, timestamp: time })
  }

  function accountBy(read: (address: SolanaAddress) => Promise<SolanaAccount | null>) {
    return (address: SolanaAddress): Promise<SolanaAccount | null> => {
      const answer = known.get(address) ?? read(address)
      known.set(address, answer)
      return answer
    }
  }
  const account = accountBy(readShared)
  const accountOfMany = accountBy(readMany)

  async function search<A>({ what, requestOf, compressed }: Search<A>): Promise<A> {
    const found = runTogether(session.run, ({ endpoint, request }) => {
      const termsIn = (encoding: AccountEncoding) => batchTerms(endpoint, terms(), encoding)
      const askIn = (encoding: AccountEncoding) => request(requestOf(termsIn(encoding), false))
      return unlessNotOffered(
        endpoint,
        what,
        () => (compressed ? inShortest(endpoint, compressed, askIn) : askIn('base64')),
        () => endpoint.request(requestOf(termsIn('base64'), true)),
      )
    })
    return seen(await found)
  }

  async function listTokenAccounts(owner: SolanaAddress): Promise<TokenAccount[]> {
    const found = TOKEN_PROGRAMS.map((program) =>
      search({
        what: TOKEN_ACCOUNTS,
        requestOf: (terms, isNeutral) => tokenAccountsRequest(isNeutral ? randomAddress() : owner, program, terms),
      }),
    )
    return (await Promise.all(found)).flat()
  }

  return {
    accounts: (addresses) => Promise.all(addresses.map(addresses.length > ACCOUNTS_A_CALL ? accountOfMany : account)),
    tokenAccounts(owner) {
      const answer = tokenAccounts.get(owner) ?? listTokenAccounts(owner)
      tokenAccounts.set(owner, answer)
      return answer
    },
    programAccounts: (program, filters, head) =>
      search({
        what: `getProgramAccounts ${program}`,
        requestOf: (terms, isNeutral) =>
          programAccountsRequest(program, { filters: isNeutral ? filters.map(neutralOf) : filters, head }, terms),
        // The first bytes hardly compress.
        ...(head === undefined && { compressed: 'getProgramAccounts' }),
      }),
    clock: async () => decodeClock(await account(CLOCK_SYSVAR)),
  }
}

type FoundAccount = AtSlot<SolanaAccount | null>

function batchTerms({ limits }: RpcEndpoint, terms: ReadTerms, encoding: AccountEncoding): BatchTerms {
  return { ...terms, timeoutMs: limits.scanTimeoutMs, encoding }
}

async function readPlain(
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

function readCompressed(
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

function sharedAccounts(endpoint: RpcEndpoint, of: { final?: true }): ReadAccounts {
  const known = of.final ? ofEndpoints.final : ofEndpoints.newest
  const shared = known.get(endpoint) ?? createSharedAccounts(endpoint, of)
  known.set(endpoint, shared)
  return shared
}
