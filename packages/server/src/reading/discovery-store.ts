import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { BlockRange } from '../domain/block-ranges.ts'
import type { EvmAddress } from '../domain/evm-address.ts'
import type { WalletOnChain } from '../domain/wallet-on-chain.ts'
import { createCoverage } from './coverage.ts'
import { createSearchedChain } from './searched-chain.ts'

/** Which tokens a wallet's logs have named, and which blocks were looked through. */
export function createDiscoveryStore(db: Kysely<Tables>) {
  const coverage = createCoverage(db, 'wallet_log_coverage')
  const { begin } = createSearchedChain(db, 'wallet_log_coverage', coverage)

  async function findTokens(wallet: EvmAddress, chain: string): Promise<EvmAddress[]> {
    const rows = await db
      .selectFrom('wallet_token')
      .select('address')
      .where('wallet', '=', wallet)
      .where('chain', '=', chain)
      .execute()
    return rows.map((row) => row.address as EvmAddress)
  }

  /** Tokens and coverage change together: a range is never covered without what was found in it. */
  async function save(
    of: WalletOnChain,
    found: { tokens: readonly EvmAddress[]; covered: readonly BlockRange[] },
  ): Promise<void> {
    await coverage.update(of, async (trx) => {
      if (found.tokens.length > 0) {
        await trx
          .insertInto('wallet_token')
          .values(found.tokens.map((address) => ({ ...of, address })))
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      }
      return found.covered
    })
  }

  return { findTokens, begin, save }
}
