import type { Address } from './address.ts'

/** A bound on what can be taken out. Claims with the same id share it. `freeRaw`: what it allows in all, in base units. */
export type Limit = { id: string; freeRaw: bigint }

/**
 * Where an amount comes from that no trusted contract guarantees. `ways` are used in order; each limit of a way bounds
 * it. Amounts in base units of the token that is paid.
 */
export type Backing = {
  ways: readonly (readonly Limit[])[]
  /** How many shares exist. Who claims more has none. */
  supplyRaw?: bigint
  /** What remains of an amount that is not paid at all: shares without a price, or a reported gap. */
  unpaid?: { token: Address; amountRaw: bigint } | 'reported'
}

/** The limit of what a contract holds of a token. */
export const heldBy = (token: Address, holder: Address, freeRaw: bigint): Limit => ({
  id: `${token}@${holder}`,
  freeRaw,
})

/** What all claims of one read have taken from each source of liquidity, so that none is counted twice. */
export class LiquidityBudget {
  readonly #taken = new Map<string, bigint>()

  /** Takes up to `wantedRaw`, and returns how much was left. */
  take(wantedRaw: bigint, { ways }: Pick<Backing, 'ways'>): bigint {
    let paid = 0n
    for (const way of ways) {
      if (way.length === 0) throw new Error('a way without a limit would pay anything')
      const part = smallest([wantedRaw - paid, ...way.map((limit) => this.#leftOf(limit))])
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

const smallest = (all: readonly bigint[]) => all.reduce((a: bigint, b: bigint) => (a < b ? a : b))
