const collator = new Intl.Collator('en', { sensitivity: 'accent' })

/** Orders by name as English does, letter case aside; equal names by key. The order is the same on every machine. */
export function byName(a: { name: string; key: string }, b: { name: string; key: string }): number {
  return collator.compare(a.name, b.name) || (a.key < b.key ? -1 : Number(a.key > b.key))
}
