import { type Kysely, sql } from 'kysely'
import { createCoverage } from '../db/coverage.ts'
import type { Tables } from '../db/tables.ts'
import type { BlockRange } from '../domain/block-ranges.ts'
import type { EvmAddress } from '../domain/evm-address.ts'
import type { WalletOnChain } from '../domain/wallet-on-chain.ts'
import type { PresentChain, SeenBlock } from '../kinds/seen-block.ts'
import type { DiscoveryStore, FoundInLogs, LogSearchOf, StoredKeys } from '../kinds/stores.ts'
import { createSearchedChain } from './searched-chain.ts'

/** Of a contract with more than twice as many keys of a wallet, this many of the oldest and of the newest are read. */
const KEYS_PER_END = 512

/** What a wallet's logs have named, and which blocks were looked through. */
export function createDiscoveryStore(db: Kysely<Tables>): DiscoveryStore {
  async function findTokens(wallet: EvmAddress, chain: string): Promise<EvmAddress[]> {
    const rows = await db
      .selectFrom('wallet_token')
      .select('address')
      .where('wallet', '=', wallet)
      .where('chain', '=', chain)
      .execute()
    return rows.map((row) => row.address as EvmAddress)
  }

  async function findKeys({ wallet, chain }: WalletOnChain, contracts: readonly EvmAddress[]): Promise<StoredKeys> {
    if (contracts.length === 0) return { keys: [], cut: new Set() }
    const own = sql`select block, key from wallet_key
      where wallet = ${wallet} and chain = ${chain} and contract = asked.contract`
    // One more of the oldest than is returned shows whether there are more.
    const { rows } = await sql<{ contract: EvmAddress; key: string }>`
      select asked.contract, found.key::text as key
      from unnest(${contracts}::text[]) as asked (contract) cross join lateral (
        (${own} order by block, key limit ${KEYS_PER_END + 1})
        union (${own} order by block desc, key desc limit ${KEYS_PER_END})) as found
      order by asked.contract, found.block, found.key`.execute(db)
    const byContract = Map.groupBy(rows, ({ contract }) => contract)
    const cut = [...byContract].filter(([, found]) => found.length > 2 * KEYS_PER_END)
    for (const [, found] of cut) found.splice(KEYS_PER_END, 1)
    return {
      keys: [...byContract.values()].flat().map(({ contract, key }) => ({ contract, key: BigInt(key) })),
      cut: new Set(cut.map(([contract]) => contract)),
    }
  }

  async function begin(
    { logs, ...of }: LogSearchOf,
    head: SeenBlock,
    present: PresentChain,
  ): Promise<{ covered: BlockRange[]; isAnew: boolean }> {
    const { numDeletedRows } = await db
      .deleteFrom('wallet_coverage')
      .where('wallet', '=', of.wallet)
      .where('chain', '=', of.chain)
      .where('purpose', '=', 'logs')
      .where('logs', '<>', logs)
      .executeTakeFirst()
    const coverage = createCoverage(db, 'logs', logs)
    const covered = await createSearchedChain(db, coverage).begin(of, head, present)
    return { covered, isAnew: numDeletedRows > 0n }
  }

  /** Results and coverage change together: a range is never covered without what was found in it. */
  async function save({ logs, ...of }: LogSearchOf, { tokens, keys, covered }: FoundInLogs): Promise<void> {
    await createCoverage(db, 'logs', logs).update(of, async (trx) => {
      if (tokens.length > 0) {
        await trx
          .insertInto('wallet_token')
          .values(tokens.map((address) => ({ ...of, address })))
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      }
      if (keys.length > 0) {
        await sql`
          insert into wallet_key (wallet, chain, contract, key, block)
          select ${of.wallet}, ${of.chain}, contract, key, block
          from unnest(${keys.map(({ contract }) => contract)}::text[], ${keys.map(({ key }) => key.toString())}::numeric[],
            ${keys.map(({ block }) => block.toString())}::bigint[]) as found (contract, key, block)
          on conflict (wallet, chain, contract, key) do nothing`.execute(trx)
      }
      return covered
    })
  }

  return { findTokens, findKeys, begin, save }
}
