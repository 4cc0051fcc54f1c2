import { sql } from 'kysely'
import type { CoveragePurpose } from '../../../db/coverage.ts'
import { rowTable } from '../../../db/row-table.ts'
import type { Db } from '../../../db/tables.ts'
import type { State } from '../../../domain/accounting/state.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { compareText } from '../../../lib/compare-text.ts'
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
    const coverageOf = (purpose: CoveragePurpose) => sql`
      select wallet, chain, blocks from wallet_coverage where wallet = any (${wallets}) and purpose = ${purpose}`
    const { rows } = await sql<Omit<Part, 'native'>>`
      with gaps as (
        select wallet, chain, max(to_block) filter (where reason <> 'replaced-chain') + 1 as kept_from,
          min(from_block) filter (where reason = 'replaced-chain') as replaced_from
        from history_gap where wallet = any (${wallets}) group by wallet, chain),
      known as (
        select wallet, chain, state.block, gaps.kept_from, gaps.replaced_from,
          int8multirange(int8range(0, state.block, '[]')) - coalesce(native.blocks, '{}') as unknown,
          int8multirange(int8range(0, coalesce(gaps.kept_from, 0))) - coalesce(searched.blocks, '{}') as unread
        from history_state as state
        left join gaps using (wallet, chain)
        left join (${coverageOf('native')}) as native using (wallet, chain)
        left join (${coverageOf('history')}) as searched using (wallet, chain)
        where state.wallet = any (${wallets})
          and (wallet, chain) in (select * from ${rowTable('wanted', { wallet: 'text', chain: 'text' }, wanted)}))
      select wallet, chain, lower(unknown) as "nativeFrom", lower(unread) as "lostFrom",
        kept_from as "keptFrom", replaced_from as "replacedFrom",
        concat_ws(' ', kept_from, lower(unread), case when not isempty(unknown) then (
          select md5((unknown * int8multirange(int8range(0, max(tx.block), '[]')))::text)
          from history_transaction as tx
          where tx.wallet = any (${wallets}) and tx.wallet = known.wallet and tx.chain = known.chain) end) as version
      from known
      where not exists (select from history_movement as movement where movement.wallet = any (${wallets})
          and movement.wallet = known.wallet and movement.chain = known.chain and movement.priced_at is null)
        and not exists (select from history_adjustment as adjustment where adjustment.wallet = any (${wallets})
          and adjustment.wallet = known.wallet and adjustment.chain = known.chain and adjustment.priced_at is null)
      order by wallet, chain`.execute(db)
    const nameOf = ({ wallet, chain }: WalletOnChain) => `${wallet} ${chain}`
    const whole = new Set(rows.map(nameOf))
    const known = new Set(rows.map(({ wallet }) => wallet))
    const elsewhere = wanted.filter((part) => known.has(part.wallet) && !whole.has(nameOf(part)))
    return {
      parts: rows.map((part) => ({ ...part, native: nativeOf(part.chain) })),
      elsewhere: elsewhere.toSorted((a, b) => compareText(nameOf(a), nameOf(b))),
    }
  }

  const methodOf = async (accountId: string) => (await flights.run(accountId, () => accountOf(accountId))).method

  return { scopeOf, methodOf }
}
