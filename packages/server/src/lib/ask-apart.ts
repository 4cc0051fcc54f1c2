import { isNodeFailure } from './upstream-error.ts'

/** Asks each half if a call reverts: one refusal must not affect others. Rejects if a node fails. */
export async function askApart<T, R>(
  items: readonly T[],
  ask: (some: readonly T[]) => Promise<readonly R[]>,
  refused: (item: T, error: unknown) => void = () => undefined,
): Promise<readonly R[]> {
  try {
    return await ask(items)
  } catch (error) {
    if (isNodeFailure(error)) throw error
    const [only, ...others] = items
    if (only === undefined) throw error
    if (others.length === 0) {
      refused(only, error)
      return []
    }
    const middle = Math.ceil(items.length / 2)
    const halves = [items.slice(0, middle), items.slice(middle)]
    return (await Promise.all(halves.map((half) => askApart(half, ask, refused)))).flat()
  }
}
