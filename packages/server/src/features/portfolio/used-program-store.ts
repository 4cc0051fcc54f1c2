import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { Address } from '../../domain/address.ts'
import type { BlockRange } from '../../domain/block-ranges.ts'
import type { SolanaAddress } from '../../domain/solana-address.ts'
import { createCoverage, type Searched } from '../coverage/coverage.ts'

export type UsedProgramStore = ReturnType<typeof createUsedProgramStore>

/** Which programs a wallet has used, and which slots were looked through for them. */
export function createUsedProgramStore(db: Kysely<Tables>) {
  const coverage = createCoverage(db, 'wallet_program_coverage')

  async function find({ wallet, chain }: Searched<Address>): Promise<SolanaAddress[]> {
    const rows = await db
      .selectFrom('wallet_program')
      .select('program')
      .where('wallet', '=', wallet)
      .where('chain', '=', chain)
      .execute()
    return rows.map(({ program }) => program)
  }

  /** Programs and coverage change together: a slot is never covered without what was found in it. */
  async function save(
    of: Searched<Address>,
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
