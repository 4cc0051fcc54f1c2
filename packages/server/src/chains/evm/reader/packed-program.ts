import type { EvmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Hex } from '../rpc-values.ts'
import { NotAnswered } from './batch.ts'

/** `target`: an address, or an index of the program's `codes`. */
type ProgramCall = { target: EvmAddress | number; data: Hex; gas: number }

type ProgramScan = { owner: EvmAddress; tokens: readonly EvmAddress[]; from: number; to: number }

export type Program = {
  /** Takes the block's number and parent from ArbSys. */
  arbSys: boolean
  maxBytes: number
  codes: readonly Hex[]
  calls: readonly ProgramCall[]
  scans: readonly ProgramScan[]
  held: (ProgramCall & { tokenAt: number; ownerAt: number; among: ReadonlySet<EvmAddress> }) | undefined
}

/** `passed`: false also if the answer was too long. */
export type CallAnswer = { passed: boolean; data: Hex; tooLong: boolean }

/** Tokens in neither collection have a balance of zero. */
export type ScanAnswer = {
  nativeRaw: bigint
  done: number
  balances: [token: EvmAddress, raw: bigint][]
  failed: EvmAddress[]
}

export type ProgramAnswer = {
  block: { number: bigint; timestamp: number; parentHash: Hex; prevRandao: Hex }
  gas: { atStart: number; beforeScans: number; beforeHeld: number; atEnd: number }
  calls: CallAnswer[]
  scans: ScanAnswer[]
  held: { owner: EvmAddress; token: EvmAddress; data: Hex }[]
}

/** Entries carry the index in 15 bits. */
export const TOKENS_PER_SCAN = 32_767
export const SCANS_PER_PROGRAM = 65_535
export const LISTS_PER_PROGRAM = 255
export const TOKENS_PER_LIST = 65_535
const HEADER_BYTES = 88
const TRAILER_BYTES = 28

const tokenListHex = new WeakMap<readonly EvmAddress[], string>()

/** Throws on a malformed address, which would shift all indices. */
function packedTokens(tokens: readonly EvmAddress[]): string {
  const known = tokenListHex.get(tokens)
  if (known !== undefined) return known
  let hex = ''
  for (const token of tokens) {
    if (token.length !== 42) throw new TypeError(`not an address: ${token}`)
    hex += token.slice(2)
  }
  if (!/^[0-9a-f]*$/.test(hex)) throw new TypeError('a token list holds something that is not a lower-case address')
  tokenListHex.set(tokens, hex)
  return hex
}

export function uint(value: number, bytes: number): string {
  return value.toString(16).padStart(bytes * 2, '0')
}

/** Input of `contracts/packed-program.sol`; hex without `0x`. */
export function encodeProgram(program: Program): string {
  const parts = [uint(program.arbSys ? 1 : 0, 1), uint(program.maxBytes, 4), uint(program.codes.length, 1)]
  for (const code of program.codes) parts.push(uint(code.length / 2 - 1, 3), code.slice(2))
  parts.push(uint(program.calls.length, 2))
  for (const call of program.calls) parts.push(packedCall(call))
  const lists = listsOf(program.scans)
  parts.push(uint(lists.size, 1))
  for (const [tokens, { from, to }] of lists) {
    parts.push(uint(to - from, 2), packedTokens(tokens).slice(from * 40, to * 40))
  }
  parts.push(uint(program.scans.length, 2))
  for (const { owner, tokens, from, to } of program.scans) {
    const list = lists.get(tokens)
    if (!list) throw new RangeError('a scan without its list')
    parts.push(owner.slice(2), uint(list.index, 1), uint(from - list.from, 2), uint(to - from, 2))
  }
  const { held } = program
  parts.push(uint(held ? 1 : 0, 1))
  if (held) {
    parts.push(uint(held.tokenAt, 3), uint(held.ownerAt, 3), packedCall(held))
    for (const [tokens, { from, to }] of lists) parts.push(packedMarks(tokens.slice(from, to), held.among))
  }
  return parts.join('')
}

function packedCall({ target, data, gas }: ProgramCall): string {
  const at = typeof target === 'number' ? `01${uint(Math.floor(gas / 1000), 2)}${uint(target, 20)}` : undefined
  return `${at ?? `00${uint(Math.floor(gas / 1000), 2)}${String(target).slice(2)}`}${uint(data.length / 2 - 1, 3)}${data.slice(2)}`
}

