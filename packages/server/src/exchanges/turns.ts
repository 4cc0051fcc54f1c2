/** Runs pieces of work with the same key one after the other, in order of arrival; those with other keys do not wait. */
export function createTurns(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const before = last.get(key) ?? Promise.resolve()
    const mine = before.then(work, work)
    const leave = () => {
      if (last.get(key) === mine) last.delete(key)
    }
    last.set(key, mine)
    mine.then(leave, leave)
    return mine
  }
}
