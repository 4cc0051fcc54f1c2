import type { HttpResponse } from '../../lib/http-client.ts'
import { UpstreamError, type UpstreamReason } from '../../lib/upstream-error.ts'

/** One call of a node. `parse` throws `UpstreamError` on anything that the method cannot answer. */
export type RpcRequest<T> = {
  method: string
  params: readonly unknown[]
  parse: (result: unknown) => T
  /** Time limit of this call; defaults to that of the pool. */
  timeoutMs?: number
  /** Waits until the endpoint accepts requests again, however long that takes. */
  patient?: true
}

/**
 * What a node's error means, as far as callers depend on it. `unknown-block`: the block, or its state, is not there.
 * `pruned`: logs, receipts and bodies of old blocks are not kept (EIP-4444).
 */
export type RefusalKind =
  | 'rate-limited'
  | 'behind'
  | 'pruned'
  | 'unknown-block'
  | 'gas'
  | 'reverted'
  | 'unsupported'
  | 'other'

/**
 * A well-formed JSON-RPC error. The node's message may contain keys and URLs: match it, but never print or serialise
 * it.
 */
export class RpcRefusal extends UpstreamError {
  readonly kind: RefusalKind
  readonly code: number
  readonly #text: string

  constructor(code: number, text: string) {
    const kind = refusalKind(code, text)
    super(kind === 'rate-limited' ? 'rate-limited' : 'unavailable', `the node refused the call (${code}, ${kind})`)
    this.kind = kind
    this.code = code
    this.#text = text
  }

