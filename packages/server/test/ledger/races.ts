import { Failure } from '@coffer/contract'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { type Credits, createCredits, grantCredits } from '../../src/features/credits/credits.ts'
import { findViolations } from '../../src/features/credits/ledger.ts'
import { accountWith } from './accounts.ts'

const callers = 50

export type RacesResult = { rounds: number; wrongRounds: number; violations: number }

/**
 * 50 concurrent calls per round for one credit, through pools and queues of two processes. By turns: posted at once,
 * held and posted, held by calls that then fail. In a right round one call gets the credit, all others report 1
 * required and 0 available, and the balance is the rest.
 */
export async function runRaces(options: { url: string; rounds: number }): Promise<RacesResult> {
  const databases = [1, 2].map(() => openDatabase({ connection: options.url, poolMax: 4, log: () => undefined }))
  const [{ db }] = databases as [Database, Database]
  const queues = databases.flatMap(({ pool }) => [1, 2].map(() => createCredits({ pool, log: () => undefined })))
  const account = await accountWith(db, 0)
  let wrongRounds = 0
  for (let round = 0; round < options.rounds; round += 1) {
    const race = races[round % races.length]
    const balance = await queues[0]?.available(account)
    if (balance === 0) await grantCredits(db, { accountId: account, amount: 1, reference: `round ${round}` })
    const right = await race?.(queues, account, round)
    if (!right) wrongRounds += 1
  }
  const violations = (await findViolations(db)).length
  await Promise.all(databases.map(({ close }) => close()))
  return { rounds: options.rounds, wrongRounds, violations }
}

type Race = (queues: readonly Credits[], account: string, round: number) => Promise<boolean>

async function raceOf<T>(queues: readonly Credits[], call: (credits: Credits, caller: number) => Promise<T>) {
  const settled = await Promise.allSettled(
    Array.from({ length: callers }, (_, i) => call(queues[i % queues.length] as Credits, i)),
  )
  const won = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const refused = settled.filter((result) => result.status === 'rejected' && isRefusal(result.reason))
  return { won, right: won.length === 1 && refused.length === callers - 1 }
}

function isRefusal(reason: unknown): boolean {
  if (!(reason instanceof Failure) || reason.code !== 'INSUFFICIENT_CREDITS') return false
  return reason.extras['creditsRequired'] === 1 && reason.extras['creditsAvailable'] === 0
}

const charged: Race = async (queues, account, round) => {
  const { right } = await raceOf(queues, (credits, i) => credits.charge(account, 1, `race-${round}-${i}`))
  return right && (await queues[1]?.available(account)) === 0
}

const heldBy = (queues: readonly Credits[], account: string, round: number) =>
  raceOf(queues, async (credits, i) => {
    const hold = await credits.hold(account, 1, { source: 'request', key: `race-${round}-${i}` })
    if (!hold) throw new Error('held before')
    return hold
  })

const heldAndPosted: Race = async (queues, account, round) => {
  const { won, right } = await heldBy(queues, account, round)
  await Promise.all(won.map((hold) => queues[2]?.post(hold)))
  return right && (await queues[1]?.available(account)) === 0
}

const heldAndFailed: Race = async (queues, account, round) => {
  const { won, right } = await heldBy(queues, account, round)
  await Promise.all(won.map((hold) => queues[3]?.release(hold)))
  return right && (await queues[1]?.available(account)) === 1
}

const races: readonly Race[] = [charged, heldAndPosted, heldAndFailed]
