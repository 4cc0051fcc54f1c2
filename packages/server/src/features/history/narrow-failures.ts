import { UpstreamError } from '../../lib/upstream-error.ts'

/** Where so many parts have all failed, what they share is the cause: the chain's nodes, or our own code. */
const ENOUGH_PARTS = 8

/** The items that failed with why. `shared`: why all of them did, so that none of them is to blame. */
export type Narrowed<T> = { failed: ReadonlyMap<T, unknown>; shared?: unknown }

type Work<T> = (part: readonly T[]) => Promise<ReadonlyMap<T, unknown>>
type Rejected<T> = { part: readonly T[]; error: unknown }

/**
 * Runs work that many items share and finds out which of them it fails for. `work` answers items that failed by
 * themselves; where it rejects, the items are tried again in halves, until those that make it fail are alone.
 * `check` is shown each error first and may throw it on.
 */
export async function narrowFailures<T>(
  items: readonly T[],
  work: Work<T>,
  check: (error: unknown) => void,
): Promise<Narrowed<T>> {
  const failed = new Map<T, unknown>()
  let parts = [items]
  while (parts.length > 0) {
    const rejected = await runParts(parts, work, failed)
    for (const { error } of rejected) check(error)
    if (isOfAll(parts, rejected)) return { failed, shared: rejected[0]?.error }
    for (const { item, error } of rejected.flatMap(singleOf)) failed.set(item, error)
    parts = rejected.flatMap(({ part }) => halves(part))
  }
  const isShared = failed.size > 1 && failed.size === items.length && areOfNodes(failed)
  return isShared ? { failed: new Map(), shared: failed.values().next().value } : { failed }
}

const isOfAll = (parts: readonly unknown[], rejected: readonly unknown[]) =>
  parts.length >= ENOUGH_PARTS && rejected.length === parts.length

const singleOf = <T>({ part, error }: Rejected<T>) => (part.length === 1 ? part.map((item) => ({ item, error })) : [])

/** Adds the items that fail by themselves to `failed`; answers the parts for which the work rejects. */
async function runParts<T>(
  parts: readonly (readonly T[])[],
  work: Work<T>,
  failed: Map<T, unknown>,
): Promise<Rejected<T>[]> {
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

const areOfNodes = (failed: ReadonlyMap<unknown, unknown>) =>
  [...failed.values()].every((error) => error instanceof UpstreamError)
