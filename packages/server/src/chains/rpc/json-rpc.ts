import type { HttpResponse } from '../../lib/http-client.ts'
import { UpstreamError, type UpstreamReason } from '../../lib/upstream-error.ts'

export type RpcRequest<T> = {
  method: string
  params: readonly unknown[]
  parse: (result: unknown) => T
  timeoutMs?: number
  patient?: true
}

/** Defers parsing, so that one answer does not fail its batch. */
export const asItCame = (result: unknown) => result

/** `pruned`: logs, receipts and bodies of old blocks are missing (EIP-4444). */
export type RefusalKind =
  | 'rate-limited'
  | 'behind'
  | 'pruned'
  | 'unknown-block'
  | 'gas'
  | 'reverted'
  | 'unsupported'
  | 'other'

/** The node's message may contain keys and URLs: match it, but never print or serialise it. */
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

/** The first match counts. */
const refusalPatterns: readonly [RefusalKind, RegExp][] = [
  [
    'rate-limited',
    // 429 may also be a block number.
    /rate.?limit|rate exceeded|rps limit|usage limit|too many requests|request limit|credits limited|capacity exceeded|compute units|(^|http|status|code)\W{0,3}429\b/i,
  ],
  ['behind', /minimum context slot|node is (behind|unhealthy)/i],
  ['pruned', /pruned history unavailable|receipts? not available|history expired/i],
  [
    'unknown-block',
    /header not found|unknown block|block not found|block.?out.?of.?range|missing trie node|state .*not available|historical state|resource not found|header for hash|block with such/i,
  ],
  // Pruned state: reth, Erigon, Nethermind, Besu; Alchemy, QuickNode, dRPC, publicnode.
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

/** A limited rate concerns all calls, another refusal only its own. */
export function refusalOrThrow(error: unknown): RpcRefusal {
  if (error instanceof RpcRefusal && error.kind !== 'rate-limited') return error
  throw error
}

/** Thrown for nodes that keep only the newest state. */
export class OtherBlock extends UpstreamError {
  constructor(asked: bigint) {
    super('invalid', `the node ran a call on another block than ${asked}, which was asked for`)
  }
}

export function lacksBlock(error: unknown): boolean {
  if (error instanceof OtherBlock) return true
  return error instanceof RpcRefusal && (error.kind === 'unknown-block' || error.kind === 'pruned')
}

export function isPruned(error: unknown): error is RpcRefusal {
  if (!(error instanceof RpcRefusal)) return false
  return error.kind === 'pruned' || (error.kind === 'unknown-block' && error.says(/prun|archive/i) !== null)
}

export type ParseJson = (text: string) => unknown

/** HTML with status 200, another id and truncated JSON are `invalid`. */
export function parseEnvelope(response: HttpResponse, id: number, parse: ParseJson = JSON.parse): unknown {
  const envelope = parseJson(response, parse)
  if (!isRecord(envelope)) throw statusError(response.status)
  return resultOf(envelope, id, response.status)
}

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
  // Some nodes omit the ID in errors.
  if (refusal && (envelope['id'] === id || envelope['id'] === null || envelope['id'] === undefined)) throw refusal
  if (status !== 200) throw statusError(status)
  if (envelope['id'] !== id) throw new UpstreamError('invalid', 'the answer belongs to another request')
  if (!('result' in envelope)) throw new UpstreamError('invalid', 'the answer has neither result nor error')
  return envelope['result']
}

function refusalOf(envelope: Record<string, unknown>, status: number): RpcRefusal | undefined {
  const error = envelope['error']
  if (!isRecord(error)) return undefined
  const reported = typeof error['code'] === 'number' ? error['code'] : 0
  const code = status === 429 ? 429 : reported
  return new RpcRefusal(code, typeof error['message'] === 'string' ? error['message'].slice(0, 1000) : '')
}

function parseJson(response: HttpResponse, parse: ParseJson): unknown {
  try {
    return parse(response.body)
  } catch {
    throw statusError(response.status)
  }
}

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
