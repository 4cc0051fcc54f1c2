/**
 * Exceeds the database's statement timeout (5 s): a statement with a lost answer has by then committed or never will.
 */
const patienceMs = 6_000
/** The first success shows that the database answers; the last comes `patienceMs` later. */
const triesNeeded = 2

/** Refunds charges whose answers were lost. `giveBack` skips keys that took nothing or were refunded. */
export function createDebts(options: {
  giveBack(keys: readonly string[]): Promise<void>
  log: (message: string) => void
}) {
  /** Successful tries by key. */
  const owed = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  /** For shutdown. */
  const settle = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const keys = [...owed.keys()]
    if (keys.length === 0) return
    try {
      await options.giveBack(keys)
      for (const key of keys) countTry(key)
    } catch {
      options.log(
        `${keys.length} charges with a lost answer could not be given back yet; check that the database answers`,
      )
    }
  }

  const countTry = (key: string) => {
    const tries = (owed.get(key) ?? 0) + 1
    if (tries < triesNeeded) owed.set(key, tries)
    else owed.delete(key)
  }

  const settleLater = () => {
    if (owed.size === 0 || timer !== undefined) return
    timer = setTimeout(() => void settle().then(settleLater), patienceMs)
    timer.unref()
  }

  return {
    owe(keys: readonly string[]): void {
      for (const key of keys) owed.set(key, 0)
      settleLater()
    },
    settle,
  }
}
