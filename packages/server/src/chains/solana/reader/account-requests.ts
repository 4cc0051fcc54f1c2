import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { RpcRequest } from '../../rpc/json-rpc.ts'
import type { SolanaAccount } from '../codec/solana-account.ts'
import { type AtSlot, parseAccounts, parseAtSlot, parseKeyedAccounts } from '../rpc-values.ts'
import { decodeTokenAccount, TOKEN_ACCOUNT_HEAD } from '../token-account.ts'
import type { AccountEncoding } from './account-encoding.ts'
import type { AccountFilter, TokenAccount } from './solana-reader.ts'

/** `least`: oldest accepted slot. */
export type BatchTerms = { least: bigint; timeoutMs: number; final?: true; encoding?: AccountEncoding }

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

/** A wallet may have thousands of accounts. */
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
