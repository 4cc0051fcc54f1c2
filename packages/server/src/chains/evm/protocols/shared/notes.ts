import { type Hex, pad, toFunctionSelector } from 'viem'
import type { ReceiptLog } from '../../../../domain/transaction.ts'

/** `0x`, two words before the call's data, its selector. */
const ARGUMENTS_START = 2 + 2 * 64 + 8
const WORD_CHARS = 64
const WORD_BITS = 256

/** Maker's contracts log a call's selector as first topic. */
export const noteOf = (declaration: string): Hex => pad(toFunctionSelector(declaration), { dir: 'right', size: 32 })

export function notedArgument({ data }: ReceiptLog, place: number): bigint | undefined {
  const start = ARGUMENTS_START + place * WORD_CHARS
  const text = data.slice(start, start + WORD_CHARS)
  return text.length === WORD_CHARS ? BigInt.asIntN(WORD_BITS, BigInt(`0x${text}`)) : undefined
}
