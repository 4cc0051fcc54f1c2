import { sql } from 'kysely'
import type { SeenBlock } from '../chains/seen-block.ts'
import type { DiscoveryStore, FoundInLogs, LogSearchOf, StoredKeys, UsedProgramStore } from '../chains/stores.ts'
import { createCoverage } from '../db/coverage.ts'
import type { Db } from '../db/tables.ts'
import type { BlockRange } from '../domain/block-ranges.ts'
import type { EvmAddress } from '../domain/evm-address.ts'
import type { WalletOnChain } from '../domain/wallet-on-chain.ts'
import { createTickBatch } from '../lib/tick-batch.ts'
import { createSearchedChain } from './searched-chain.ts'

/** Position IDs from each end, of contracts with more than twice as many. */
const KEYS_PER_END = 512

type Asked = WalletOnChain & { contracts: readonly EvmAddress[] }

type Known = {
  tokens: EvmAddress[]
  isDue: boolean
  keys: readonly Readonly<{ contract: EvmAddress; key: string }>[]
  logs: string | null
  covered: BlockRange[]
  heads: SeenBlock[]
}

/** Blocks are decimal strings. */
type KnownRow = Omit<Known, 'covered' | 'heads'> & {
  wallet: string
  covered: readonly { fromBlock: string; toBlock: string }[]
  heads: readonly { block: string; hash: string }[]
}

export function createDiscoveryStore(db: Db): DiscoveryStore {
  const known = createTickBatch(async (asked: readonly Asked[]): Promise<Known[]> => {
    const chains = [...Map.groupBy(asked, ({ chain }) => chain)]
    const found = new Map(
      await Promise.all(chains.map(async ([chain, some]) => [chain, await findKnown(db, chain, some)] as const)),
    )
    return asked.map(({ chain, wallet }) => found.get(chain)?.get(wallet) ?? NOTHING)
  })

  return {
    findTokens: async (wallet, chain) => (await known({ wallet, chain, contracts: [] })).tokens,

    async findKeys({ wallet, chain }, contracts) {
      if (contracts.length === 0) return { keys: [], cut: new Set() }
      return keysOf(await known({ wallet, chain, contracts }), contracts)
    },

    async begin({ chain, logs, contracts }, heads, present) {
      const wallets = [...heads.keys()]
      const stored = new Map(
        await Promise.all(wallets.map(async (wallet) => [wallet, await known({ wallet, chain, contracts })] as const)),
      )
      const others = new Set(wallets.filter((wallet) => (stored.get(wallet)?.logs ?? logs) !== logs))
      if (others.size > 0) await forgetOtherSets(db, { chain, logs }, [...others])
      const { beginWith } = createSearchedChain(db, createCoverage(db, 'logs', logs))
      const beginOne = async ([wallet, head]: [EvmAddress, SeenBlock]) => {
        const known = stored.get(wallet) ?? NOTHING
        const isAnew = others.has(wallet)
        const { isStored: _, ...begun } = await beginWith({ wallet, chain }, isAnew ? NOTHING : known, head, present)
        const { tokens, isDue } = known
        return [wallet, { ...begun, isAnew, isDue, tokens, keys: keysOf(known, contracts).keys }] as const
      }
      return new Map(await Promise.all([...heads].map(beginOne)))
    },

    save: (of, found) => saveFound(db, of, found),

    async findDue({ wallet, chain }, perEnd) {
      const own = sql`select address, block, sent from wallet_due_contract where wallet = ${wallet} and chain = ${chain}`
      const { rows } = await sql<{ address: EvmAddress; block: string; sent: boolean; total: string }>`
        select *, (select count(*) from (${own}) as every) as total from (
          (${own} order by block desc, address desc limit ${perEnd})
          union (${own} order by block, address limit ${perEnd})) as ends
        order by block::bigint desc, address desc`.execute(db)
      const contracts = rows.map(({ address, block, sent }) => ({ address, block: BigInt(block), sent }))
      return { contracts, total: Number(rows[0]?.total ?? 0) }
    },

    /** Stores nothing for a wallet that was forgotten meanwhile. */
    async settle({ wallet, chain }, asked, tokens) {
      await sql`
        with settled as (
          delete from wallet_due_contract
          where wallet = ${wallet} and chain = ${chain} and address = any (${asked}::text[]) returning address)
        insert into wallet_token (wallet, chain, address)
        select ${wallet}, ${chain}, address from settled where address = any (${tokens}::text[])
        on conflict do nothing`.execute(db)
    },
  }
}

