import type { SolanaAddress } from '../../../domain/solana-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { isRecord, type RpcRequest } from '../../rpc/json-rpc.ts'
import type { SolanaInstruction, SolanaTransaction, TokenBalance } from '../codec/solana-transaction.ts'
import { invalidAnswer, parseAddress, parseU64 } from '../rpc-values.ts'
import { FINAL, type ListedSignature } from './signature-lists.ts'

/** A node refuses to return later versions. */
const NEWEST_VERSION = 0

export function transactionRequest(listed: ListedSignature, timeoutMs: number): RpcRequest<SolanaTransaction | null> {
  const config = { encoding: 'json', maxSupportedTransactionVersion: NEWEST_VERSION, ...FINAL }
  return {
    method: 'getTransaction',
    params: [listed.signature, config],
    timeoutMs,
    parse: (result) => (result === null ? null : parseTransaction(result, listed)),
  }
}

type Fields = Readonly<Record<string, unknown>>

function parseTransaction(result: unknown, { signature, slot, time }: ListedSignature): SolanaTransaction {
  const reported = fields(result, 'a transaction')
  const transaction = fields(reported['transaction'], 'a transaction')
  const message = fields(transaction['message'], 'a message')
  const meta = fields(reported['meta'], 'what a transaction did')
  if (list(transaction['signatures'])[0] !== signature)
    throw invalidAnswer('another transaction than the one asked for')
  if (parseU64(reported['slot']) !== slot) throw invalidAnswer('a transaction in two slots: the chain may have changed')
  const keys = keysOf(message, meta)
  return {
    signature,
    slot,
    index: typeof reported['transactionIndex'] === 'number' ? integer(reported['transactionIndex']) : null,
    time: timeOf(reported['blockTime'], time),
    signers: signersOf(message, keys),
    feeRaw: parseU64(meta['fee']),
    succeeded: meta['err'] === null,
    instructions: instructionsOf(message, meta, keys),
    lamports: lamportsOf(meta, keys),
    tokensBefore: tokenBalances(meta['preTokenBalances'], keys),
    tokensAfter: tokenBalances(meta['postTokenBalances'], keys),
  }
}

function keysOf(message: Fields, meta: Fields): SolanaAddress[] {
  const loaded = isRecord(meta['loadedAddresses']) ? meta['loadedAddresses'] : {}
  const all = [
    ...list(message['accountKeys']),
    ...optionalList(loaded['writable']),
    ...optionalList(loaded['readonly']),
  ]
  return all.map(parseAddress)
}

function signersOf(message: Fields, keys: readonly SolanaAddress[]): SolanaTransaction['signers'] {
  const count = fields(message['header'], 'a header')['numRequiredSignatures']
  const [payer, ...others] = keys.slice(0, integer(count))
  if (payer === undefined) throw invalidAnswer('a transaction without a signer')
  return [payer, ...others]
}

function lamportsOf(meta: Fields, keys: readonly SolanaAddress[]): SolanaTransaction['lamports'] {
  const before = list(meta['preBalances'])
  const after = list(meta['postBalances'])
  if (before.length !== keys.length || after.length !== keys.length) throw invalidAnswer('balances of other accounts')
  return keys.map((account, i) => ({ account, before: parseU64(before[i]), after: parseU64(after[i]) }))
}

/** None if the node recorded no balances or no owners. */
function tokenBalances(value: unknown, keys: readonly SolanaAddress[]): TokenBalance[] {
  if (!Array.isArray(value)) return []
  const balances = value.map((item: unknown) => {
    const reported = fields(item, 'a token balance')
    const amount = fields(reported['uiTokenAmount'], 'a token amount')
    return typeof reported['owner'] === 'string'
      ? {
          account: keyAt(keys, reported['accountIndex']),
          mint: parseAddress(reported['mint']),
          owner: parseAddress(reported['owner']),
          amountRaw: parseU64(amount['amount']),
        }
      : null
  })
  return balances.every((balance) => balance !== null) ? balances : []
}

function instructionsOf(message: Fields, meta: Fields, keys: readonly SolanaAddress[]): SolanaInstruction[] {
  const called = new Map<number, readonly unknown[]>()
  for (const item of optionalList(meta['innerInstructions'])) {
    const { index, instructions } = fields(item, 'inner instructions')
    called.set(integer(index), list(instructions))
  }
  return list(message['instructions']).flatMap((outer, i) => [
    instructionOf(outer, keys, 0),
    ...(called.get(i) ?? []).map((inner) => instructionOf(inner, keys, 1)),
  ])
}

/** `depth`: unless reported. Older nodes do not report the caller of an inner instruction. */
function instructionOf(value: unknown, keys: readonly SolanaAddress[], depth: 0 | 1): SolanaInstruction {
  const { programIdIndex, accounts, data, stackHeight } = fields(value, 'an instruction')
  if (typeof data !== 'string') throw invalidAnswer('an instruction without data')
  return {
    program: keyAt(keys, programIdIndex),
    accounts: list(accounts).map((index) => keyAt(keys, index)),
    data,
    depth: depth > 0 && typeof stackHeight === 'number' ? integer(stackHeight) - 1 : depth,
  }
}

function timeOf(own: unknown, listed: number | null): number {
  const time = typeof own === 'number' ? own : listed
  if (time === null || !Number.isSafeInteger(time)) {
    throw new UpstreamError('unavailable', 'the node does not know when a transaction was')
  }
  return time
}

function keyAt(keys: readonly SolanaAddress[], index: unknown): SolanaAddress {
  const key = keys[integer(index)]
  if (key === undefined) throw invalidAnswer('an account that a transaction does not name')
  return key
}

function integer(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw invalidAnswer('expected an integer')
  return value
}

function fields(value: unknown, what: string): Fields {
  if (!isRecord(value)) throw invalidAnswer(`expected ${what}`)
  return value
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw invalidAnswer('expected a list')
  return value
}

const optionalList = (value: unknown) => (Array.isArray(value) ? (value as readonly unknown[]) : [])
