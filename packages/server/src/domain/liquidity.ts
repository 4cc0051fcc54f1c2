import type { Address } from './address.ts'

/** In base units. Claims with the same `id` share it. */
export type Limit = { id: string; freeRaw: bigint }

/** Not guaranteed by a trusted contract. `ways` are used in order, within all limits of a way. */
export type Backing = {
  ways: readonly (readonly Limit[])[]
  /** Existing shares; a larger claim has none. */
  supplyRaw?: bigint
  /** Unpaid rest: shares without a price, or a reported gap. */
  unpaid?: { token: Address; amountRaw: bigint } | 'reported'
}

export const heldBy = (token: Address, holder: Address, freeRaw: bigint): Limit => ({
  id: `${token}@${holder}`,
  freeRaw,
})

/** Counts no liquidity twice within a read. */
export class LiquidityBudget {
  readonly #taken = new Map<string, bigint>()

  take(wantedRaw: bigint, { ways }: Backing): bigint {
    let paid = 0n
    for (const way of ways) {
      if (way.length === 0) throw new Error('a way without a limit would pay anything')
      const left = way.map((limit) => this.#leftOf(limit))
      const part = left.reduce((least: bigint, each: bigint) => (each < least ? each : least), wantedRaw - paid)
      for (const { id } of way) this.#taken.set(id, (this.#taken.get(id) ?? 0n) + part)
      paid += part
    }
    return paid
  }

  #leftOf({ id, freeRaw }: Limit): bigint {
    const taken = this.#taken.get(id) ?? 0n
    return freeRaw > taken ? freeRaw - taken : 0n
  }
}