/** One bit per token, the first highest. */
function packedMarks(tokens: readonly EvmAddress[], among: ReadonlySet<EvmAddress>): string {
  const marks = Buffer.alloc(Math.ceil(tokens.length / 8))
  for (const [i, token] of tokens.entries()) {
    if (among.has(token)) marks[i >> 3] = (marks[i >> 3] ?? 0) | (0x80 >> (i & 7))
  }
  return marks.toString('hex')
}

type ListSlice = { index: number; from: number; to: number }

function listsOf(scans: readonly ProgramScan[]): ReadonlyMap<readonly EvmAddress[], ListSlice> {
  const lists = new Map<readonly EvmAddress[], ListSlice>()
  for (const { tokens, from, to } of scans) {
    const known = lists.get(tokens) ?? { index: lists.size, from, to }
    lists.set(tokens, { ...known, from: Math.min(known.from, from), to: Math.max(known.to, to) })
  }
  return lists
}

class Cursor {
  readonly #hex: string
  readonly #endBytes: number
  #at = 0

  constructor(hex: string, endBytes: number) {
    this.#hex = hex
    this.#endBytes = endBytes
  }

  hex(bytes: number): Hex {
    const from = this.#at
    this.#at += bytes
    if (this.#at > this.#endBytes) throw new UpstreamError('invalid', 'the answer of a packed call ends too early')
    return `0x${this.#hex.slice(2 + from * 2, 2 + this.#at * 2)}`
  }

  number = (bytes: number): number => Number(this.hex(bytes))
  big = (bytes: number): bigint => BigInt(this.hex(bytes))
  more = (): boolean => this.#at < this.#endBytes
}

export function decodeProgram(program: Program, hex: Hex): ProgramAnswer {
  const size = hex.length / 2 - 1
  if (size < HEADER_BYTES + TRAILER_BYTES) throw new NotAnswered('a packed call was not answered by its program')
  const trailer = new Cursor(`0x${hex.slice(-TRAILER_BYTES * 2)}`, TRAILER_BYTES)
  const beforeScans = trailer.number(8)
  const beforeHeld = trailer.number(8)
  const atEnd = trailer.number(8)
  const calls = trailer.number(2)
  const held = trailer.number(2)
  const cursor = new Cursor(hex, size - TRAILER_BYTES)
  const block = {
    number: cursor.big(8),
    timestamp: cursor.number(8),
    parentHash: cursor.hex(32),
    prevRandao: cursor.hex(32),
  }
  const atStart = cursor.number(8)
  if (calls > program.calls.length || atEnd > beforeHeld || beforeHeld > beforeScans || beforeScans > atStart) {
    throw new UpstreamError('invalid', 'a packed call was not answered by its program')
  }
  const gas = { atStart, beforeScans, beforeHeld, atEnd }
  const answer: ProgramAnswer = { block, gas, calls: [], scans: [], held: [] }
  for (let i = 0; i < calls; i += 1) {
    const status = cursor.number(1)
    answer.calls.push({ passed: status === 1, tooLong: status === 2, data: cursor.hex(cursor.number(3)) })
  }
  for (const scan of program.scans) {
    if (!cursor.more()) break
    answer.scans.push(decodeScan(scan, cursor))
  }
  for (let i = 0; i < held; i += 1) answer.held.push(decodeHeld(program, cursor))
  if (cursor.more()) throw new UpstreamError('invalid', 'the answer of a packed call is longer than its program')
  return answer
}

function decodeScan(scan: ProgramScan, cursor: Cursor): ScanAnswer {
  const answer: ScanAnswer = { nativeRaw: cursor.big(32), done: cursor.number(2), balances: [], failed: [] }
  for (let left = cursor.number(2); left > 0; left -= 1) {
    const entry = cursor.number(2)
    const token = scan.tokens[scan.from + (entry & 0x7fff)]
    if (token === undefined || (entry & 0x7fff) >= answer.done)
      throw new UpstreamError('invalid', 'a scan answered for a token not asked')
    if (entry & 0x8000) answer.failed.push(token)
    else answer.balances.push([token, cursor.big(32)])
  }
  return answer
}

function decodeHeld({ scans, held }: Program, cursor: Cursor): ProgramAnswer['held'][number] {
  const scan = scans[cursor.number(2)]
  const token = scan?.tokens[scan.from + cursor.number(2)]
  if (!scan || !token || !held?.among.has(token) || cursor.number(1) !== 1)
    throw new UpstreamError('invalid', 'a packed call answered for a token not asked')
  return { owner: scan.owner, token, data: cursor.hex(cursor.number(3)) }
}
