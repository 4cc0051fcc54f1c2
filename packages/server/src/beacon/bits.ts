/** Packed as in SSZ: bit `i` is bit `i & 7` of byte `i >> 3`. */
export type Bits = Uint8Array

export function hasBit(bits: Bits, index: number): boolean {
  return (((bits[index >> 3] ?? 0) >> (index & 7)) & 1) === 1
}
