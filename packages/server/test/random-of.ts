/** Reproducible from the printed seed. */
export type Random = {
  seed: number
  /** Inclusive; spread over orders of magnitude. */
  amount(low: bigint, high: bigint): bigint
  /** From 0 to `below` - 1. */
  index(below: number): number
  pick<T>(from: readonly T[]): T
  address(): `0x${string}`
}

export function randomOf(seed: number): Random {
  let state = seed >>> 0
  /** mulberry32: 32 random bits. */
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const big = (bits: number) => {
    let value = 0n
    for (let done = 0; done < bits; done += 32) value = (value << 32n) | BigInt(next())
    return BigInt.asUintN(bits, value)
  }
  const index = (below: number) => Math.floor((next() / 2 ** 32) * below)
  return {
    seed,
    index,
    amount(low, high) {
      const span = (high - low).toString(2).length
      return low + (big(1 + index(span)) % (high - low + 1n))
    },
    pick(from) {
      const value = from[index(from.length)]
      if (value === undefined) throw new Error('nothing to pick from')
      return value
    },
    address: () => `0x${big(160).toString(16).padStart(40, '0')}`,
  }
}
