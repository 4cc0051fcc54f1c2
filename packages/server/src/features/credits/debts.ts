/**
 * Time between two tries, in ms. Above the statement timeout of the database (5 s): once the database has answered for
 * this long, a statement whose answer was lost has committed or never will, even if its process was stopped before.
 */
const patienceMs = 6_000
/** Tries that must succeed: the first shows that the database answers, the last comes `patienceMs` later. */
const triesNeeded = 2

/**
 * Credits that may have been taken by statements whose answers were lost. They are given back once the database answers
 * again. `giveBack` passes over keys that took nothing or were given back before.
 */
export function createDebts(options: {
  giveBack(keys: readonly string[]): Promise<void>
  log: (message: string) => void
}) {
  /** By key the tries that have succeeded. */
  const owed = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined

  /** Tries now to give back what is owed. For shutdown. */
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
    /** Notes the keys of lines that may have taken credits for calls that were then refused. */
    owe(keys: readonly string[]): void {
      for (const key of keys) owed.set(key, 0)
      settleLater()
    },
    settle,
  }
}
