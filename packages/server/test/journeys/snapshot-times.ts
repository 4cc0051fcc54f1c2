import { expect } from 'vitest'
import type { Context } from '../../src/context.ts'
import type { testClock } from '../harness.ts'

/** Exceeds the pause for a chain that has not reached a time. */
export const LATER_MS = 60_000

export function createSnapshotTimes({
  clock,
  context,
}: {
  clock: ReturnType<typeof testClock>
  /** From the first process, once it runs. */
  context(): Context
}) {
  let looks = 0

  const query = (text: string, values?: unknown[]) => context().database.pool.query(text, values)

  /** In Unix seconds. */
  async function setTime(unix: number): Promise<void> {
    await query(
      `create or replace function coffer_now() returns timestamptz language sql stable as 'select to_timestamp(${unix})'`,
    )
  }

  /** Looks for missing snapshots, as each process does every minute. */
  async function look(workers: readonly Pick<Context, 'jobs'>[] = [context()]): Promise<void> {
    looks += 1
    clock.advance(LATER_MS)
    const names = await Promise.all(
      workers.map(async ({ jobs }, index) => {
        const singletonKey = `look ${looks} ${index}`
        await jobs.send('snapshots-due', {}, { singletonKey })
        return singletonKey
      }),
    )
    await expect.poll(() => stateOf(names), { interval: 20 }).toEqual(['completed'])
  }

  async function stateOf(keys: readonly string[]): Promise<string[]> {
    const { rows } = await query('select distinct state from jobs.job where singleton_key = any($1)', [keys])
    return rows.map(({ state }) => state as string)
  }

  /** Runs waiting retries at once. */
  async function settled(): Promise<void> {
    const open = async () => {
      await tryAgain()
      const { rows } = await query(
        "select count(*)::int as n from jobs.job where name = 'snapshot' and state < 'completed'",
      )
      return rows[0].n as number
    }
    await expect.poll(open, { interval: 100 }).toBe(0)
  }

  /** Runs all jobs at a time, until no work is left. */
  async function takeAll(unix: number, workers?: Parameters<typeof look>[0]): Promise<void> {
    await setTime(unix)
    await look(workers)
    await settled()
  }

  async function jobStates(date: string): Promise<string[]> {
    const { rows } = await query(
      "select distinct state from jobs.job where name = 'snapshot' and data->>'date' = $1 and state < 'completed'",
      [date],
    )
    return rows.map(({ state }) => state as string)
  }

  /** Waits until the day's jobs have asked and failed: they wait for a retry, or had too many. */
  async function failed(date: string, asked: () => number): Promise<void> {
    const isOver = async () => asked() > 0 && (await jobStates(date)).every((state) => state === 'retry')
    await expect.poll(isOver, { interval: 50 }).toBe(true)
  }

  async function tryAgain(): Promise<void> {
    await query("update jobs.job set start_after = now() where name = 'snapshot' and state = 'retry'")
    context().jobs.wake('snapshot')
  }

  /** Over all accounts. */
  async function daysOf(wallet: string): Promise<string[]> {
    const text = 'select distinct date from account_snapshot where address = $1 order by date'
    const { rows } = await query(text, [wallet])
    return rows.map(({ date }) => date as string)
  }

  return { setTime, look, settled, takeAll, failed, jobStates, tryAgain, daysOf }
}
