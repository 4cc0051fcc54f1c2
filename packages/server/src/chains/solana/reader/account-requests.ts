import { zstdDecompressSync } from 'node:zlib'
import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { isRecord, RpcRefusal, type RpcRequest } from '../../rpc/json-rpc.ts'
import { noteRefused, offers } from '../../rpc/offers.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import type { SolanaAccount } from '../codec/account-data.ts'
import { decodeTokenAccount, TOKEN_ACCOUNT_HEAD, type TokenAccount } from '../codec/token-program.ts'
import { type AtSlot, invalidAnswer, parseAddress, parseAtSlot, parseU64 } from '../rpc-values.ts'

export type AccountEncoding = 'base64' | 'base64+zstd'

const MOST_BYTES = 24_000_000

/** A truncated text is not in whole groups of four. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

class Unreadable extends UpstreamError {
  constructor(what: string) {
    super('invalid', what)
  }
}

type ReadData = (data: readonly unknown[]) => Buffer

export function createDataReader(most = MOST_BYTES): ReadData {
  let left = most
  return (data) => {
    const [text, encoding] = data
    if (encoding !== 'base64' && encoding !== 'base64+zstd') throw new Unreadable('expected base64')
    if (typeof text !== 'string' || !BASE64.test(text)) throw new Unreadable('expected base64')
    const bytes = Buffer.from(text, 'base64')
    const read = encoding === 'base64+zstd' ? decompressed(bytes, left) : bytes
    left -= read.length
    if (left < 0) throw tooLong()
    return read
  }
}

function decompressed(bytes: Buffer, most: number): Buffer {
  try {
    // `maxOutputLength` must not be 0.
    return zstdDecompressSync(bytes, { maxOutputLength: Math.max(most, 1) })
  } catch (error) {
    if (error instanceof RangeError) throw tooLong()
    throw new Unreadable('expected data in zstd')
  }
}

const tooLong = () => new UpstreamError('invalid', 'the accounts of an answer are too long')

/** Falls back to base64, and remembers that once base64 was answered. */
export async function inShortest<T>(
  endpoint: RpcEndpoint,
  method: string,
  ask: (encoding: AccountEncoding) => Promise<T>,
): Promise<T> {
  const what = `${method} in zstd`
  if (!offers(endpoint, what)) return ask('base64')
  try {
    return await ask('base64+zstd')
  } catch (error) {
    if (!mayBeTheEncoding(error)) throw error
    const answer = await ask('base64')
    noteRefused(endpoint, what)
    return answer
  }
}

const ABOUT_METHODS: ReadonlySet<number> = new Set([-32601, -32010])

function mayBeTheEncoding(error: unknown): boolean {
  if (error instanceof Unreadable) return true
  if (!(error instanceof RpcRefusal) || ABOUT_METHODS.has(error.code)) return false
  return error.kind === 'unsupported' || error.kind === 'other'
}

/** `bytes`: base58 address or discriminator. */
export type AccountFilter = { offset: number; bytes: SolanaAddress } | { dataSize: number }

/** `least`: oldest accepted slot. */
export type ReadTerms = { least: bigint; final?: true }
export type BatchTerms = ReadTerms & { timeoutMs: number; encoding?: AccountEncoding }

/** Limit of nodes. */
export const ACCOUNTS_A_CALL = 100

/** A confirmed block has never been reverted. */
const COMMITMENT = 'confirmed'

function config({ least, final, encoding = 'base64' }: BatchTerms, rest: object = {}): object {
  const commitment = final ? 'finalized' : COMMITMENT
  return { encoding, commitment, ...(least > 0n && { minContextSlot: Number(least) }), ...rest }
}

/** Some nodes ignore `minContextSlot`. */
function parseAfter<T>({ least }: BatchTerms, result: unknown, parse: (value: unknown) => T): AtSlot<T> {
  const answer = parseAtSlot(result, parse)
  if (answer.slot < least) throw new UpstreamError('unavailable', 'the node is behind what was read before')
  return answer
}

export function accountsRequest(
  addresses: readonly SolanaAddress[],
  terms: BatchTerms,
): RpcRequest<AtSlot<(SolanaAccount | null)[]>> {
  return {
    method: 'getMultipleAccounts',
    params: [addresses, config(terms)],
    timeoutMs: terms.timeoutMs,
    parse: (result) => parseAfter(terms, result, (value) => parseAccounts(addresses, value)),
  }
}

export const TOKEN_ACCOUNTS = 'getTokenAccountsByOwner'

export function tokenAccountsRequest(
  owner: SolanaAddress,
  program: SolanaAddress,
  terms: BatchTerms,
): RpcRequest<AtSlot<TokenAccount[]>> {
  const head = { dataSlice: { offset: 0, length: TOKEN_ACCOUNT_HEAD } }
  return {
    method: TOKEN_ACCOUNTS,
    params: [owner, { programId: program }, config(terms, head)],
    timeoutMs: terms.timeoutMs,
    parse: (result) =>
      parseAfter(terms, result, (value) => parseKeyedAccounts(value, TOKEN_ACCOUNT_HEAD).map(decodeTokenAccount)),
  }
}

export function programAccountsRequest(
  program: SolanaAddress,
  { filters, head }: { filters: readonly AccountFilter[]; head?: number | undefined },
  terms: BatchTerms,
): RpcRequest<AtSlot<SolanaAccount[]>> {
  const sliced = head !== undefined && { dataSlice: { offset: 0, length: head } }
  const narrowed = filters.map((filter) => ('offset' in filter ? { memcmp: filter } : filter))
  return {
    method: 'getProgramAccounts',
    params: [program, config(terms, { filters: narrowed, withContext: true, ...sliced })],
    timeoutMs: terms.timeoutMs,
    parse: (result) => parseAfter(terms, result, (value) => parseKeyedAccounts(value, head)),
  }
}

function parseAccounts(addresses: readonly SolanaAddress[], value: unknown): (SolanaAccount | null)[] {
  if (!Array.isArray(value) || value.length !== addresses.length) {
    throw invalidAnswer(`asked for ${addresses.length} accounts, got another number`)
  }
  const read = createDataReader()
  return addresses.map((address, i) => parseAccount(address, value[i], read))
}

function parseAccount(address: SolanaAddress, value: unknown, read: ReadData, most = Infinity): SolanaAccount | null {
  if (value === null) return null
  if (!isRecord(value) || !Array.isArray(value['data'])) throw invalidAnswer('expected an account')
  const { owner, lamports, space, data } = value
  const bytes = read(data)
  // Older nodes omit `space`.
  if (typeof space === 'number' && bytes.length !== Math.min(space, most))
    throw invalidAnswer('an account that was cut short')
  return { address, owner: parseAddress(owner), lamports: parseU64(lamports), data: bytes }
}

function parseKeyedAccounts(value: unknown, most?: number): SolanaAccount[] {
  if (!Array.isArray(value)) throw invalidAnswer('expected a list of accounts')
  const read = createDataReader()
  return value.map((item: unknown) => {
    const account = isRecord(item) ? parseAccount(parseAddress(item['pubkey']), item['account'], read, most) : null
    if (!account) throw invalidAnswer('expected an account with its address')
    return account
  })
}