  says(pattern: RegExp): RegExpExecArray | null {
    return pattern.exec(this.#text)
  }
}

/** Error messages of node implementations and providers, in the order in which they are matched. */
const refusalPatterns: readonly [RefusalKind, RegExp][] = [
  [
    'rate-limited',
    // 429 as a status alone: it is the number of a block too.
    /rate.?limit|rate exceeded|rps limit|usage limit|too many requests|request limit|credits limited|capacity exceeded|compute units|(^|http|status|code)\W{0,3}429\b/i,
  ],
  ['behind', /minimum context slot|node is (behind|unhealthy)/i],
  ['pruned', /pruned history unavailable|receipts? not available|history expired/i],
  [
    'unknown-block',
    /header not found|unknown block|block not found|block.?out.?of.?range|missing trie node|state .*not available|historical state|resource not found|header for hash|block with such/i,
  ],
  // Messages about pruned state: reth, Erigon, Nethermind, Besu; Alchemy, QuickNode, dRPC, publicnode.
  [
    'unknown-block',
    /(is|been) pruned|due to pruning|no state available|state unavailable|archive (node|access|data|requests)|archive, debug|metadata is not found|does not maintain archive/i,
  ],
  ['reverted', /revert/i],
  ['gas', /out.?of.?gas|gas.?(limit|allowance|cap)|intrinsic gas|gas required exceeds|exceeds .*gas|gas uint64/i],
  [
    'reverted',
    /invalid ?(fe)? ?opcode|opcode 0x|invalid ?jump|stack (under|over)flow|bad instruction|vm execution error|evm error/i,
  ],
  [
    'unsupported',
    /too many (arguments|params|parameters)|invalid (argument|param)|override|unsupported|not supported|method not found|does not exist|secondary indexes|not available|disabled|missing .*\bto\b|initcode/i,
  ],
]

function refusalKind(code: number, text: string): RefusalKind {
  if (code === 3) return 'reverted'
  if (code === 429) return 'rate-limited'
  if (code === 4444) return 'pruned'
  for (const [kind, pattern] of refusalPatterns) if (pattern.test(text)) return kind
  return code === -32601 || code === -32602 ? 'unsupported' : 'other'
}

/** The endpoint ran a call on another block than the one asked for, as nodes do that keep the newest state alone. */
export class OtherBlock extends UpstreamError {
  constructor(asked: bigint) {
    super('invalid', `the node ran a call on another block than ${asked}, which was asked for`)
  }
}

/** The endpoint lacks the block or its state, no longer or not yet: another wording of the request does not help. */
export function lacksBlock(error: unknown): boolean {
  if (error instanceof OtherBlock) return true
  return error instanceof RpcRefusal && (error.kind === 'unknown-block' || error.kind === 'pruned')
}

/** The endpoint has pruned old blocks or their data; newer ones are served. */
export function isPruned(error: unknown): error is RpcRefusal {
  if (!(error instanceof RpcRefusal)) return false
  return error.kind === 'pruned' || (error.kind === 'unknown-block' && error.says(/prun|archive/i) !== null)
}

/** Throws where the text is no JSON. */
export type ParseJson = (text: string) => unknown

/**
 * Checks the envelope of the answer to request `id`. HTML with status 200, another id and truncated JSON are `invalid`.
 */
export function parseEnvelope(response: HttpResponse, id: number, parse: ParseJson = JSON.parse): unknown {
  const envelope = parseJson(response, parse)
  if (!isRecord(envelope)) throw statusError(response.status)
  return resultOf(envelope, id, response.status)
}

/** As `parseEnvelope` for a batch: results in the order of `ids`, each a value or the error of that one call. */
export function parseBatch(
  response: HttpResponse,
  ids: readonly number[],
  parse: ParseJson = JSON.parse,
): (() => unknown)[] {
  const answers = parseJson(response, parse)
  if (isRecord(answers)) throw refusalOf(answers, response.status) ?? statusError(response.status)
  if (!Array.isArray(answers)) throw statusError(response.status)
  const byId = new Map<unknown, Record<string, unknown>>()
  for (const answer of answers) if (isRecord(answer)) byId.set(answer['id'], answer)
  if (answers.length !== ids.length || byId.size !== ids.length) {
    throw new UpstreamError('invalid', `a batch of ${ids.length} calls got ${answers.length} answers`)
  }
  return ids.map((id) => () => resultOf(byId.get(id) ?? {}, id, response.status))
}

function resultOf(envelope: Record<string, unknown>, id: number, status: number): unknown {
  const refusal = refusalOf(envelope, status)
  // Some nodes answer an error without the id of the request; a result must carry it.
  if (refusal && (envelope['id'] === id || envelope['id'] === null || envelope['id'] === undefined)) throw refusal
  if (status !== 200) throw statusError(status)
  if (envelope['id'] !== id) throw new UpstreamError('invalid', 'the answer belongs to another request')
  if (!('result' in envelope)) throw new UpstreamError('invalid', 'the answer has neither result nor error')
  return envelope['result']
}

/** Status 429 means rate-limited, however the provider words the error. */
function refusalOf(envelope: Record<string, unknown>, status: number): RpcRefusal | undefined {
  const error = envelope['error']
  if (!isRecord(error)) return undefined
  const told = typeof error['code'] === 'number' ? error['code'] : 0
  const code = status === 429 ? 429 : told
  return new RpcRefusal(code, typeof error['message'] === 'string' ? error['message'].slice(0, 1000) : '')
}

function parseJson(response: HttpResponse, parse: ParseJson): unknown {
  try {
    return parse(response.body)
  } catch {
    throw statusError(response.status)
  }
}

/** An answer without JSON-RPC: only its HTTP status is known. */
export class HttpRefusal extends UpstreamError {
  readonly status: number

  constructor(reason: UpstreamReason, status: number) {
    super(reason, `HTTP ${status} without a JSON-RPC answer`)
    this.status = status
  }
}

function statusError(status: number): HttpRefusal {
  const reasons: Readonly<Record<number, UpstreamReason>> = {
    401: 'not-allowed',
    403: 'not-allowed',
    429: 'rate-limited',
  }
  const reason = reasons[status] ?? (status === 200 ? 'invalid' : 'unavailable')
  return new HttpRefusal(reason, status)
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
