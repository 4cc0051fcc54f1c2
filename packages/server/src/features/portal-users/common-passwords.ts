import { readFileSync } from 'node:fs'

const FILE = new URL('./common-passwords.txt', import.meta.url)
let common: ReadonlySet<string> | undefined

export function isCommonPassword(password: string): boolean {
  common ??= new Set(readFileSync(FILE, 'utf8').split('\n').slice(1))
  return common.has(password.toLowerCase())
}
