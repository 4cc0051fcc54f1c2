import { sql } from 'kysely'
import type { Adjustment, Ledger } from '../../../chains/histories.ts'
import { createCoverage } from '../../../db/coverage.ts'
import type { Db, Trx } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { firstDoubted, noteChange } from './history-changes.ts'

export function createBalanceStore(db: Db) {
  const coverage = createCoverage(db, 'history')

  /** Fungible tokens only; undefined until the search reached its end. */
  async function sums({ wallet, chain }: WalletOnChain, trx: Db = db): Promise<Ledger | undefined> {
    const state = await trx
      .selectFrom('history_state')
      .select(['block', 'block_time'])
      .where((eb) => eb.and({ wallet, chain }))
      .executeTakeFirst()
    if (!state) return undefined
    const { rows } = await sql<{ token: Address; total: string }>`
      select token, sum(amount) as total from (
        select token, amount from history_movement
        where wallet = ${wallet} and chain = ${chain} and token_id is null and block <= ${state.block}
        union all
        select token, amount from history_adjustment
        where wallet = ${wallet} and chain = ${chain} and block <= ${state.block}) as entry
      group by token`.execute(trx)
    const found = rows.map(({ token, total }): [Address, bigint] => [token, BigInt(total)])
    return { block: state.block, time: state.block_time.getTime() / 1000, sums: new Map(found) }
  }

  /** Makes the sums equal the balances. Stores nothing if the block is another. */
  async function settle(of: WalletOnChain, block: bigint, adjust: (ledger: Ledger) => readonly Adjustment[]) {
    return db.transaction().execute(async (trx) => {
      await coverage.lock(trx, of)
      const ledger = await sums(of, trx)
      if (ledger?.block !== block) return []
      const adjustments = adjust(ledger)
      if (adjustments.length === 0) return []
      const gaps = adjustments.filter(({ kind }) => kind === 'gap').map(({ token }) => token)
      const since = await firstDoubted(trx, of, gaps)
      for (const adjustment of adjustments) await addAdjustment(trx, of, ledger, adjustment)
      await noteChange(trx, of.wallet, Math.min(ledger.time, since ?? ledger.time))
      return adjustments
    })
  }

  async function movedAfter({ wallet, chain }: WalletOnChain, block: bigint): Promise<ReadonlySet<Address>> {
    const rows = await db
      .selectFrom('history_movement')
      .select('token')
      .distinct()
      .where((eb) => eb.and({ wallet, chain }))
      .where('block', '>', block)
      .execute()
    return new Set(rows.map(({ token }) => token))
  }

  return { sums, settle, movedAfter }
}

async function addAdjustment(
  trx: Trx,
  { wallet, chain }: WalletOnChain,
  { block, time }: Ledger,
  { token, amountRaw, debt, kind }: Adjustment,
): Promise<void> {
  await sql`
    insert into history_adjustment as kept (wallet, chain, block, block_time, token, amount, debt, kind)
    values (${wallet}, ${chain}, ${block}, to_timestamp(${time}),
      ${token}, ${amountRaw.toString()}, ${debt}, ${kind})
    on conflict (wallet, chain, block, token) do update
      set amount = kept.amount + excluded.amount, priced_at = null`.execute(trx)
}
