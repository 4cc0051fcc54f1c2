import type { Clock } from '../../lib/clock.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import type { RpcPool } from '../rpc/rpc-pool.ts'
import { finalSlotRequest, firstSlotRequest } from './activity/signature-request.ts'

export type SolanaFacts = { head: string; lagSeconds: number | null; latencyMs: number; firstSlot: string | null }

/** Rejects with `UpstreamError` if the newest slot cannot be read. */
export async function examineSolana(pool: RpcPool, clock: Clock): Promise<SolanaFacts> {
  const session = pool.session()
  const startedAt = performance.now()
  const slot = await session.request(finalSlotRequest())
  const latencyMs = Math.round(performance.now() - startedAt)
  const time = await session
    .request({ method: 'getBlockTime', params: [Number(slot)], parse: (result) => result })
    .catch(orNull)
  const first = await session.request(firstSlotRequest()).catch(orNull)
  return {
    head: slot.toString(),
    lagSeconds: typeof time === 'number' ? Math.round(clock.now() / 1_000) - time : null,
    latencyMs,
    firstSlot: first === null ? null : first.toString(),
  }
}

function orNull(error: unknown): null {
  if (error instanceof UpstreamError) return null
  throw error
}
