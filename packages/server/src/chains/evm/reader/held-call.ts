import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { Hex } from '../rpc-values.ts'
import { type BatchCall, keyOfCall } from './batch.ts'

/** `tokenAt` and `ownerAt`: byte offsets in `data`. */
export type BlankCall = { call: BatchCall; tokenAt: number; ownerAt: number }

export type HeldCall = BlankCall & { among: ReadonlySet<EvmAddress> }

/** As in `contracts/packed-program.sol`. */
const MOST_HELD = 16

const TOKEN = `0x${'7e'.repeat(20)}` as EvmAddress
const OWNER = `0x${'0e'.repeat(20)}` as EvmAddress
const WORD_DIGITS = 64

/** Each address must be exactly one word of the encoded data. */
export function blankCall(encode: (token: EvmAddress, owner: EvmAddress) => BatchCall): BlankCall {
  const call = encode(TOKEN, OWNER)
  const tokenAt = placeOf(TOKEN, call.data)
  const ownerAt = placeOf(OWNER, call.data)
  const zero = `0x${'00'.repeat(20)}` as EvmAddress
  return { call: filled({ call, tokenAt, ownerAt }, zero, zero), tokenAt, ownerAt }
}

function placeOf(address: EvmAddress, data: Hex): number {
  const digits = data.indexOf(address.slice(2)) - 2
  return (digits + 40 - WORD_DIGITS) / 2
}

export function filled({ call, tokenAt, ownerAt }: BlankCall, token: EvmAddress, owner: EvmAddress): BatchCall {
  return { ...call, data: withWord(withWord(call.data, tokenAt, token), ownerAt, owner) }
}

function withWord(data: Hex, at: number, address: EvmAddress): Hex {
  const from = 2 + at * 2
  const word = address.slice(2).padStart(WORD_DIGITS, '0')
  return `${data.slice(0, from)}${word}${data.slice(from + WORD_DIGITS)}` as Hex
}

export function joinHeld(wanted: HeldCall | undefined, held: HeldCall): HeldCall {
  if (!wanted) return held
  const isSame = wanted.among === held.among || keyOfCall(wanted.call) !== keyOfCall(held.call)
  return isSame ? wanted : { ...wanted, among: new Set([...wanted.among, ...held.among]) }
}

export class HeldTokens {
  among: ReadonlySet<EvmAddress> = new Set()
  readonly #byOwner = new Map<EvmAddress, ReadonlySet<EvmAddress>>()

  found(owner: EvmAddress, tokens: Iterable<EvmAddress>): void {
    const asked = [...tokens].filter((token) => this.among.has(token))
    this.#byOwner.set(owner, new Set([...(this.#byOwner.get(owner) ?? []), ...asked]))
  }

  isAsked(owner: EvmAddress, token: EvmAddress): boolean {
    const held = this.#byOwner.get(owner)
    return held !== undefined && held.size <= MOST_HELD && held.has(token)
  }
}
