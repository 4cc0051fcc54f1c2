import { readFileSync } from 'node:fs'
import { toFunctionSelector } from 'viem'

/** One per line, without parameter names. `#` lines are headings. */
const signatures = readFileSync(new URL('function-signatures.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))

/** Names by selector, one per line. Throws if functions of different names share a selector. */
export function gatherFunctionNames(): string {
  const names = new Map<string, string>()
  for (const signature of signatures) {
    const name = signature.slice(0, signature.indexOf('('))
    const selector = toFunctionSelector(signature)
    const known = names.get(selector)
    if (known !== undefined && known !== name) throw new Error(`${known} and ${name} share ${selector}`)
    names.set(selector, name)
  }
  const lines = [...names]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map((entry) => entry.map((text) => `"${text}"`).join(':'))
  return `{\n${lines.join(',\n')}\n}\n`
}
