import { UpstreamError } from '../../../lib/upstream-error.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { SolanaTransaction } from '../codec/solana-transaction.ts'
import type { ListedSignature } from './signature-request.ts'
import { transactionRequest } from './transaction-request.ts'

/**
 * Adds to `read` what it lacks of `wanted`, by one endpoint. Throws `UpstreamError` if the node lacks a listed
 * transaction; what was read before stays read.
 */
export async function readTransactions(
  endpoint: RpcEndpoint,
  wanted: readonly ListedSignature[],
  read: Map<string, SolanaTransaction>,
): Promise<void> {
  const lacking = wanted.filter(({ signature }) => !read.has(signature))
  const { logTimeoutMs } = endpoint.limits
  const requests = lacking.map((listed) => transactionRequest(listed, logTimeoutMs))
  const answers = (await requestEach(endpoint, requests, endpoint.background)).map(valueOrThrow)
  for (const answer of answers) if (answer) read.set(answer.signature, answer)
  if (answers.includes(null)) throw new UpstreamError('unavailable', 'the node lacks a transaction that was listed')
}
