/** Account as returned by a node. */
export type FixtureAccount = { address: string; owner: string; lamports: bigint; data: Uint8Array }

export type FixtureAmount = { token: string; amountRaw: bigint }

/** By the protocol's own arithmetic. */
export type FixturePosition = {
  kind: string
  supplied: FixtureAmount[]
  borrowed: FixtureAmount[]
  rewards: FixtureAmount[]
  healthFactorRaw?: bigint
  unlockAt?: number
}

export type FixtureToken = { mint: string; amountRaw: bigint; decimals: number }

/** Includes accounts of held tokens. */
export type Fixture = { accounts: FixtureAccount[]; held: FixtureToken[]; expected: FixturePosition[] }

export type FixtureClock = { slot: bigint; epoch: bigint; time: number }

const RENT = 10_000_000n

export const fixtureAccount = (address: string, owner: string, data: Uint8Array): FixtureAccount => ({
  address,
  owner,
  lamports: RENT,
  data: new Uint8Array(data),
})

export const position = (kind: string, amounts: Partial<FixturePosition> = {}): FixturePosition => ({
  kind,
  supplied: [],
  borrowed: [],
  rewards: [],
  ...amounts,
})
