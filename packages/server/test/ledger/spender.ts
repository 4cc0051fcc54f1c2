import { randomBytes } from 'node:crypto'
import { Failure } from '@coffer/contract'
import { openDatabase } from '../../src/db/database.ts'
import { type Credits, createCredits } from '../../src/features/credits/credits.ts'

/**
 * Spends credits until killed: `spender.ts <database URL> <account ids, comma list>`. Reports every call to its parent
 * before its start and after its end, as a client would know it.
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

/** Resolves once sent: a kill then loses none. */
const tell = (message: SpenderMessage) =>
  new Promise<void>((resolve) => {
    process.send?.(message, () => resolve())
  })

async function spendForEver(queue: number): Promise<never> {
  for (let count = 0; ; count += 1) {
    const call = `${name}-${queue}-${count}`
    const account = ids[(count * 7 + queue) % ids.length] ?? ''
    const amount = 1 + ((count + queue) % 3)
    await tell({ kind: 'started', call, account, amount })
    await tell({ kind: 'answered', call, charged: await spend(credits, { account, amount, call, way: count % 3 }) })
  }
}

/** True if charged; failures and calls without credits are not. */
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

await Promise.all(Array.from({ length: concurrency }, (_, queue) => spendForEver(queue)))
