import { base58 } from '@scure/base'
import type { AccountFilter, SolanaClock, SolanaReader } from '../src/chains/solana/solana-reader.ts'
import type { SolanaAccount } from '../src/domain/solana-account.ts'
import type { PositionDraft } from '../src/protocols/adapter.ts'
import type { HeldMint, SolanaFamily } from '../src/protocols/solana/solana-family.ts'

/** A reader over accounts in memory; it counts how often a node would be asked. */
export type CountingReader = SolanaReader & { trips(): number; searched(): readonly string[] }

const passes = (data: Uint8Array, filter: AccountFilter): boolean => {
  if ('dataSize' in filter) return data.length === filter.dataSize
  return base58.decode(filter.bytes).every((byte, index) => data[filter.offset + index] === byte)
}

/** Reads of one tick are one trip, as they are with a node. */
export function solanaReaderOf(accounts: readonly SolanaAccount[], clock: SolanaClock): CountingReader {
  const known = new Map(accounts.map((account) => [account.address, account]))
  const searched: string[] = []
  let trips = 0
  let trip: Promise<void> | undefined
  const asked = () => {
    trip ??= new Promise((resolve) => {
      trips++
      setImmediate(() => {
        trip = undefined
        resolve()
      })
    })
    return trip
  }
  return {
    async accounts(addresses) {
      if (addresses.length > 0) await asked()
      return addresses.map((address) => known.get(address) ?? null)
    },
    async tokenAccounts() {
      throw new Error('no family asks for token accounts')
    },
    async programAccounts(program, filters, head) {
      searched.push(program)
      await asked()
      const found = accounts.filter(
        ({ owner, data }) => owner === program && filters.every((filter) => passes(data, filter)),
      )
      return found.map((account) => ({ ...account, data: account.data.slice(0, head) }))
    },
    clock: async () => clock,
    trips: () => trips,
    searched: () => searched,
  }
}

/** What a family finds for a wallet that has used all of its programs, or those given. */
export async function positionsOf(
  family: SolanaFamily,
  given: { accounts: readonly SolanaAccount[]; wallet: string; clock: SolanaClock; held?: HeldMint[]; used?: string[] },
): Promise<{ positions: PositionDraft[]; reader: CountingReader }> {
  const { accounts, wallet, clock, held = [], used = family.searched ?? [] } = given
  const reader = solanaReaderOf(accounts, clock)
  const positions = await family.positions({ reader, wallet, clock, held, used: new Set(used) })
  return { positions, reader }
}

/** What a wallet has, without what is there for people. */
export const figuresOf = (positions: readonly PositionDraft[]) =>
  positions.map(({ kind, supplied, borrowed, rewards, healthFactorRaw, unlockAt }) => ({
    kind: kind as string,
    supplied,
    borrowed,
    rewards,
    ...(healthFactorRaw !== undefined && { healthFactorRaw }),
    ...(unlockAt !== undefined && { unlockAt }),
  }))

/** The same accounts with one of them changed, or gone. */
export const changed = (
  accounts: readonly SolanaAccount[],
  address: string,
  change: (account: SolanaAccount) => SolanaAccount | undefined,
): SolanaAccount[] => accounts.flatMap((account) => (account.address === address ? (change(account) ?? []) : [account]))

export const cutShort = (account: SolanaAccount): SolanaAccount => ({
  ...account,
  data: account.data.slice(0, Math.floor(account.data.length / 3)),
})

/** Another kind of account of the same program: the first byte is not what it was. */
export const ofAnotherKind = (account: SolanaAccount): SolanaAccount => ({
  ...account,
  data: account.data.map((byte, index) => (index === 0 ? byte ^ 0xff : byte)),
})

export const ofAnotherProgram = (account: SolanaAccount): SolanaAccount => ({
  ...account,
  owner: 'Stake11111111111111111111111111111111111111',
})
