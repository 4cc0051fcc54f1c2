import type { SolanaAccount } from '../src/chains/solana/codec/account-data.ts'
import type { SolanaClock } from '../src/chains/solana/codec/clock.ts'
import type { HeldMint, SolanaAdapter } from '../src/chains/solana/protocols/adapter.ts'
import type { SolanaReader } from '../src/chains/solana/reader/solana-reader.ts'
import type { PositionDraft } from '../src/domain/position.ts'
import type { UpstreamError } from '../src/lib/upstream-error.ts'
import { accountsReader, storedAccounts } from './solana/accounts-reader.ts'

export type CountingReader = SolanaReader & { trips(): number; searched: readonly string[] }

export function solanaReaderOf(accounts: readonly SolanaAccount[], clock: SolanaClock): CountingReader {
  const reader = accountsReader(storedAccounts(accounts), clock)
  return { ...reader, trips: () => reader.trips.length }
}

type Lists = 'borrowed' | 'rewards' | 'receipts'

/** `used`: all of the protocol's programs by default. */
export async function positionsOf(
  adapter: SolanaAdapter,
  given: { accounts: readonly SolanaAccount[]; wallet: string; clock: SolanaClock; held?: HeldMint[]; used?: string[] },
): Promise<{
  positions: (Required<Pick<PositionDraft, Lists>> & PositionDraft)[]
  reader: CountingReader
  leftOut: UpstreamError[]
}> {
  const { accounts, wallet, clock, held = [], used = adapter.searched ?? [] } = given
  const reader = solanaReaderOf(accounts, clock)
  const leftOut: UpstreamError[] = []
  const scope = { reader, wallet, clock, held, used: new Set(used) }
  const drafts = await adapter.positions({ ...scope, leftOut: (why) => leftOut.push(why) })
  const positions = drafts.map((draft) => ({ borrowed: [], rewards: [], receipts: [], ...draft }))
  return { positions, reader, leftOut }
}

/** Without fields for display. */
export const figuresOf = (positions: readonly PositionDraft[]) =>
  positions.map(({ kind, supplied, borrowed = [], rewards = [], healthFactorRaw, unlockAt }) => ({
    kind: kind as string,
    supplied,
    borrowed,
    rewards,
    ...(healthFactorRaw !== undefined && { healthFactorRaw }),
    ...(unlockAt !== undefined && { unlockAt }),
  }))

export const changed = (
  accounts: readonly SolanaAccount[],
  address: string,
  change: (account: SolanaAccount) => SolanaAccount | undefined,
): SolanaAccount[] => accounts.flatMap((account) => (account.address === address ? (change(account) ?? []) : [account]))

export const cutShort = (account: SolanaAccount): SolanaAccount => ({
  ...account,
  data: account.data.slice(0, Math.floor(account.data.length / 3)),
})

/** Another account type of the same program. */
export const ofAnotherChainType = (account: SolanaAccount): SolanaAccount => ({
  ...account,
  data: account.data.map((byte, index) => (index === 0 ? byte ^ 0xff : byte)),
})

export const ofAnotherProgram = (account: SolanaAccount): SolanaAccount => ({
  ...account,
  owner: 'Stake11111111111111111111111111111111111111',
})
