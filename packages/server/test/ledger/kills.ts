import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { createCredits, grantCredits } from '../../src/features/credits/credits.ts'
import { findViolations } from '../../src/features/credits/ledger.ts'
import { seededRandom } from '../random.ts'
import { accountWith } from './accounts.ts'
import type { SpenderMessage } from './spender.ts'

const program = fileURLToPath(new URL('spender.ts', import.meta.url))
const accountCount = 5
/** Per account and kill: enough for most calls, too little for some. */
const creditsPerKill = 500

export type KillsResult = {
  seed: number
  kills: number
  answeredCalls: number
  chargedCalls: number
  /** Calls cut before their answer, and the charged ones among them. */
  cutCalls: number
  cutAndCharged: number
  /** Charged less than answered as charged (double spend), or more than that and all cut calls (phantom). */
  wrongAccounts: number
  heldBeforeSweep: number
  heldAfterSweep: number
  violations: number
}

type Call = { account: string; amount: number; charged?: boolean }

/**
 * Two processes spend from the same accounts, are killed (SIGKILL) at random moments and replaced at once. Then all
 * holds expire and are swept, and the ledger must match the answers.
 */
export async function runKills(options: { url: string; kills: number }): Promise<KillsResult> {
  const database = openDatabase({ connection: options.url, poolMax: 4, log: () => undefined })
  const accounts = await Promise.all(Array.from({ length: accountCount }, () => accountWith(database.db, 0)))
  const calls = new Map<string, Call>()
  const random = seededRandom('ledger kills')
  const start = () => startSpender(options.url, accounts, calls)
  const spenders = [await start(), await start()]
  for (let kill = 0; kill < options.kills - spenders.length; kill += 1) {
    for (const accountId of accounts) {
      await grantCredits(database.db, { accountId, amount: creditsPerKill, reference: `kill ${kill}` })
    }
    await delay(20 + random.index(150))
    const index = kill % 2
    await killSpender(spenders[index])
    spenders[index] = await start()
  }
  await Promise.all(spenders.map(killSpender))
  const result = await compare(database, accounts, calls)
  await database.close()
  return { seed: random.seed, kills: options.kills, ...result }
}

/** Waits for the first spending. */
async function startSpender(url: string, accounts: readonly string[], calls: Map<string, Call>): Promise<ChildProcess> {
  const spender = fork(program, [url, accounts.join(',')], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  spender.on('message', (message: SpenderMessage) => {
    if (message.kind === 'started') calls.set(message.call, { account: message.account, amount: message.amount })
    else Object.assign(calls.get(message.call) ?? {}, { charged: message.charged })
  })
  const ended = once(spender, 'exit').then(([code]) => {
    throw new Error(`a spender ended by itself with code ${code}`)
  })
  await Promise.race([once(spender, 'message'), ended])
  return spender
}

/** `close` comes after the last message, which `exit` need not. */
async function killSpender(spender: ChildProcess | undefined): Promise<void> {
  if (!spender) return
  if (spender.exitCode !== null) throw new Error(`a spender ended by itself with code ${spender.exitCode}`)
  const closed = once(spender, 'close')
  spender.kill('SIGKILL')
  await closed
}

async function compare({ db, pool }: Database, accounts: readonly string[], calls: ReadonlyMap<string, Call>) {
  await waitForBackends(pool)
  const held = async () => {
    const { rows } = await pool.query<{ n: bigint }>(`select count(*) as n from credit_charge where state = 'pending'`)
    return Number(rows[0]?.n)
  }
  const heldBeforeSweep = await held()
  await pool.query(`update credit_charge set expires_at = clock_timestamp() - interval '1 s' where state = 'pending'`)
  await createCredits({ pool, log: () => undefined }).sweep()
  const cut = [...calls.values()].filter(({ charged }) => charged === undefined)
  const { rows } = await pool.query<{ account_id: bigint; taken: bigint; available: bigint; pending: bigint }>(
    `select account_id, pending, available, (select sum(amount)::bigint from credit_line l
       where l.account_id = a.account_id and kind = 'grant') - available as taken
     from credit_account a where account_id = any($1)`,
    [accounts],
  )
  const verdicts = rows.map((row) => {
    const ofAccount = (list: readonly Call[]) =>
      list.filter(({ account }) => account === String(row.account_id)).reduce((sum, { amount }) => sum + amount, 0)
    const answered = ofAccount([...calls.values()].filter(({ charged }) => charged === true))
    const extra = Number(row.taken) - answered
    return { extra, right: extra >= 0 && extra <= ofAccount(cut) && row.pending === 0n }
  })
  return {
    answeredCalls: calls.size - cut.length,
    chargedCalls: [...calls.values()].filter(({ charged }) => charged === true).length,
    cutCalls: cut.length,
    cutAndCharged: await countCharged(pool, calls),
    wrongAccounts: verdicts.filter(({ right }) => !right).length,
    heldBeforeSweep,
    heldAfterSweep: await held(),
    violations: (await findViolations(db)).length,
  }
}

/** Statements of a killed process may run for a moment. */
async function waitForBackends(pool: Database['pool']): Promise<void> {
  for (;;) {
    const { rows } = await pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and state <> 'idle' and backend_type = 'client backend'`,
    )
    if (rows.length === 0) return
    await delay(10)
  }
}

async function countCharged(pool: Database['pool'], calls: ReadonlyMap<string, Call>): Promise<number> {
  const cut = [...calls].filter(([, { charged }]) => charged === undefined).map(([call]) => call)
  const { rows } = await pool.query<{ n: bigint }>(
    `select (select count(*) from credit_charge where state = 'posted' and source_key = any($1))
       + (select count(*) from credit_line where kind = 'charge' and split_part(source_key, ':', 2) = any($1)) as n`,
    [cut],
  )
  return Number(rows[0]?.n)
}
