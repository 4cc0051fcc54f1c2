import { UpstreamError } from '../../../lib/upstream-error.ts'

/** If as many parts all fail, the cause is shared: the nodes, or a bug. */
const ENOUGH_PARTS = 8

type Work<T> = (part: readonly T[]) => Promise<ReadonlyMap<T, unknown>>
type Rejected<T> = { part: readonly T[]; error: unknown }

/** `work` returns items that failed alone; if it rejects, halves are retried. */
export async function narrowFailures<T>(
  items: readonly T[],
  work: Work<T>,
  check: (error: unknown) => void,
): Promise<{ failed: ReadonlyMap<T, unknown>; shared?: unknown }> {
  const failed = new Map<T, unknown>()
  let parts = [items]
  while (parts.length > 0) {
    const rejected = await runParts(parts, work, failed)
    for (const { error } of rejected) check(error)
    const areAll = parts.length >= ENOUGH_PARTS && rejected.length === parts.length
    if (areAll) return { failed, shared: rejected[0]?.error }
    for (const { item, error } of rejected.flatMap(singleOf)) failed.set(item, error)
    parts = rejected.flatMap(({ part }) => halves(part))
  }
  const areOfNodes = [...failed.values()].every((error) => error instanceof UpstreamError)
  const isShared = failed.size > 1 && failed.size === items.length && areOfNodes
  return isShared ? { failed: new Map(), shared: failed.values().next().value } : { failed }
}

const singleOf = <T>({ part, error }: Rejected<T>) => (part.length === 1 ? part.map((item) => ({ item, error })) : [])

async function runParts<T>(parts: readonly (readonly T[])[], work: Work<T>, failed: Map<T, unknown>) {
  const rejected: Rejected<T>[] = []
  for (const part of parts) {
    try {
      for (const [item, error] of await work(part)) failed.set(item, error)
    } catch (error) {
      rejected.push({ part, error })
    }
  }
  return rejected
}

function halves<T>(part: readonly T[]): (readonly T[])[] {
  const middle = Math.ceil(part.length / 2)
  return part.length < 2 ? [] : [part.slice(0, middle), part.slice(middle)]
}
