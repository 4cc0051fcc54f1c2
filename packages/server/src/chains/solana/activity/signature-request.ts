import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { isRecord, type RpcRequest } from '../../rpc/json-rpc.ts'
import { invalidAnswer, parseAtSlot, parseU64 } from '../rpc-values.ts'

/** Final transactions are never reverted. */
export const FINAL = { commitment: 'finalized' } as const

/** `time`: Unix seconds. */
export type ListedSignature = { signature: string; slot: bigint; time: number | null }

/** Nodes' limit. */
export const SIGNATURES_A_PAGE = 1000

const SIGNATURE = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/

/** Newest first. A node that has not reached slot `least` refuses. */
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

/** Before an unknown transaction a node lists nothing, as if it were the oldest. */
export function knownRequest(signatures: readonly string[], timeoutMs: number): RpcRequest<boolean[]> {
  return {
    method: 'getSignatureStatuses',
    params: [signatures, { searchTransactionHistory: true }],
    timeoutMs,
    parse: (result) =>
      parseAtSlot(result, (value) => {
        if (!Array.isArray(value) || value.length !== signatures.length) throw invalidAnswer('expected as many states')
        return value.map((status) => status !== null)
      }).value,
  }
}

export function finalSlotRequest(): RpcRequest<bigint> {
  return { method: 'getSlot', params: [FINAL], parse: parseU64 }
}

export function firstSlotRequest(): RpcRequest<bigint> {
  return { method: 'getFirstAvailableBlock', params: [], parse: parseU64 }
}

function parsePage(result: unknown, before: ListedSignature | undefined): ListedSignature[] {
  if (!Array.isArray(result) || result.length > SIGNATURES_A_PAGE) throw invalidAnswer('expected a page of signatures')
  let last = before?.slot
  return result.map((item: unknown) => {
    if (!isRecord(item)) throw invalidAnswer('expected a signature')
    const { signature, blockTime } = item
    const slot = parseU64(item['slot'])
    if (typeof signature !== 'string' || !SIGNATURE.test(signature)) throw invalidAnswer('expected a signature')
    if (last !== undefined && slot > last) throw invalidAnswer('signatures that are not in order')
    last = slot
    return { signature, slot, time: typeof blockTime === 'number' ? blockTime : null }
  })
}
