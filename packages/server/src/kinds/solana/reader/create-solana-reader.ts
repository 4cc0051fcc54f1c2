import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { createTickBatch } from '../../../lib/tick-batch.ts'
import { unlessNotOffered } from '../../rpc/offers.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import { TOKEN_PROGRAMS } from '../codec/mint.ts'
import type { SolanaAccount } from '../codec/solana-account.ts'
import type { AtSlot } from '../rpc-values.ts'
import { type AccountEncoding, inShortest } from './account-encoding.ts'
import {
  ACCOUNTS_A_CALL,
  accountsRequest,
  programAccountsRequest,
  TOKEN_ACCOUNTS,
  tokenAccountsRequest,
  type WaveTerms,
} from './account-requests.ts'
import { CLOCK_SYSVAR, decodeClock } from './clock.ts'
import type { SolanaClock, SolanaReader } from './solana-reader.ts'

/**
 * Reads a chain of Solana's kind by its endpoints; see `SolanaReader`. Use one reader for one read of a wallet.
 * `final`: reads only final state, which is some thirteen seconds older.
 */
export function createSolanaReader(pool: RpcPool, terms: Pick<WaveTerms, 'final'> = {}): SolanaReader {
  const session = pool.session()
  const known = new Map<SolanaAddress, Promise<SolanaAccount | null>>()
  let least = 0n
  let clock: Promise<SolanaClock> | undefined

  const termsAt = ({ limits }: RpcEndpoint, encoding: AccountEncoding = 'base64'): WaveTerms => {
    return { ...terms, least, timeoutMs: limits.scanTimeoutMs, encoding }
  }

  function seen<T>({ slot, value }: AtSlot<T>): T {
    if (slot > least) least = slot
    return value
  }

  const readAccount = createTickBatch(async (addresses: readonly SolanaAddress[]) => {
    const answers = await session.run(async (endpoint) => {
      const askIn = async (encoding: AccountEncoding) => {
        const requests = pagesOf(addresses, ACCOUNTS_A_CALL).map((page) =>
          accountsRequest(page, termsAt(endpoint, encoding)),
        )
        return (await requestEach(endpoint, requests)).map(valueOrThrow)
      }
      // Reads of more than a page are mostly of mints, which are small: zstd would take more time than it saves.
      const isMany = addresses.length > ACCOUNTS_A_CALL
      const pages = await (isMany ? askIn('base64') : inShortest(endpoint, 'getMultipleAccounts', askIn))
      const accounts = pages.flatMap(({ value }) => value)
      const clockAt = addresses.indexOf(CLOCK_SYSVAR)
      if (clockAt >= 0) checkClock(endpoint, accounts[clockAt] ?? null)
      return pages
    })
    return answers.flatMap(seen)
  })

  function checkClock(endpoint: RpcEndpoint, account: SolanaAccount | null): void {
    const { slot, time } = decodeClock(account)
    session.checkHead(endpoint, { number: slot, timestamp: time })
  }

  function account(address: SolanaAddress): Promise<SolanaAccount | null> {
    const answer = known.get(address) ?? readAccount(address)
    known.set(address, answer)
    return answer
  }

  /** Uses an exchange of its own, so that a slow or refused search does not hold up other reads. */
  async function search<A>(what: string, ask: (endpoint: RpcEndpoint) => Promise<AtSlot<A>>): Promise<A> {
    return seen(await session.run((endpoint) => unlessNotOffered(endpoint, what, () => ask(endpoint))))
  }

  return {
    accounts: (addresses) => Promise.all(addresses.map(account)),
    async tokenAccounts(owner) {
      const found = TOKEN_PROGRAMS.map((program) =>
        search(TOKEN_ACCOUNTS, (endpoint) => endpoint.request(tokenAccountsRequest(owner, program, termsAt(endpoint)))),
      )
      return (await Promise.all(found)).flat()
    },
    programAccounts(program, filters, head) {
      const what = `getProgramAccounts ${program}`
      return search(what, (endpoint) => {
        const askIn = (encoding: AccountEncoding) =>
          endpoint.request(programAccountsRequest(program, { filters, head }, termsAt(endpoint, encoding)))
        // The first bytes of an account hardly compress.
        return head === undefined ? inShortest(endpoint, 'getProgramAccounts', askIn) : askIn('base64')
      })
    },
    clock() {
      clock ??= account(CLOCK_SYSVAR).then(decodeClock)
      return clock
    },
  }
}
