import type { EvmAddress } from '../../../domain/evm-address.ts'
import { compareText } from '../../../lib/compare-text.ts'
import type { Capabilities } from '../../rpc/capabilities.ts'
import type { Batch, BatchCall } from './batch.ts'
import { LISTS_PER_PROGRAM, SCANS_PER_PROGRAM, TOKENS_PER_LIST, TOKENS_PER_SCAN } from './packed-program.ts'

export type Remainder = { calls: number[]; scans: ScanRange[] }
export type ScanRange = { scan: number; list: number; from: number; to: number }

export type ProgramPart = { calls: number[]; scans: ScanRange[]; gas: number; asksHeld: boolean }

export type ProgramRoom = { maxInputBytes: number; baseGas: number; createsCodes: boolean }

/** Far above the needs of a call, too low for one to use up the whole program. */
const CALL_GAS = 5_000_000
const LENS_GAS = 20_000_000
/** A costlier call is repeated alone. */
export const HELD_GAS = 4_000_000
const BYTE_GAS = 16
const TOKEN_BYTES = 20
const SCAN_BYTES = 25
const LIST_BYTES = 2
const HELD_BYTES = 6
const SCAN_GAS = 10_000
/** Least gas that remains next to a call's own limit; see `runCall` and `scanTokens`. */
const CALL_RESERVE = 1_100_000
const SCAN_RESERVE = 400_000
const HELD_RESERVE = (HELD_GAS * 17) / 16 + CALL_RESERVE

export function gasOfCall(call: BatchCall, gasCeiling: number): number {
  const wanted = call.lens ? LENS_GAS : CALL_GAS
  const most = Math.floor(((gasCeiling - CALL_RESERVE) * 16) / 17) - 1_000_000
  return Math.floor(Math.max(100_000, Math.min(wanted, most)) / 1000) * 1000
}

/** If true, running out of gas says nothing about the contract. */
export function isGasShort(call: BatchCall, gasCeiling: number): boolean {
  return gasOfCall(call, gasCeiling) < (call.lens ? LENS_GAS : CALL_GAS)
}

type CarriedTokens = { from: number; to: number }

type Draft = ProgramPart & {
  usedGas: number
  usedBytes: number
  sender?: EvmAddress
  lenses: Set<string>
  lists: Map<readonly EvmAddress[], CarriedTokens>
}

export function planPrograms(batch: Batch, left: Remainder, known: Capabilities, room: ProgramRoom): ProgramPart[] {
  const drafts: [Draft, ...Draft[]] = [openDraft(known, room)]
  const last = (): Draft => drafts.at(-1) ?? drafts[0]
  for (const index of lensesFirst(batch, left.calls)) {
    const call = batch.calls[index]
    if (!call) continue
    if (last().calls.length > 0 && !fitsCall(last(), call, known, room)) drafts.push(openDraft(known, room))
    addCall(last(), index, call, known)
  }
  for (const range of left.scans) {
    const tokens = batch.scans[range.scan]?.lists[range.list] ?? []
    let from = addScan(last(), tokens, range, known, room)
    while (from < range.to) {
      reserveHeld(last(), batch, known, room)
      drafts.push(openDraft(known, room))
      from = addScan(last(), tokens, { ...range, from }, known, room)
    }
    reserveHeld(last(), batch, known, room)
  }
  return drafts.map(({ calls, scans, gas, asksHeld }) => ({ calls, scans, gas, asksHeld }))
}

function openDraft(known: Capabilities, room: ProgramRoom): Draft {
  return {
    calls: [],
    scans: [],
    gas: known.gasCeiling,
    asksHeld: false,
    usedGas: room.baseGas,
    usedBytes: 19,
    lenses: new Set(),
    lists: new Map(),
  }
}

function lensesFirst(batch: Batch, calls: readonly number[]): number[] {
  const senderOf = (index: number) => batch.calls[index]?.standIn?.at ?? ''
  const isLens = (index: number) => batch.calls[index]?.lens !== undefined
  const lenses = calls.filter(isLens).toSorted((one, other) => compareText(senderOf(one), senderOf(other)))
  return [...lenses, ...calls.filter((index) => !isLens(index))]
}

function costOfCall(draft: Draft, call: BatchCall, known: Capabilities): { gas: number; bytes: number } {
  const codeBytes = call.lens && !draft.lenses.has(call.to) ? call.lens.runtimeCode.length / 2 : 0
  const bytes = 26 + call.data.length / 2 + codeBytes
  return { bytes, gas: bytes * BYTE_GAS + (call.lens ? known.gasPerLens + codeBytes * 200 : known.gasPerCall) }
}

