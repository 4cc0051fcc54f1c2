import { isIP } from 'node:net'

/** IPv6 counts by /64: one customer may use any address in it. */
export function callerNetwork(ip: string): string {
  const [address = ''] = ip.split('%')
  if (isIP(address) !== 6) return ip
  const groups = groupsOf(address)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The URL parser normalizes every spelling. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const [before, after] = [head, tail ?? ''].map((part) =>
    part
      .split(':')
      .filter(Boolean)
      .map((text) => Number.parseInt(text, 16)),
  )
  const zeros = Array<number>(8 - (before?.length ?? 0) - (after?.length ?? 0)).fill(0)
  return [...(before ?? []), ...zeros, ...(after ?? [])]
}
