const collator = new Intl.Collator('en', { sensitivity: 'accent' })

/** Equal on every machine. Ignores letter case. */
export function byName(a: { name: string; key: string }, b: { name: string; key: string }): number {
  return collator.compare(a.name, b.name) || (a.key < b.key ? -1 : Number(a.key > b.key))
}
