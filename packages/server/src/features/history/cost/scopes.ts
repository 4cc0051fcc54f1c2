import { sql } from 'kysely'
import { rowTable } from '../../../db/row-table.ts'
import type { Db } from '../../../db/tables.ts'
import type { State } from '../../../domain/accounting/state.ts'
import type { Address } from '../../../domain/address.ts'
import { createSingleFlight } from '../../../lib/single-flight.ts'
import type { Part, Scope, ScopeParts } from './accounting-store.ts'

/** Separates builds with other rules, which may run during an update. */
const RULES = 'v4'

const METHODS: readonly State['method'][] = ['AVG', 'FIFO', 'LIFO', 'HIFO']

const ofWallet = (wallet: Address, method: State['method']) => `wallet ${wallet} ${method} ${RULES}`

export const scopeKeysOf = (wallet: Address): string[] => METHODS.map((method) => ofWallet(wallet, method))

/** `partsOfSaved`: read once. */
type Account = { method: State['method']; saved: readonly Address[]; partsOfSaved(): Promise<ScopeParts> }

/** An address book's wallets share one scope; any other wallet has its own. */
export function createScopes(
  db: Db,
  { chainsOf, nativeOf }: { chainsOf(wallet: Address): readonly string[]; nativeOf(chain: string): Address },
) {
  /** A request asks for several wallets of one account at once. */
  const flights = createSingleFlight<Account>()

  /** Complete: searched to the end and priced. A balance gap affects only its token's pool. */
  async function scopeOf(accountId: string, wallet: Address, by?: State['method']): Promise<Scope | undefined> {
    const account = await flights.run(accountId, () => accountOf(accountId))
    const method = by ?? account.method
    const isSaved = account.saved.includes(wallet)
    const found = await (isSaved ? account.partsOfSaved() : partsOf([wallet]))
    if (!found.parts.some((part) => part.wallet === wallet)) return undefined
    return { key: isSaved ? `account ${accountId} ${method} ${RULES}` : ofWallet(wallet, method), method, ...found }
  }

  async function accountOf(accountId: string): Promise<Account> {
    const [account, book] = await Promise.all([
      db.selectFrom('account').select('cost_method').where('id', '=', BigInt(accountId)).executeTakeFirstOrThrow(),
      db.selectFrom('address_book_entry').select('address').where('account_id', '=', BigInt(accountId)).execute(),
    ])
    const saved = book.map(({ address }) => address as Address)
    let parts: Promise<ScopeParts> | undefined
    const partsOfSaved = () => (parts ??= partsOf(saved))
    return { method: account.cost_method, saved, partsOfSaved }
  }

  async function partsOf(wallets: readonly Address[]): Promise<ScopeParts> {
    const wanted = wallets.flatMap((wallet) => chainsOf(wallet).map((chain) => ({ wallet, chain })))
    const { rows } = await sql<Omit<Part, 'native'> & { whole: boolean }>`
      with wanted as (select * from ${rowTable('wanted', { wallet: 'text', chain: 'text' }, wanted)}),
      gaps as (
        select wallet, chain, max(to_block) filter (where reason <> 'replaced-chain') + 1 as kept_from,
          min(from_block) filter (where reason = 'replaced-chain') as replaced_from
        from history_gap where wallet = any (${wallets}) group by wallet, chain),
      known as (
        select wallet, chain, state.block, gaps.kept_from, gaps.replaced_from,
          int8multirange(int8range(0, state.block, '[]')) - coalesce(native.blocks, '{}') as unknown,
          int8multirange(int8range(0, coalesce(gaps.kept_from, 0))) - coalesce(searched.blocks, '{}') as unread
        from wanted
        left join history_state as state using (wallet, chain)
        left join gaps using (wallet, chain)
        left join (select wallet, chain, blocks from wallet_coverage where purpose = 'native') as native using (wallet, chain)
        left join (select wallet, chain, blocks from wallet_coverage where purpose = 'history') as searched using (wallet, chain))
      select wallet, chain, lower(unknown) as "nativeFrom", lower(unread) as "lostFrom",
        kept_from as "keptFrom", replaced_from as "replacedFrom",
        concat_ws(' ', kept_from, lower(unread), case when block is not null and not isempty(unknown) then (
          select md5((unknown * int8multirange(int8range(0, max(tx.block), '[]')))::text)
          from history_transaction as tx where tx.wallet = known.wallet and tx.chain = known.chain) end) as version,
        block is not null
          and not exists (select from history_movement as movement
            where movement.wallet = known.wallet and movement.chain = known.chain and movement.priced_at is null)
          and not exists (select from history_adjustment as adjustment
            where adjustment.wallet = known.wallet and adjustment.chain = known.chain and adjustment.priced_at is null)
          as whole
      from known order by wallet, chain`.execute(db)
    const parts = rows.filter(({ whole }) => whole)
    const known = new Set(parts.map(({ wallet }) => wallet))
    const elsewhere = rows.filter(({ whole, wallet }) => !whole && known.has(wallet))
    return {
      parts: parts.map(({ whole: _, ...part }) => ({ ...part, native: nativeOf(part.chain) })),
      elsewhere: elsewhere.map(({ wallet, chain }) => ({ wallet, chain })),
    }
  }

  const methodOf = async (accountId: string) => (await flights.run(accountId, () => accountOf(accountId))).method

  return { scopeOf, methodOf }
}