async function saveFound(
  db: Db,
  { chain, logs }: LogSearchOf,
  found: ReadonlyMap<EvmAddress, FoundInLogs>,
): Promise<void> {
  const coverage = createCoverage(db, 'logs', logs)
  const due = [...found].flatMap(([wallet, one]) => one.due.map((contract) => ({ wallet, ...contract })))
  const keys = [...found].flatMap(([wallet, one]) => one.keys.map((key) => ({ wallet, ...key })))
  const covered = new Map([...found].map(([wallet, one]) => [wallet, one.covered]))
  const heads = new Map([...found].map(([wallet, one]) => [wallet, one.heads]))
  await db.transaction().execute(async (trx) => {
    await coverage.lockAll(trx, chain, [...found.keys()])
    if (due.length > 0) {
      await sql`
        insert into wallet_due_contract (wallet, chain, address, block, sent)
        select wallet, ${chain}, address, block, sent
        from unnest(${due.map(({ wallet }) => wallet)}::text[], ${due.map(({ address }) => address)}::text[],
          ${due.map(({ block }) => block.toString())}::bigint[], ${due.map(({ sent }) => sent)}::boolean[])
          as found (wallet, address, block, sent)
        on conflict (wallet, chain, address)
          do update set sent = wallet_due_contract.sent or excluded.sent`.execute(trx)
    }
    if (keys.length > 0) {
      await sql`
        insert into wallet_key (wallet, chain, contract, key, block)
        select wallet, ${chain}, contract, key, block
        from unnest(${keys.map(({ wallet }) => wallet)}::text[], ${keys.map(({ contract }) => contract)}::text[],
          ${keys.map(({ key }) => key.toString())}::numeric[], ${keys.map(({ block }) => block.toString())}::bigint[])
          as found (wallet, contract, key, block)
        on conflict (wallet, chain, contract, key) do nothing`.execute(trx)
    }
    await coverage.extendAll(trx, chain, covered)
    await coverage.setAllHeads(trx, chain, heads)
  })
}

const NOTHING: Known = { tokens: [], isDue: false, keys: [], logs: null, covered: [], heads: [] }

async function findKnown(db: Db, chain: string, asked: readonly Asked[]): Promise<Map<string, Known>> {
  const wallets = [...new Set(asked.map(({ wallet }) => wallet))]
  const contracts = [...new Set(asked.flatMap((one) => one.contracts))]
  const isOf = (table: string) => sql`${sql.ref(`${table}.wallet`)} = any (${wallets})
    and ${sql.ref(`${table}.wallet`)} = coverage.wallet and chain = ${chain}`
  const own = sql`select block, key from wallet_key where ${isOf('wallet_key')} and contract = named.contract`
  // One more shows whether there are more.
  const { rows } = await sql<KnownRow>`
    select wallet, logs, heads,
      array(select address from wallet_token where ${isOf('wallet_token')}) as tokens,
      exists (select from wallet_due_contract where ${isOf('wallet_due_contract')}) as "isDue",
      coalesce((
        select jsonb_agg(jsonb_build_object('contract', named.contract, 'key', found.key::text)
          order by named.contract, found.block, found.key)
        from unnest(${contracts}::text[]) as named (contract) cross join lateral (
          (${own} order by block, key limit ${KEYS_PER_END + 1})
          union (${own} order by block desc, key desc limit ${KEYS_PER_END})) as found), '[]') as keys,
      coalesce((
        select jsonb_agg(jsonb_build_object('fromBlock', lower(range)::text, 'toBlock', (upper(range) - 1)::text)
          order by range)
        from unnest(coverage.blocks) as range), '[]') as covered
    from wallet_coverage as coverage
    where wallet = any (${wallets}) and chain = ${chain} and purpose = 'logs'`.execute(db)
  return new Map(
    rows.map(({ wallet, covered, heads, ...row }) => [
      wallet,
      {
        ...row,
        covered: covered.map(({ fromBlock, toBlock }) => ({ fromBlock: BigInt(fromBlock), toBlock: BigInt(toBlock) })),
        heads: heads.map(({ block, hash }) => ({ block: BigInt(block), hash })),
      },
    ]),
  )
}

function keysOf({ keys }: Known, contracts: readonly EvmAddress[]): StoredKeys {
  const wanted = new Set(contracts)
  const byContract = Map.groupBy(
    keys.filter(({ contract }) => wanted.has(contract)),
    ({ contract }) => contract,
  )
  const cut = [...byContract].filter(([, found]) => found.length > 2 * KEYS_PER_END)
  for (const [, found] of cut) found.splice(KEYS_PER_END, 1)
  return {
    keys: [...byContract.values()].flat().map(({ contract, key }) => ({ contract, key: BigInt(key) })),
    cut: new Set(cut.map(([contract]) => contract)),
  }
}

async function forgetOtherSets(db: Db, { chain, logs }: LogSearchOf, wallets: readonly EvmAddress[]): Promise<void> {
  await sql`
    update wallet_coverage set logs = ${logs}, blocks = '{}', heads = '[]'
    where wallet = any (${wallets}) and chain = ${chain} and purpose = 'logs' and logs <> ${logs}`.execute(db)
}

export function createUsedProgramStore(db: Db): UsedProgramStore {
  const coverage = createCoverage(db, 'programs')
  return {
    async find({ wallet, chain }) {
      const own = db.selectFrom('wallet_program').select('program')
      const rows = await own.where('wallet', '=', wallet).where('chain', '=', chain).execute()
      return rows.map(({ program }) => program)
    },

    findCoverage: coverage.find,

    async save(of, { programs, covered }) {
      await coverage.update(of, async (trx) => {
        if (programs.length > 0) {
          await trx
            .insertInto('wallet_program')
            .values(programs.map((program) => ({ ...of, program })))
            .onConflict((conflict) => conflict.doNothing())
            .execute()
        }
        return covered
      })
    },
  }
}
