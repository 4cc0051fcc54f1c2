import { setTimeout as wait } from 'node:timers/promises'
import type { Address } from '../src/domain/address.ts'
import type { FoundAnswer, NightAnswer, ReadAnswer, ReaderOrder, UsageAnswer } from './cost-reader.ts'
import type { CostWallet } from './cost-wallets.ts'
import { startWorker } from './portfolio-service.ts'
import { startTrafficMeter, type Traffic } from './traffic-meter.ts'

/** `answered`: until all were answered. `all`: including background work. `taken`: snapshots of a night. */
export type Measured = { wallets: number; answered: Traffic; all: Traffic; cpuMs: number; ms: number; taken?: number }

export type CostReader = {
  /** Waits for background work. */
  measure(wallets: readonly CostWallet[]): Promise<Measured>
  /** Throws unless stored data match. */
  check(wallets: readonly CostWallet[]): Promise<void>
  /** Takes a day's snapshots, `atOnce` at a time. Reads data that is not final yet. */
  night(
    order: Omit<ReaderOrder & { what: 'night' }, 'what' | 'wallets'>,
    wallets: readonly CostWallet[],
  ): Promise<Measured>
  /** Net worth at times, in Unix seconds. */
  series(wallets: readonly CostWallet[], times: readonly number[]): Promise<Measured>
  stop(): Promise<void>
}

/**
 * Background work has ended when a round has no request and less CPU time. Longer than the pause between steps of
 * `recognise.ts`: otherwise the work of one set counts in the next.
 */
const ROUND_MS = 1_250
const IDLE_MS = 20

const addressesOf = (wallets: readonly CostWallet[]) => wallets.map(({ address }) => address)

/** The proxy adds `distanceMs` of latency. */
export async function startCostReader(
  target: string,
  distanceMs: number,
  opening: Omit<ReaderOrder & { what: 'open' }, 'what' | 'rpcUrl'>,
): Promise<CostReader> {
  const meter = await startTrafficMeter(target, distanceMs)
  const worker = startWorker('./cost-reader.ts')
  const ask = <T>(order: ReaderOrder) => worker.ask<T>(order)
  await ask({ what: 'open', ...opening, rpcUrl: meter.url })
  const cpuMs = async () => (await ask<UsageAnswer>({ what: 'usage' })).cpuMs

  /** CPU ms at idle, without the polling. */
  async function quiet(): Promise<number> {
    for (let before = await cpuMs(); ; ) {
      const { requests } = meter.traffic()
      await wait(ROUND_MS)
      const now = await cpuMs()
      if (now - before < IDLE_MS && meter.underWay() === 0 && meter.traffic().requests === requests) return before
      before = now
    }
  }

  async function measured(wallets: readonly CostWallet[], order: ReaderOrder): Promise<Measured> {
    const before = await cpuMs()
    meter.reset()
    const { ms, taken } = await ask<ReadAnswer & Partial<NightAnswer>>(order)
    const answered = meter.traffic()
    const after = await quiet()
    return {
      wallets: wallets.length,
      answered,
      all: meter.traffic(),
      cpuMs: after - before,
      ms,
      ...(taken !== undefined && { taken }),
    }
  }

  return {
    measure: (wallets) => measured(wallets, { what: 'read', wallets: addressesOf(wallets) }),
    async check(wallets) {
      const found = await ask<FoundAnswer>({ what: 'found', wallets: addressesOf(wallets) })
      for (const [i, wallet] of wallets.entries()) checkOne(wallet, found[i])
    },
    night: (order, wallets) => measured(wallets, { what: 'night', ...order, wallets: addressesOf(wallets) }),
    series: (wallets, times) =>
      measured(wallets, { what: 'series', wallets: addressesOf(wallets) as Address[], times }),
    async stop() {
      await worker.stop()
      await meter.stop()
    },
  }
}

function checkOne({ address, tokens, positions }: CostWallet, found: FoundAnswer[number] | undefined): void {
  const missing = tokens.filter((token) => !found?.tokens.includes(token))
  if (missing.length > 0) throw new Error(`${address}: ${missing.join(', ')} not found`)
  if ((found?.positions ?? 0) < positions) throw new Error(`${address}: ${found?.positions} of ${positions} positions`)
  const gaps = found?.gaps.filter((gap) => !gap.endsWith('searching')) ?? []
  if (gaps.length > 0) throw new Error(`${address} is incomplete: ${gaps.join(', ')}`)
}
