import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { isRecord, type RpcRequest } from '../../rpc/json-rpc.ts'
import { parseAtSlot, parseU64 } from '../rpc-values.ts'

/** Final transactions are never reverted, so nothing is searched twice. */
export const FINAL = { commitment: 'finalized' } as const

/** A transaction as listed for an address. `time`: Unix seconds, null if the node does not know it. */
export type ListedSignature = { signature: string; slot: bigint; time: number | null }

/** Signatures that nodes list in one call. */
export const SIGNATURES_A_PAGE = 1000

const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/

/**
 * Requests the next page of transactions that name an address, newest first. `least`: a node that has not reached this
 * slot refuses.
 */
export function signaturesRequest(
  address: SolanaAddress,
  { before, least, timeoutMs }: { before: ListedSignature | undefined; least: bigint; timeoutMs: number },
): RpcRequest<ListedSignature[]> {
  const page = { limit: SIGNATURES_A_PAGE, ...(before && { before: before.signature }) }
  return {
    method: 'getSignaturesForAddress',
    params: [address, { ...page, ...FINAL, minContextSlot: Number(least) }],
    timeoutMs,
    parse: (result) => parsePage(result, before),
  }
}

/** Whether the node knows each transaction. Before an unknown one it lists nothing, as if that were the oldest. */
export function knownRequest(signatures: readonly string[], timeoutMs: number): RpcRequest<boolean[]> {
  return {
    method: 'getSignatureStatuses',
    params: [signatures, { searchTransactionHistory: true }],
    timeoutMs,
    parse: (result) =>
      parseAtSlot(result, (value) => {
        if (!Array.isArray(value) || value.length !== signatures.length) throw invalid('expected as many states')
        return value.map((status) => status !== null)
      }).value,
  }
}

/** The newest slot that is final. */
export function finalSlotRequest(): RpcRequest<bigint> {
  return { method: 'getSlot', params: [FINAL], parse: parseU64 }
}

/** The first slot of which the node keeps transactions. */
export function firstSlotRequest(): RpcRequest<bigint> {
  return { method: 'getFirstAvailableBlock', params: [], parse: parseU64 }
}

function parsePage(result: unknown, before: ListedSignature | undefined): ListedSignature[] {
  if (!Array.isArray(result) || result.length > SIGNATURES_A_PAGE) throw invalid('expected a page of signatures')
  let last = before?.slot
  return result.map((item: unknown) => {
    if (!isRecord(item)) throw invalid('expected a signature')
    const { signature, blockTime } = item
    const slot = parseU64(item['slot'])
    if (typeof signature !== 'string' || !SIGNATURE.test(signature)) throw invalid('expected a signature')
    if (last !== undefined && slot > last) throw invalid('signatures that are not in order')
    last = slot
    return { signature, slot, time: typeof blockTime === 'number' ? blockTime : null }
  })
}

function invalid(what: string): UpstreamError {
  return new UpstreamError('invalid', what)
}
