/** Index or BLS public key. */
export type ValidatorName = { index: string } | { pubkey: string }

const INDEX = /^(0|[1-9]\d{0,14})$/
const PUBKEY = /^(0x)?([0-9a-f]{96})$/

/** Accepts a key with or without 0x, in any case; null for anything else. */
export function readValidatorName(text: string): ValidatorName | null {
  const typed = text.trim().toLowerCase()
  if (INDEX.test(typed)) return { index: typed }
  const digits = PUBKEY.exec(typed)?.[2]
  return digits === undefined ? null : { pubkey: `0x${digits}` }
}

const RECENT_MAX = 8

/** Puts `name` before the recent names, newest first. */
export const withRecent = (recent: readonly string[], name: string): string[] =>
  [name, ...recent.filter((one) => one !== name)].slice(0, RECENT_MAX)
