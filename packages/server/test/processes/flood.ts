// A process of its own that keeps asking for wallets nobody has read: what it costs to ask is not the service's. It is sent
// an `Order`, begins, floods until it is sent 'stop', and answers a `Flooded`.
import { setTimeout as wait } from 'node:timers/promises'

/** Each key has so many calls under way, each for so many wallets. */
export type Order = { url: string; keys: readonly string[]; callsPerKey: number; walletsPerCall: number }
/** How many answers had each status. */
export type Flooded = { statuses: Record<number, number> }

const statuses: Record<number, number> = {}
let wallets = 0
let flooding = true

async function flood({ url, walletsPerCall }: Order, key: string): Promise<void> {
  while (flooding) {
    const addresses = Array.from(
      { length: walletsPerCall },
      () => `0xf100d${(++wallets).toString(16).padStart(35, '0')}`,
    )
    const response = await fetch(`${url}/v1/wallet?addresses=${addresses}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    await response.arrayBuffer()
    statuses[response.status] = (statuses[response.status] ?? 0) + 1
    // Refused, it comes back as soon as it may.
    if (response.status !== 200) await wait(Number(response.headers.get('retry-after') ?? 1) * 1000)
  }
}

process.on('message', async (message: Order | 'stop') => {
  if (message === 'stop') {
    flooding = false
    return
  }
  const calls = message.keys.flatMap((key) => Array.from({ length: message.callsPerKey }, () => flood(message, key)))
  await Promise.all(calls)
  process.send?.({ statuses } satisfies Flooded, () => process.disconnect())
})
