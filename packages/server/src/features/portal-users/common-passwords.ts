import { readFileSync } from 'node:fs'

const FILE = new URL('./common-passwords.txt', import.meta.url)
let common: ReadonlySet<string> | undefined

/** Whether the password, in any case of its letters, is one of those that are tried first. */
export function isCommonPassword(password: string): boolean {
  common ??= new Set(readFileSync(FILE, 'utf8').split('\n').slice(1))
  return common.has(password.toLowerCase())
}
