import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { parseExactIntegers } from '../../../lib/exact-integers.ts'
import { createTickBatch } from '../../../lib/tick-batch.ts'
import type { RpcRequest } from '../../rpc/json-rpc.ts'
import { unlessNotOffered } from '../../rpc/offers.ts'
import { runTogether } from '../../rpc/request-together.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { RpcPool, RpcPoolOptions } from '../../rpc/rpc-pool.ts'
import type { SolanaAccount } from '../codec/account-data.ts'
import { randomAddress } from '../codec/address.ts'
import { CLOCK_SYSVAR, decodeClock, type SolanaClock } from '../codec/clock.ts'
import { TOKEN_PROGRAMS, type TokenAccount } from '../codec/token-program.ts'
import type { AtSlot } from '../rpc-values.ts'
import {
  ACCOUNTS_A_CALL,
  type AccountEncoding,
  type AccountFilter,
  type BatchTerms,
  inShortest,
  programAccountsRequest,
  type ReadTerms,
  TOKEN_ACCOUNTS,
  tokenAccountsRequest,
} from './account-requests.ts'
import { batchTerms, type FoundAccount, readCompressed, readPlain, sharedAccounts } from './shared-accounts.ts'

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
