import { randomBytes } from 'node:crypto'
import { Failure } from '@coffer/contract'
import { openDatabase } from '../../src/db/database.ts'
import { type Credits, createCredits } from '../../src/features/credits/credits.ts'

/**
 * A process that spends credits until it is killed: `spender.ts <database URL> <account ids, comma list>`. It tells its
 * parent about every call before it starts and once it has ended: what a client would know of it.
 */
export type SpenderMessage =
  | { kind: 'started'; call: string; account: string; amount: number }
  | { kind: 'answered'; call: string; charged: boolean }

const concurrency = 10
const [, , url = '', accounts = ''] = process.argv
const ids = accounts.split(',')
const name = randomBytes(6).toString('hex')
const log = () => undefined
const credits = createCredits({ pool: openDatabase({ connection: url, poolMax: 5, log }).pool, log })

/** Resolves when the message has left this process, so that killing it loses none. */
const tell = (message: SpenderMessage) =>
  new Promise<void>((resolve) => {
    process.send?.(message, () => resolve())
  })

async function spendForEver(lane: number): Promise<never> {
  for (let count = 0; ; count += 1) {
    const call = `${name}-${lane}-${count}`
    const account = ids[(count * 7 + lane) % ids.length] ?? ''
    const amount = 1 + ((count + lane) % 3)
    await tell({ kind: 'started', call, account, amount })
    await tell({ kind: 'answered', call, charged: await spend(credits, { account, amount, call, way: count % 3 }) })
  }
}

/** One call, in one of three ways. Whether it was charged; a failed one and one refused for want of credits are not. */
async function spend(
  credits: Credits,
  { account, amount, call, way }: { account: string; amount: number; call: string; way: number },
): Promise<boolean> {
  try {
    if (way === 0) {
      await credits.charge(account, amount, call)
      return true
    }
    const hold = await credits.hold(account, amount, { source: 'request', key: call })
    if (!hold) throw new Error('held before')
    await (way === 1 ? credits.post(hold) : credits.release(hold))
    return way === 1
  } catch (error) {
    if (error instanceof Failure && error.code === 'INSUFFICIENT_CREDITS') return false
    throw error
  }
}

await Promise.all(Array.from({ length: concurrency }, (_, lane) => spendForEver(lane)))
