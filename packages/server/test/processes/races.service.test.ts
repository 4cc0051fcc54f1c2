import { Agent } from 'node:http'
import { afterAll, expect, test } from 'vitest'
import type { EvmAddress } from '../../src/domain/evm-address.ts'
import { grantCredits } from '../../src/features/credits/credits.ts'
import { findViolations } from '../../src/features/credits/ledger.ts'
import { seededRandom } from '../random.ts'
import type { Random } from '../random-of.ts'
import { sized } from '../sized.ts'
import { getOnce } from './http-get.ts'
import { ownDataRaces } from './own-data-races.ts'
import { openRaceConnection, type RaceConnection } from './race-connection.ts'
import { runAdmin } from './service-process.ts'
import { startTwoProcesses, type TestAccount } from './two-processes.ts'

const CALLERS = 20

const service = await startTwoProcesses()
afterAll(() => service.drop())

async function balanceOf({ id }: TestAccount): Promise<number> {
  const text = 'select available from credit_account where account_id = $1 and pending = 0'
  const { rows } = await service.pool.query<{ available: bigint }>(text, [id])
  return Number(rows[0]?.available)
}

/**
 * All callers request at the same moment, half of them at each process. `refused` counts answers with the exact
 * shortage.
 */
async function race(callers: readonly RaceConnection[], path: string, { key }: TestAccount) {
  const answers = callers.map((caller) => caller.prepare(path, key))
  for (const caller of callers) caller.release()
  const all = await Promise.all(answers)
  const refused = all.filter(
    ({ status, body }) => status === 402 && body['creditsRequired'] === 1 && body['creditsAvailable'] === 0,
  )
  const count = (wanted: number) => all.filter(({ status }) => status === wanted).length
  return { paid: count(200), failed: count(502), refused: refused.length }
}

/**
 * The wallet of a round: charged immediately from memory; held, then posted; held, then returned when the read fails.
 */
async function walletOf(round: number, known: EvmAddress, random: Random): Promise<EvmAddress> {
  if (round % 3 === 0) return known
  const wallet = random.address()
  if (round % 3 === 1) await service.addWallet(wallet)
  return wallet
}

/** Checks one round: exactly one call used the credit, or none if all reads fail. */
async function isRight(round: number, wallet: EvmAddress, callers: readonly RaceConnection[], account: TestAccount) {
  const { paid, failed, refused } = await race(callers, `/v1/portfolio?addresses=${wallet}`, account)
  const balance = await balanceOf(account)
  // A failed read returns its credit, so a later one may use it.
  if (round % 3 === 2) return failed >= 1 && failed + refused === CALLERS && balance === 1
  return paid === 1 && refused === CALLERS - 1 && balance === 0
}

test('of twenty calls at once for one credit, over both processes, exactly one is answered', async () => {
  const rounds = sized({ small: 20, deep: 5_000 })
  const random = seededRandom('service races')
  const account = await service.addAccount(0)
  const known = random.address()
  await service.addWallet(known)
  const callers = await Promise.all(
    Array.from({ length: CALLERS }, (_, i) => openRaceConnection(service.processes[i % 2 === 0 ? 0 : 1].url)),
  )
  let wrongRounds = 0
  for (let round = 0; round < rounds; round += 1) {
    if ((await balanceOf(account)) === 0) {
      await grantCredits(service.db, { accountId: account.id, amount: 1, reference: `round ${round}` })
    }
    const wallet = await walletOf(round, known, random)
    if (!(await isRight(round, wallet, callers, account))) wrongRounds += 1
  }
  for (const caller of callers) caller.close()
  const violations = (await findViolations(service.db)).length
  const { seed } = random
  console.info(JSON.stringify({ bar: 'service races', seed, rounds, callers: CALLERS, wrongRounds, violations }))
  expect({ wrongRounds, violations }).toEqual({ wrongRounds: 0, violations: 0 })
})

test('two processes together admit as many calls a minute as one', async () => {
  const account = await service.addAccount(0, { isLimited: true })
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const call = (index: number) =>
    getOnce(`${service.processes[index % 2 === 0 ? 0 : 1].url}/v1/credits`, account.key, { agent })
  // Each process may have leased calls that the other one lacks.
  const answers = await Promise.all(Array.from({ length: 400 }, (_, index) => call(index)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(360)
  const beyond = await Promise.all([call(0), call(1)])
  agent.destroy()
  expect(beyond.map(({ status }) => status)).toEqual([429, 429])
})

test('a key that is revoked ends in every process within five seconds', async () => {
  const account = await service.addAccount(0)
  const statuses = async () =>
    Promise.all(service.processes.map(async ({ url }) => (await getOnce(`${url}/v1/credits`, account.key)).status))
  expect(await statuses()).toEqual([200, 200])
  const revoked = await runAdmin({ DATABASE_URL: service.url }, 'key', 'revoke', account.keyId)
  expect(revoked.code).toBe(0)
  await expect.poll(statuses, { interval: 100 }).toEqual([401, 401])
})

test.each(ownDataRaces)('%s has one winner', (_, race) => race(service, sized({ small: 5, deep: 200 })))

test('and the ledger is right after all of them', async () => {
  expect(await findViolations(service.db)).toEqual([])
  expect(await service.stop()).toEqual([0, 0])
})
