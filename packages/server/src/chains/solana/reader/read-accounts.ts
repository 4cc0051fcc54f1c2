import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { SolanaAccount } from '../codec/solana-account.ts'
import type { AtSlot } from '../rpc-values.ts'
import { type AccountEncoding, inShortest } from './account-encoding.ts'
import { ACCOUNTS_A_CALL, accountsRequest, type BatchTerms } from './account-requests.ts'

export type ReadTerms = Pick<BatchTerms, 'least' | 'final'>

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
