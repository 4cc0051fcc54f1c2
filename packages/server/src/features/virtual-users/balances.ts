import { sql } from 'kysely'
import type { Db } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import { type Decimal, decimal, formatDecimal } from '../../domain/decimal.ts'

/** A token, or a symbol in upper case with its price source (see `parseSymbolSource`). */
export type BalanceAsset = { chain: string; contract: Address } | { symbol: string; priceSource: string }

/** `change`: ascending number of the change. */
export type Balance = { asset: BalanceAsset; amount: Decimal; change: bigint }

type BalanceChange = { virtualUserId: string; asset: BalanceAsset; amount: Decimal; changedAt: Date }

export async function recordBalance(db: Db, change: BalanceChange): Promise<void> {
  const { chain = null, contract = null } = 'chain' in change.asset ? change.asset : {}
  const { symbol = null, priceSource = null } = 'symbol' in change.asset ? change.asset : {}
  await db
    .insertInto('virtual_balance_change')
    .values({
      chain,
      contract,
      symbol,
      price_source: priceSource,
      virtual_user_id: change.virtualUserId,
      amount: formatDecimal(change.amount),
      changed_at: change.changedAt,
    })
    .execute()
}

/** Zero amounts included; chains first, by key. */
export async function currentBalances(db: Db, virtualUserId: string): Promise<Balance[]> {
  const rows = await db
    .selectFrom('virtual_balance_change')
    .distinctOn(['chain', 'contract', 'symbol'])
    .select(['chain', 'contract', 'symbol', 'price_source', 'amount', 'number'])
    .where('virtual_user_id', '=', virtualUserId)
    .where('changed_at', '<=', sql<Date>`now()`)
    .orderBy('chain')
    .orderBy('contract')
    .orderBy('symbol')
    .orderBy('changed_at', 'desc')
    .orderBy('number', 'desc')
    .execute()
  return rows.flatMap(({ chain, contract, symbol, price_source, amount, number }): Balance[] => {
    const balance = { amount: decimal(amount), change: number }
    if (chain !== null && contract !== null) return [{ asset: { chain, contract }, ...balance }]
    if (symbol !== null && price_source !== null) return [{ asset: { symbol, priceSource: price_source }, ...balance }]
    return []
  })
}
