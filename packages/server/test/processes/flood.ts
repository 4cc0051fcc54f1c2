// Requests unread wallets in its own process, so that the cost is not the service's. Receives an `Order`, floods until
// 'stop', answers `Flooded`.
import { setTimeout as wait } from 'node:timers/promises'

/** `callsPerKey`: concurrent. */
export type Order = { url: string; keys: readonly string[]; callsPerKey: number; walletsPerCall: number }
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
