import { base58 } from '@scure/base'
import type { SolanaAccount } from '../../src/chains/solana/codec/account-data.ts'
import type { SolanaClock } from '../../src/chains/solana/codec/clock.ts'
import type { EarlierFinds, MintLead } from '../../src/chains/solana/protocols/adapter.ts'
import type { AccountFilter } from '../../src/chains/solana/reader/account-requests.ts'
import type { SolanaReader } from '../../src/chains/solana/reader/solana-reader.ts'
import type { SolanaAddress } from '../../src/domain/solana-address.ts'
import { createKept } from '../../src/lib/kept.ts'

type AccountStore = {
  account(address: SolanaAddress): Omit<SolanaAccount, 'address'> | null
  programAccounts(program: SolanaAddress): readonly SolanaAccount[]
}

/** `trips`: requests per tick. `searched`: programs with searched accounts. */
type AskedReader = SolanaReader & { trips: readonly string[][]; searched: readonly SolanaAddress[] }

export function accountsReader(store: AccountStore, clock: SolanaClock): AskedReader {
  const trips: string[][] = []
  const searched: SolanaAddress[] = []
  const known = new Set<SolanaAddress>()
  let trip: string[] | undefined
  const asked = async (question: string) => {
    if (!trip) {
      trip = []
      trips.push(trip)
    }
    trip.push(question)
    await new Promise((resolve) => setImmediate(resolve))
    trip = undefined
  }
  return {
    trips,
    searched,
    async accounts(addresses) {
      const fresh = addresses.filter((address) => !known.has(address))
      for (const address of fresh) known.add(address)
      if (fresh.length > 0) await asked(`${fresh.length} accounts`)
      return addresses.map((address) => {
        const found = store.account(address)
        return found && { address, owner: found.owner, lamports: found.lamports, data: found.data }
      })
    },
    async tokenAccounts() {
      throw new Error('the adapter gets what the wallet holds')
    },
    async programAccounts(program, filters, head) {
      searched.push(program)
      await asked(`accounts of ${program}`)
      const found = store.programAccounts(program).filter(({ data }) => filters.every((filter) => passes(data, filter)))
      return found.map((account) => ({ ...account, data: account.data.slice(0, head) }))
    },
    clock: async () => clock,
  }
}

export function storedAccounts(accounts: readonly SolanaAccount[]): AccountStore {
  const byAddress = new Map(accounts.map((account) => [account.address, account]))
  return {
    account: (address) => byAddress.get(address) ?? null,
    programAccounts: (program) => accounts.filter(({ owner }) => owner === program),
  }
}

/** Of a process that has just started. */
export function newFinds(): EarlierFinds {
  const families = new Map<string, Map<string, MintLead | null>>()
  const leads = (family: string) => {
    const known = families.get(family) ?? new Map<string, MintLead | null>()
    families.set(family, known)
    return known
  }
  return { leads, pools: createKept() }
}

function passes(data: Uint8Array, filter: AccountFilter): boolean {
  if ('dataSize' in filter) return data.length === filter.dataSize
  const expected = base58.decode(filter.bytes)
  return expected.every((byte, index) => data[filter.offset + index] === byte)
}
