import type { Kysely } from 'kysely'
import { createCoverage } from '../db/coverage.ts'
import type { Tables } from '../db/tables.ts'
import type { BlockRange } from '../domain/block-ranges.ts'
import type { SolanaAddress } from '../domain/solana-address.ts'
import type { WalletOnChain } from '../domain/wallet-on-chain.ts'

export function createUsedProgramStore(db: Kysely<Tables>) {
  const coverage = createCoverage(db, 'programs')

  async function find({ wallet, chain }: WalletOnChain): Promise<SolanaAddress[]> {
    const rows = await db
      .selectFrom('wallet_program')
      .select('program')
      .where('wallet', '=', wallet)
      .where('chain', '=', chain)
      .execute()
    return rows.map(({ program }) => program)
  }

  async function save(
    of: WalletOnChain,
    found: { programs: readonly SolanaAddress[]; covered: readonly BlockRange[] },
  ): Promise<void> {
    await coverage.update(of, async (trx) => {
      if (found.programs.length > 0) {
        await trx
          .insertInto('wallet_program')
          .values(found.programs.map((program) => ({ ...of, program })))
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      }
      return found.covered
    })
  }

  return { find, findCoverage: coverage.find, save }
}
