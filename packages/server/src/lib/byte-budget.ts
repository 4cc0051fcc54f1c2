/** The largest receiver gives up: endless answers refuse no usual ones. */
export type ByteBudget = { limit: number; open(giveUp: () => void): { add(bytes: number): void; close(): void } }

export function createByteBudget(limit: number): ByteBudget {
  const open = new Map<object, { bytes: number; giveUp(): void }>()
  let used = 0

  function close(key: object): void {
    used -= open.get(key)?.bytes ?? 0
    open.delete(key)
  }

  function refuseLargest(): void {
    const [largest] = [...open].sort(([, a], [, b]) => b.bytes - a.bytes)
    if (!largest) return
    const [key, share] = largest
    close(key)
    share.giveUp()
  }

  const budget: ByteBudget = {
    limit,
    open(giveUp) {
      const share = { bytes: 0, giveUp }
      open.set(share, share)
      return {
        add(bytes) {
          if (!open.has(share)) return
          share.bytes += bytes
          used += bytes
          while (used > budget.limit) refuseLargest()
        },
        close: () => close(share),
      }
    },
  }
  return budget
}
