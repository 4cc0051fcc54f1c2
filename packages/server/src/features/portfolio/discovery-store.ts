import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { BlockRange } from '../../domain/block-ranges.ts'
import type { EvmAddress } from '../../domain/evm-address.ts'

export type DiscoveryStore = ReturnType<typeof createDiscoveryStore>

/** Which tokens a wallet's logs have named, and which blocks were looked through. */
export function createDiscoveryStore(db: Kysely<Tables>) {
  async function findTokens(wallet: EvmAddress, chain: string): Promise<EvmAddress[]> {
    const rows = await db
      .selectFrom('wallet_token')
      .select('address')
      .where('wallet', '=', wallet)
      .where('chain', '=', chain)
      .execute()
    return rows.map((row) => row.address)
  }

  /** Disjoint ranges, in order of blocks. */
  async function findCoverage(wallet: EvmAddress, chain: string): Promise<BlockRange[]> {
    const rows = await db
      .selectFrom('wallet_log_coverage')
      .select(['from_block', 'to_block'])
      .where('wallet', '=', wallet)
      .where('chain', '=', chain)
      .orderBy('from_block')
      .execute()
    return rows.map((row) => ({ fromBlock: BigInt(row.from_block), toBlock: BigInt(row.to_block) }))
  }

  /** Tokens and coverage change together: a range is never covered without what was found in it. */
  async function save(
    wallet: EvmAddress,
    chain: string,
    found: { tokens: readonly EvmAddress[]; coverage: readonly BlockRange[] },
  ): Promise<void> {
    await db.transaction().execute(async (trx) => {
      if (found.tokens.length > 0) {
        await trx
          .insertInto('wallet_token')
          .values(found.tokens.map((address) => ({ wallet, chain, address })))
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      }
      await trx.deleteFrom('wallet_log_coverage').where('wallet', '=', wallet).where('chain', '=', chain).execute()
      if (found.coverage.length === 0) return
      await trx
        .insertInto('wallet_log_coverage')
        .values(
          found.coverage.map(({ fromBlock, toBlock }) => ({
            wallet,
            chain,
            from_block: fromBlock.toString(),
            to_block: toBlock.toString(),
          })),
        )
        .execute()
    })
  }

  return { findTokens, findCoverage, save }
}
