import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import { type EvmAddress, NATIVE } from '../../domain/evm-address.ts'
import type { Searched } from '../coverage/coverage.ts'
import { noteChange } from './history-changes.ts'

/** By how much a balance is other than the movements and the adjustments before say. */
export type Adjustment = { token: EvmAddress; amountRaw: bigint; debt: boolean; kind: 'interest' | 'gap' }

/** What movements and adjustments add up to by token, up to a block; `time` in Unix seconds. */
export type Ledger = { block: bigint; time: number; sums: Map<EvmAddress, bigint> }

export type BalanceStore = ReturnType<typeof createBalanceStore>

/** Sums of what is stored of wallets, and what balances showed beyond them. */
export function createBalanceStore(db: Kysely<Tables>) {
  /** Fungible tokens alone, the native coin always; undefined while the chain was not searched to the end. */
  async function sums({ wallet, chain }: Searched): Promise<Ledger | undefined> {
    const state = await db
      .selectFrom('history_state')
      .select(['block', 'block_time'])
      .where('wallet', '=', wallet)
      .where('chain', '=', chain)
      .executeTakeFirst()
    if (!state) return undefined
    const { rows } = await sql<{ token: EvmAddress; total: string }>`
      select token, sum(amount) as total from (
        select token, amount from history_movement
        where wallet = ${wallet} and chain = ${chain} and token_id is null and block <= ${state.block}
        union all
        select token, amount from history_adjustment
        where wallet = ${wallet} and chain = ${chain} and block <= ${state.block}) as entry
      group by token`.execute(db)
    const found = rows.map(({ token, total }): [EvmAddress, bigint] => [token, BigInt(total)])
    return { block: state.block, time: state.block_time.getTime() / 1000, sums: new Map([[NATIVE, 0n], ...found]) }
  }

  async function addAdjustments(
    of: Searched,
    at: { block: bigint; time: number },
    adjustments: readonly Adjustment[],
  ): Promise<void> {
    if (adjustments.length === 0) return
    await db.transaction().execute(async (trx) => {
      for (const { token, amountRaw, debt, kind } of adjustments) {
        await sql`
          insert into history_adjustment as kept (wallet, chain, block, block_time, since, token, amount, debt, kind)
          values (${of.wallet}, ${of.chain}, ${at.block}, to_timestamp(${at.time}), (
              select max(block_time) from history_adjustment
              where wallet = ${of.wallet} and chain = ${of.chain} and token = ${token} and block < ${at.block}),
            ${token}, ${amountRaw.toString()}, ${debt}, ${kind})
          on conflict (wallet, chain, block, token) do update
            set amount = kept.amount + excluded.amount, priced_at = null`.execute(trx)
      }
      await noteChange(trx, of.wallet, at.time)
    })
  }

  /** Whether a balance of the wallet was found to be other than what is told. */
  async function hasGaps(wallet: EvmAddress): Promise<boolean> {
    const row = await db
      .selectFrom('history_adjustment')
      .select('token')
      .where('wallet', '=', wallet)
      .where('kind', '=', 'gap')
      .limit(1)
      .executeTakeFirst()
    return row !== undefined
  }

  return { sums, addAdjustments, hasGaps }
}
