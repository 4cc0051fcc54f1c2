/**
 * Above the database's limit on a statement (5 s): when it has passed, a statement whose answer was lost has either been
 * committed or will never be.
 */
const patienceMs = 6_000

export type Debts = {
  /** Notes the keys of lines that may have taken credits for calls that were then refused. */
  owe(keys: readonly string[]): void
  /** Tries now to give back what is owed. For shutdown. */
  settle(): Promise<void>
}

/**
 * Credits that may have been taken by statements whose answers were lost. They are given back once the database answers
 * again. `giveBack` passes over keys that took nothing or were given back before.
 */
export function createDebts(options: {
  giveBack(keys: readonly string[]): Promise<void>
  log: (message: string) => void
}): Debts {
  const owed = new Set<string>()
  let timer: NodeJS.Timeout | undefined

  const settle = async () => {
    clearTimeout(timer)
    timer = undefined
    const keys = [...owed]
    if (keys.length === 0) return
    try {
      await options.giveBack(keys)
      for (const key of keys) owed.delete(key)
    } catch {
      options.log(`${keys.length} charges with a lost answer could not be given back yet`)
    }
  }

  const settleLater = () => {
    if (owed.size === 0 || timer !== undefined) return
    timer = setTimeout(() => void settle().then(settleLater), patienceMs)
    timer.unref()
  }

  return {
    owe(keys) {
      for (const key of keys) owed.add(key)
      settleLater()
    },
    settle,
  }
}