function fitsCall(draft: Draft, call: BatchCall, known: Capabilities, room: ProgramRoom): boolean {
  // A program has one sender, and a contract's answer may depend on it.
  if (call.standIn && draft.sender && call.standIn.at !== draft.sender) return false
  const cost = costOfCall(draft, call, known)
  const tail = Math.ceil((gasOfCall(call, draft.gas) * 17) / 16) + CALL_RESERVE
  return draft.usedGas + cost.gas + tail <= draft.gas && draft.usedBytes + cost.bytes <= room.maxInputBytes
}

function addCall(draft: Draft, index: number, call: BatchCall, known: Capabilities): void {
  const cost = costOfCall(draft, call, known)
  draft.usedGas += cost.gas
  draft.usedBytes += cost.bytes
  if (call.lens) draft.lenses.add(call.to)
  if (call.standIn) draft.sender = call.standIn.at
  draft.calls.push(index)
}

/** Another program would repeat the token list. */
function reserveHeld(draft: Draft, { held }: Batch, known: Capabilities, room: ProgramRoom): void {
  if (!held || draft.scans.length !== 1) return
  const { call } = held
  const cost = costOfCall(draft, call, { ...known, gasPerLens: known.gasPerHeld })
  const marks = [...draft.lists.values()].reduce((sum, { from, to }) => sum + Math.ceil((to - from) / 8), HELD_BYTES)
  const fitsGas = draft.usedGas + cost.gas + HELD_RESERVE <= draft.gas
  if (room.createsCodes || !fitsGas || draft.usedBytes + cost.bytes + marks > room.maxInputBytes) return
  draft.usedGas += cost.gas
  draft.usedBytes += cost.bytes + marks
  draft.lenses.add(call.to)
  draft.asksHeld = true
}

function tokensThatFit(
  draft: Draft,
  { carried, from }: { carried: CarriedTokens; from: number },
  known: Capabilities,
  room: ProgramRoom,
): number {
  if (draft.scans.length >= SCANS_PER_PROGRAM) return 0
  const reserve = draft.asksHeld ? HELD_RESERVE + known.gasPerHeld : SCAN_RESERVE
  const byGas = tokensForGas(draft.gas - reserve - SCAN_GAS - draft.usedGas, carried.to - from, known)
  const freeBytes = room.maxInputBytes - SCAN_BYTES - LIST_BYTES - draft.usedBytes
  const begin = Math.min(carried.from, from)
  const end = begin + Math.min(carried.to - carried.from + freeBytes / TOKEN_BYTES, TOKENS_PER_LIST)
  const bySize = carried.to > end ? 0 : end - from
  const free = Math.max(0, Math.floor(Math.min(byGas, bySize, TOKENS_PER_SCAN)))
  // Takes at least one token: planning with a low ceiling would never end.
  return draft.calls.length + draft.scans.length === 0 ? Math.max(1, free) : free
}

function tokensForGas(gas: number, carried: number, known: Capabilities): number {
  const again = Math.max(0, carried)
  const left = gas - again * known.gasPerTokenAgain
  return left < 0 ? gas / known.gasPerTokenAgain : again + left / gasOfToken(known)
}

function addScan(
  draft: Draft,
  tokens: readonly EvmAddress[],
  range: ScanRange,
  known: Capabilities,
  room: ProgramRoom,
): number {
  const isNew = !draft.lists.has(tokens)
  if (isNew && draft.lists.size >= LISTS_PER_PROGRAM) return range.from
  const carried = draft.lists.get(tokens) ?? { from: range.from, to: range.from }
  const to = Math.min(range.to, range.from + tokensThatFit(draft, { carried, from: range.from }, known, room))
  if (to < range.to && to <= range.from) return range.from
  const carries = { from: Math.min(carried.from, range.from), to: Math.max(carried.to, to) }
  const moreTokens = carries.to - carries.from - (carried.to - carried.from)
  if (draft.asksHeld) draft.usedGas += known.gasPerHeld
  draft.usedGas += SCAN_GAS + moreTokens * gasOfToken(known) + (to - range.from - moreTokens) * known.gasPerTokenAgain
  draft.usedBytes += SCAN_BYTES + (isNew ? LIST_BYTES : 0) + moreTokens * TOKEN_BYTES
  draft.lists.set(tokens, carries)
  draft.scans.push({ ...range, to })
  return to
}

function gasOfToken(known: Capabilities): number {
  return known.gasPerToken + TOKEN_BYTES * BYTE_GAS
}
