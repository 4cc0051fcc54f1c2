import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../db/tables.ts'
import type { State } from '../../../domain/accounting/state.ts'
import type { Address } from '../../../domain/address.ts'
import { createSingleFlight } from '../../../lib/single-flight.ts'
import type { Scope } from './accounting-store.ts'

/** Part of each key, so that builds with other rules, which may still run during an update, keep rows of their own. */
const RULES = 'v2'

const METHODS: readonly State['method'][] = ['AVG', 'FIFO', 'LIFO', 'HIFO']

const ofWallet = (wallet: Address, method: State['method']) => `wallet ${wallet} ${method} ${RULES}`

/** The scopes of a wallet by itself. */
export const scopeKeysOf = (wallet: Address): string[] => METHODS.map((method) => ofWallet(wallet, method))

type Account = { method: State['method']; saved: readonly Address[] }

/** Which wallets are accounted for together: those of an account's address book, and any other by itself. */
export function createScopes(db: Kysely<Tables>, chainsOf: (wallet: Address) => readonly string[]) {
  /** A request asks for several wallets of one account at once. */
  const flights = createSingleFlight<Account>()

  /**
   * Undefined while the wallet's history is incomplete: not searched to the end on every chain of its kind, or not
   * priced. A balance that differs from the movements affects only the pool of its token.
   */
  async function scopeOf(accountId: string, wallet: Address): Promise<Scope | undefined> {
    const { method, saved } = await flights.run(accountId, () => accountOf(accountId))
    const isSaved = saved.includes(wallet)
    const whole = await wholeAmong(isSaved ? saved : [wallet])
    if (!whole.includes(wallet)) return undefined
    return isSaved
      ? { key: `account ${accountId} ${RULES}`, wallets: whole, method }
      : { key: ofWallet(wallet, method), wallets: [wallet], method }
  }

  async function accountOf(accountId: string): Promise<Account> {
    const [account, book] = await Promise.all([
      db.selectFrom('account').select('cost_method').where('id', '=', BigInt(accountId)).executeTakeFirstOrThrow(),
      db.selectFrom('address_book_entry').select('address').where('account_id', '=', BigInt(accountId)).execute(),
    ])
    return { method: account.cost_method, saved: book.map(({ address }) => address as Address) }
  }

  /** In order of addresses. */
  async function wholeAmong(wallets: readonly Address[]): Promise<Address[]> {
    const wanted = wallets.flatMap((wallet) => chainsOf(wallet).map((chain) => ({ wallet, chain })))
    const { rows } = await sql<{ wallet: Address }>`
      select state.wallet from history_state as state
      join (
        select wallet, chain, count(*) over (partition by wallet) as chains
        from unnest(${wanted.map(({ wallet }) => wallet)}::text[], ${wanted.map(({ chain }) => chain)}::text[])
          as each (wallet, chain)) as wanted using (wallet, chain)
      where exists (select from wallet_coverage as native
          where native.wallet = state.wallet and native.chain = state.chain and native.purpose = 'native'
            and native.blocks @> int8range(0, state.block, '[]'))
        and not exists (select from history_movement as movement
          where movement.wallet = state.wallet and movement.chain = state.chain and movement.priced_at is null)
        and not exists (select from history_adjustment as adjustment
          where adjustment.wallet = state.wallet and adjustment.chain = state.chain and adjustment.priced_at is null)
      group by state.wallet, wanted.chains
      having count(*) = wanted.chains
      order by state.wallet`.execute(db)
    return rows.map(({ wallet }) => wallet)
  }

  const methodOf = async (accountId: string) => (await flights.run(accountId, () => accountOf(accountId))).method

  return { scopeOf, methodOf }
}
