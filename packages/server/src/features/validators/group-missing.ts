/** Both ends included. */
type Stretch = { from: number; to: number }

export type MissingRow = { index: number; missing: readonly [from: number, to: number][] }

/** Disjoint, newest first: each is read once for all its validators. */
export function groupMissing(rows: readonly MissingRow[]): (Stretch & { validators: number[] })[] {
  const changes = new Map<number, { begin: number[]; end: number[] }>()
  const changesAt = (place: number) => {
    const known = changes.get(place) ?? { begin: [], end: [] }
    changes.set(place, known)
    return known
  }
  for (const { index, from, to } of rows.flatMap(stretchesOf)) {
    changesAt(to).begin.push(index)
    changesAt(from - 1).end.push(index)
  }
  const groups: (Stretch & { validators: number[] })[] = []
  const running = new Set<number>()
  const places = [...changes.keys()].sort((a, b) => b - a)
  for (const [i, to] of places.entries()) {
    for (const validator of changes.get(to)?.end ?? []) running.delete(validator)
    for (const validator of changes.get(to)?.begin ?? []) running.add(validator)
    const below = places[i + 1]
    if (running.size === 0 || below === undefined) continue
    groups.push({ from: below + 1, to, validators: [...running].sort((a, b) => a - b) })
  }
  return groups
}

const stretchesOf = ({ index, missing }: MissingRow) => missing.map(([from, to]) => ({ index, from, to }))
