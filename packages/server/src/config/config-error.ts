/** The message never holds a value that may be secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'

  constructor(variable: string, problem: string) {
    super(`${variable} ${problem}`)
  }
}

/** Levenshtein's. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const changed = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}

export function suggestion(word: string, candidates: Iterable<string>): string {
  let best: { candidate: string; edits: number } | undefined
  for (const candidate of candidates) {
    const edits = distance(word, candidate)
    if (edits <= candidate.length / 3 && (!best || edits < best.edits)) best = { candidate, edits }
  }
  return best ? ` (did you mean ${best.candidate}?)` : ''
}
