const BROWSERS = [
  ['Edge', /\bEdg\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\bFirefox\//],
  ['Chrome', /\bChrom(e|ium)\//],
  ['Safari', /\bSafari\//],
] as const

const SYSTEMS = [
  ['iOS', /\b(iPhone|iPad)\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['Linux', /\bLinux\b/],
] as const

const find = (list: readonly (readonly [string, RegExp])[], agent: string) =>
  list.find(([, mark]) => mark.test(agent))?.[0]

/** Names browser and system from the `User-Agent` header; null if both are unknown. */
export function agentName(agent: string): string | null {
  const parts = [find(BROWSERS, agent), find(SYSTEMS, agent)].filter((part) => part !== undefined)
  return parts.length > 0 ? parts.join(' · ') : null
}
