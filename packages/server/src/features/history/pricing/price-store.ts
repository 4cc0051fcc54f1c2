import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../../db/tables.ts'
import type { Address } from '../../../domain/address.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { noteChange } from '../store/history-changes.ts'

/** `tx_index` null: an adjustment. */
export type UnpricedEntry = {
  block: bigint
  time: number
  tx_index: number | null
  place: number
  token: Address
  tokenId: string | null
  amountRaw: bigint
  debt: boolean
  treatment: string
  /** Displayed units per stored unit; null: equal. */
  multiplier: string | null
  multiplierKnown: boolean
}

/** USD per stored unit; null: unknown. */
export type EntryPrice = Pick<UnpricedEntry, 'block' | 'tx_index' | 'place' | 'token'> & {
  usd: string | null
  source: string | null
}

export type TransactionValue = { block: bigint; tx_index: number; valueUsd: string | null; feeUsd: string | null }

export type PriceStore = ReturnType<typeof createPriceStore>

export function createPriceStore(db: Kysely<Tables>) {
  /** The newest `blocks` blocks with unpriced entries, and all movements in them. */
  async function unpriced({ wallet, chain }: WalletOnChain, blocks: number): Promise<UnpricedEntry[]> {
    const { rows } = await sql<Omit<UnpricedEntry, 'amountRaw' | 'time'> & { amount: string; block_time: Date }>`
      with block as (
        select block from (
          select block from history_movement where wallet = ${wallet} and chain = ${chain} and priced_at is null
          union
          select block from history_adjustment where wallet = ${wallet} and chain = ${chain} and priced_at is null) as open
        order by block desc limit ${blocks})
      select movement.block, block_time, movement.tx_index, place, token, token_id as "tokenId", amount, debt, treatment,
        multiplier::text, multiplier_known as "multiplierKnown"
      from block
      join history_movement as movement on movement.wallet = ${wallet} and movement.chain = ${chain}
        and movement.block = block.block
      join history_transaction as tx on tx.wallet = ${wallet} and tx.chain = ${chain}
        and tx.block = movement.block and tx.tx_index = movement.tx_index
      union all
      select block, block_time, null, 0, token, null, amount, debt, kind, null, true
      from history_adjustment
      where wallet = ${wallet} and chain = ${chain} and priced_at is null and block in (select block from block)`.execute(
      db,
    )
    return rows.map(({ amount, block_time, ...row }) => ({
      ...row,
      time: block_time.getTime() / 1000,
      amountRaw: BigInt(amount),
    }))
  }

  async function save(
    { wallet, chain }: WalletOnChain,
    since: number,
    prices: readonly EntryPrice[],
    values: readonly TransactionValue[],
  ): Promise<void> {
    const moved = prices.filter(({ tx_index }) => tx_index !== null)
    const adjusted = prices.filter(({ tx_index }) => tx_index === null)
    await db.transaction().execute(async (trx) => {
      await sql`
        update history_movement as movement
        set price = priced.usd::numeric, price_source = priced.source, priced_at = clock_timestamp()
        from unnest(${moved.map(({ block }) => block.toString())}::bigint[],
          ${moved.map(({ tx_index }) => tx_index)}::integer[], ${moved.map(({ place }) => place)}::integer[],
          ${moved.map(({ usd }) => usd)}::text[], ${moved.map(({ source }) => source)}::text[])
          as priced (block, tx_index, place, usd, source)
        where movement.wallet = ${wallet} and movement.chain = ${chain} and movement.block = priced.block
          and movement.tx_index = priced.tx_index and movement.place = priced.place`.execute(trx)
      await sql`
        update history_adjustment as adjustment
        set price = priced.usd::numeric, price_source = priced.source, priced_at = clock_timestamp()
        from unnest(${adjusted.map(({ block }) => block.toString())}::bigint[],
          ${adjusted.map(({ token }) => token)}::text[], ${adjusted.map(({ usd }) => usd)}::text[],
          ${adjusted.map(({ source }) => source)}::text[]) as priced (block, token, usd, source)
        where adjustment.wallet = ${wallet} and adjustment.chain = ${chain} and adjustment.block = priced.block
          and adjustment.token = priced.token`.execute(trx)
      await sql`
        update history_transaction as tx
        set value_usd = valued.value_usd::numeric, fee_usd = valued.fee_usd::numeric
        from unnest(${values.map(({ block }) => block.toString())}::bigint[],
          ${values.map(({ tx_index }) => tx_index)}::integer[], ${values.map(({ valueUsd }) => valueUsd)}::text[],
          ${values.map(({ feeUsd }) => feeUsd)}::text[]) as valued (block, tx_index, value_usd, fee_usd)
        where tx.wallet = ${wallet} and tx.chain = ${chain} and tx.block = valued.block
          and tx.tx_index = valued.tx_index`.execute(trx)
      await noteChange(trx, wallet, since)
    })
  }

  return { unpriced, save }
}
