import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { SolanaAccount } from '../codec/solana-account.ts'
import type { AtSlot } from '../rpc-values.ts'
import { type AccountEncoding, inShortest } from './account-encoding.ts'
import { ACCOUNTS_A_CALL, accountsRequest, type WaveTerms } from './account-requests.ts'

/** What a reader asks of an endpoint. */
export type ReadTerms = Pick<WaveTerms, 'least' | 'final'>

/** An account, or null, and the slot at which it was read. */
export type FoundAccount = AtSlot<SolanaAccount | null>

export function waveTerms({ limits }: RpcEndpoint, terms: ReadTerms, encoding: AccountEncoding): WaveTerms {
  return { ...terms, timeoutMs: limits.scanTimeoutMs, encoding }
}

/** Reads accounts by one endpoint, a hundred a call, in the order asked. */
export async function readPlain(
  endpoint: RpcEndpoint,
  addresses: readonly SolanaAddress[],
  terms: ReadTerms,
  encoding: AccountEncoding = 'base64',
): Promise<FoundAccount[]> {
  const requests = pagesOf(addresses, ACCOUNTS_A_CALL).map((page) =>
    accountsRequest(page, waveTerms(endpoint, terms, encoding)),
  )
  const pages = (await requestEach(endpoint, requests)).map(valueOrThrow)
  return pages.flatMap(({ slot, value }) => value.map((account) => ({ slot, value: account })))
}

/** As `readPlain`, in zstd if the endpoint has it. */
export function readCompressed(
  endpoint: RpcEndpoint,
  addresses: readonly SolanaAddress[],
  terms: ReadTerms,
): Promise<FoundAccount[]> {
  return inShortest(endpoint, 'getMultipleAccounts', (encoding) => readPlain(endpoint, addresses, terms, encoding))
}
