import type { SolanaAccount } from '../../domain/solana-account.ts'
import type { SolanaAddress } from '../../domain/solana-address.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { isRecord } from '../rpc/json-rpc.ts'

/** A result of the shape `{ context, value }`, and the slot it is of. */
export type AtSlot<T> = { slot: bigint; value: T }

const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/
/** Base64 in whole groups of four; a text that was cut short does not end so. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

export function parseAtSlot<T>(result: unknown, parse: (value: unknown) => T): AtSlot<T> {
  if (!isRecord(result) || !isRecord(result['context'])) throw invalid('an answer without a slot')
  return { slot: parseU64(result['context']['slot']), value: parse(result['value']) }
}

/** An unsigned integer: a number that a double holds exactly, or digits. */
export function parseU64(value: unknown): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value)
  throw invalid('expected an integer')
}

export function parseAddress(value: unknown): SolanaAddress {
  if (typeof value !== 'string' || !BASE58.test(value)) {
    throw invalid('expected an address')
  }
  return value
}

/** An account in base64, or null. `most`: only so many of its first bytes were asked for. */
export function parseAccount(address: SolanaAddress, value: unknown, most = Infinity): SolanaAccount | null {
  if (value === null) return null
  if (!isRecord(value) || !Array.isArray(value['data'])) throw invalid('expected an account')
  const { owner, lamports, space, data } = value
  const [text, encoding] = data as unknown[]
  if (encoding !== 'base64' || typeof text !== 'string' || !BASE64.test(text)) throw invalid('expected base64')
  const bytes = Buffer.from(text, 'base64')
  // Older nodes do not say how long an account is.
  if (typeof space === 'number' && bytes.length !== Math.min(space, most))
    throw invalid('an account that was cut short')
  return { address, owner: parseAddress(owner), lamports: parseU64(lamports), data: bytes }
}

/** A list of `{ pubkey, account }`. */
export function parseKeyedAccounts(value: unknown, most?: number): SolanaAccount[] {
  if (!Array.isArray(value)) throw invalid('expected a list of accounts')
  return value.map((item: unknown) => {
    const account = isRecord(item) ? parseAccount(parseAddress(item['pubkey']), item['account'], most) : null
    if (!account) throw invalid('expected an account with its address')
    return account
  })
}

function invalid(what: string): UpstreamError {
  return new UpstreamError('invalid', what)
}
