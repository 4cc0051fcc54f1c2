/** An account as a node tells it, to be put in its place. */
export type FixtureAccount = { address: string; owner: string; lamports: bigint; data: Uint8Array }

export type FixtureAmount = { token: string; amountRaw: bigint }

/** What a wallet has by the protocol's own arithmetic. */
export type FixturePosition = {
  kind: string
  supplied: FixtureAmount[]
  borrowed: FixtureAmount[]
  rewards: FixtureAmount[]
  healthFactorRaw?: bigint
  unlockAt?: number
}

/** A token that the wallet must hold. */
export type FixtureToken = { mint: string; amountRaw: bigint; decimals: number }

/** The accounts of a protocol for one wallet, those of the tokens held included, and what they amount to. */
export type Fixture = { accounts: FixtureAccount[]; held: FixtureToken[]; expected: FixturePosition[] }

/** The cluster's clock at which amounts are worked out. */
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
