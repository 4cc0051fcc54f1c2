import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { seededRandom } from '../random.ts'
import { sized } from '../sized.ts'
import { type Heard, startLoad } from './load.ts'
import { runAdmin } from './service-process.ts'
import { startTwoProcesses, type TestAccount } from './two-processes.ts'

const CLIENTS = sized({ small: 6, deep: 20 })

const service = await startTwoProcesses()
afterAll(() => service.drop())

/** IDs of an account's calls with a charge in the ledger, and its remaining credits. */
async function ledgerOf({ id }: TestAccount) {
  const charged = await service.pool.query<{ call: string }>(
    `select source_key as call from credit_charge where account_id = $1 and state = 'posted'
     union all
     select split_part(source_key, ':', 2) from credit_line where account_id = $1 and kind = 'charge'`,
    [id],
  )
  const account = await service.pool.query<{ available: bigint; pending: bigint }>(
    'select available, pending from credit_account where account_id = $1',
    [id],
  )
  const { available = 0n, pending = 0n } = account.rows[0] ?? {}
  return { charged: charged.rows.map(({ call }) => call), available: Number(available), pending: Number(pending) }
}

/** Compares the answers to an account's clients with the ledger. Every paid call here costs one credit. */
async function compare(account: TestAccount, { paid, free, refused, cut }: Heard) {
  const { charged, available, pending } = await ledgerOf(account)
  const ids = new Set(charged)
  const notToBeCharged = [...free, ...refused].filter((id) => ids.has(id))
  const unheard = [...ids].filter((id) => !paid.has(id) && !free.has(id) && !refused.has(id))
  return {
    paid: paid.size,
    refused: refused.size,
    cut,
    cutAndCharged: unheard.length,
    paidButNotCharged: [...paid].filter((id) => !ids.has(id)).length,
    chargedTwice: charged.length - ids.size,
    chargedWithoutAnswer: notToBeCharged.length + Math.max(unheard.length - cut, 0),
    unexplained: Math.abs(account.credits - available - charged.length),
    pending,
  }
}

async function countHolds(): Promise<number> {
  const { rows } = await service.pool.query<{ n: bigint }>(
    `select count(*) as n from credit_charge where state = 'pending'`,
  )
  return Number(rows[0]?.n)
}

/** Lets all open holds expire. The services then return them. */
async function untilSwept(): Promise<void> {
  await service.pool.query(
    `update credit_charge set expires_at = clock_timestamp() - interval '1 s' where state = 'pending'`,
  )
  await expect.poll(countHolds, { interval: 200 }).toBe(0)
}

test(
  'processes killed under load spend no credit twice, make none up and leave none held',
  async () => {
    const kills = sized({ small: 4, deep: 200 })
    const random = seededRandom('service kills')
    // One account runs out of credits during the test.
    const balances = [100, sized({ small: 50_000, deep: 5_000_000 }), sized({ small: 50_000, deep: 5_000_000 })]
    const accounts = await Promise.all(balances.map((credits) => service.addAccount(credits)))
    const wallets = Array.from({ length: 30 }, () => random.address())
    await Promise.all(wallets.map((wallet) => service.addWallet(wallet)))
    const load = startLoad({ clients: CLIENTS, service, accounts, wallets, random })
    for (let kill = 0; kill < kills; kill += 1) {
      await delay(20 + random.index(300))
      await service.replace(kill % 2 === 0 ? 0 : 1)
    }
    const heard = await load.stop()
    const heldBeforeSweep = await countHolds()
    await untilSwept()
    const exitCodes = await service.stop()
    const results = await Promise.all(
      accounts.map((account) =>
        compare(account, heard.get(account.id) ?? { paid: new Set(), free: new Set(), refused: new Set(), cut: 0 }),
      ),
    )
    const sum = (figure: keyof (typeof results)[number]) => results.reduce((total, one) => total + one[figure], 0)
    const bars = {
      paidButNotCharged: sum('paidButNotCharged'),
      chargedTwice: sum('chargedTwice'),
      chargedWithoutAnswer: sum('chargedWithoutAnswer'),
      unexplained: sum('unexplained'),
      heldAfterSweep: sum('pending'),
    }
    const figures = { paid: sum('paid'), refused: sum('refused'), cut: sum('cut'), cutAndCharged: sum('cutAndCharged') }
    const verified = await runAdmin({ DATABASE_URL: service.url }, 'credits', 'verify')
    const line = { bar: 'service kills', seed: random.seed, kills, ...figures, heldBeforeSweep, ...bars }
    console.info(JSON.stringify({ ...line, violations: JSON.parse(verified.stdout).violations.length }))
    expect(exitCodes).toEqual([0, 0])
    expect(bars).toEqual({
      paidButNotCharged: 0,
      chargedTwice: 0,
      chargedWithoutAnswer: 0,
      unexplained: 0,
      heldAfterSweep: 0,
    })
    expect(verified).toEqual({ code: 0, stdout: expect.stringMatching(/^\{\s*"violations":\s*\[\s*\]\s*\}\s*$/) })
    expect(figures.paid).toBeGreaterThan(0)
    expect(figures.cut).toBeGreaterThan(0)
  },
  sized({ small: 600_000, deep: 5_400_000 }),
)
