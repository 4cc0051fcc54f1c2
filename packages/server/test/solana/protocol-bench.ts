import type { Fixture } from '@coffer/solana-fixtures'
import { expect } from 'vitest'
import type { SolanaAccount } from '../../src/chains/solana/codec/account-data.ts'
import type { EarlierFinds, HeldMint, SolanaAdapter } from '../../src/chains/solana/protocols/adapter.ts'
import type { SolanaReader } from '../../src/chains/solana/reader/solana-reader.ts'
import { type PositionDraft, stampPosition } from '../../src/domain/position.ts'
import { UpstreamError } from '../../src/lib/upstream-error.ts'
import { accountsReader, newFinds, storedAccounts } from './accounts-reader.ts'

export const WALLET = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'
export const CLOCK = { slot: 900n * 432_000n, epoch: 900n, time: 1_790_000_000 }
export const INVALID = expect.objectContaining({ name: 'UpstreamError', reason: 'invalid' })

export const readerOf = (accounts: readonly SolanaAccount[], clock = CLOCK) =>
  accountsReader(storedAccounts(accounts), clock)

export const refusingSearches = (reader: SolanaReader): SolanaReader => ({
  ...reader,
  programAccounts: () => Promise.reject(new UpstreamError('not-allowed', 'getProgramAccounts is not offered')),
})

type Given = {
  accounts: readonly SolanaAccount[]
  held?: readonly HeldMint[]
  /** All of the protocol's programs by default. */
  used?: readonly string[]
  wallet?: string
  clock?: typeof CLOCK
  found?: EarlierFinds
  /** Changes the reader. */
  through?: (reader: SolanaReader) => SolanaReader
}

/** Positions as the collector stores them. */
export async function positionsOf(adapter: SolanaAdapter, given: Given) {
  const { accounts, held = [], used = adapter.searched ?? [], wallet = WALLET, clock = CLOCK } = given
  const { found = newFinds(), through = (reader) => reader } = given
  const reader = readerOf(accounts, clock)
  const leftOut: UpstreamError[] = []
  const scope = { reader: through(reader), wallet, clock, held, found, used: new Set(used) }
  const drafts = await adapter.positions({ ...scope, leftOut: (why) => leftOut.push(why) })
  const positions = drafts.flatMap((draft) => stampPosition(draft, adapter.key, 'solana') ?? [])
  const receipts = await adapter.receipts?.(scope)
  const { searched } = reader
  return { positions, figures: figuresOf(positions), receipts, leftOut, trips: reader.trips.length, searched }
}

export async function readFixture(
  adapter: SolanaAdapter,
  made: Fixture | Promise<Fixture>,
  given: Omit<Given, 'accounts'> = {},
) {
  const fixture = await made
  const expected = figuresOf(fixture.expected as PositionDraft[])
  return { ...fixture, expected, ...(await positionsOf(adapter, { ...fixture, ...given })) }
}

/** Without fields for display and empty amounts. */
export const figuresOf = (positions: readonly PositionDraft[]) =>
  positions
    .flatMap((position) => stampPosition(position, '', '') ?? [])
    .map(({ kind, supplied, borrowed, rewards, healthFactorRaw, unlockAt }) => ({
      kind: kind as string,
      supplied,
      borrowed,
      rewards,
      ...(healthFactorRaw !== undefined && { healthFactorRaw }),
      ...(unlockAt !== undefined && { unlockAt }),
    }))

export const amountsOf = (amounts: readonly { amountRaw: bigint }[] = []) => amounts.map(({ amountRaw }) => amountRaw)

type Change = (account: SolanaAccount) => SolanaAccount | undefined

export const changed = (accounts: readonly SolanaAccount[], address: string, change: Change): SolanaAccount[] =>
  accounts.flatMap((account) => (account.address === address ? (change(account) ?? []) : [account]))

export const cutShort = (account: SolanaAccount): SolanaAccount => ({
  ...account,
  data: account.data.slice(0, Math.floor(account.data.length / 3)),
})

export const withByte =
  (offset: number, byte: number): Change =>
  (account) => ({ ...account, data: account.data.map((each, index) => (index === offset ? byte : each)) })

/** Another account type of the same program. */
export const ofAnotherType = (account: SolanaAccount): SolanaAccount => ({
  ...account,
  data: account.data.map((byte, index) => (index === 0 ? byte ^ 0xff : byte)),
})

export const ofAnotherProgram = (account: SolanaAccount): SolanaAccount => ({
  ...account,
  owner: 'Stake11111111111111111111111111111111111111',
})

export const gone = () => undefined

/** `rows`: place of an account of the fixture, offset and value of the changed byte. */
export async function expectRefused(
  adapter: SolanaAdapter,
  made: Fixture | Promise<Fixture>,
  rows: readonly (readonly [place: number, offset: number, byte: number])[],
) {
  const { accounts, held } = await made
  for (const [place, offset, byte] of rows) {
    const spoilt = changed(accounts, accounts[place]?.address ?? '', withByte(offset, byte))
    const reading = positionsOf(adapter, { accounts: spoilt, held })
    await expect(reading, `byte ${offset} of account ${place}`).rejects.toEqual(INVALID)
  }
}
