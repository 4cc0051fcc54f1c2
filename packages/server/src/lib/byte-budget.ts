/** What one receiver holds of a budget. */
type Share = {
  /** Counts received bytes. Beyond the limit the largest open receiver is closed and gives up. */
  add(bytes: number): void
  close(): void
}

/**
 * Bounds the memory of what arrives at once. When it is used up the receiver that holds the most is told to give up:
 * an answer of the usual size is never refused because others are endless.
 */
export type ByteBudget = { limit: number; open(giveUp: () => void): Share }

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
