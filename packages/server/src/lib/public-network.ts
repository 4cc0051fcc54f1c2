import * as dns from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { UpstreamError } from './upstream-error.ts'

/** IANA's special-purpose registry, multicast and reserved networks. */
const SPECIAL_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
]
/** Exceptions: protocol assignments with Teredo, documentation, 6to4. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/** `networks`: addresses, and ranges such as `10.0.0.0/8`. */
export function networkMatcher(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const [family, longest] = isIP(address) === 6 ? (['ipv6', 128] as const) : (['ipv4', 32] as const)
    list.addSubnet(address, Number(prefix ?? longest), family)
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

const isUnicastV6 = networkMatcher(['2000::/3'])
const isSpecial = networkMatcher([...SPECIAL_V4, ...SPECIAL_V6])

/** Addresses that carry an IPv4 one (mapped, NAT64, 6to4) are not public. */
const isPublic = (address: string) => (isIP(address) === 4 || isUnicastV6(address)) && !isSpecial(address)

/** Bounds where untrusted URLs may lead. */
export type Reach = {
  /** Refuses http if no network is allowed. */
  check(url: URL): void
  /** The connection uses the checked address. One address out of reach refuses the name. */
  lookup(protocol: string): LookupFunction
}

type Resolve = (
  hostname: string,
  options: dns.LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: dns.LookupAddress[]) => void,
) => void

const NOWHERE = { address: '', family: 0 }
const clearText = () => new UpstreamError('not-allowed', 'the URL must begin with https://')
const refused = () => new UpstreamError('not-allowed', 'the address is not of the public internet')

export function createReach(allowed: readonly string[], resolve: Resolve = dns.lookup): Reach {
  const isAllowed = networkMatcher(allowed)
  const faultOf = (protocol: string, address: string) => {
    if (isAllowed(address)) return undefined
    if (!isPublic(address)) return refused()
    return protocol === 'https:' ? undefined : clearText()
  }
  const firstFault = (protocol: string, found: readonly dns.LookupAddress[]) =>
    found.length === 0 ? refused() : found.map(({ address }) => faultOf(protocol, address)).find(Boolean)
  return {
    check({ protocol, hostname }) {
      const address = hostname.replace(/^\[|\]$/g, '')
      const fault = isIP(address) === 0 ? undefined : faultOf(protocol, address)
      if (fault) throw fault
      if (protocol === 'http:' && allowed.length === 0) throw clearText()
    },
    lookup: (protocol) => (hostname, options, done) => {
      resolve(hostname, { ...options, all: true }, (error, found) => {
        const fault = error ?? firstFault(protocol, found)
        if (fault) return done(fault, '')
        const [{ address, family } = NOWHERE] = found
        if (options.all) done(null, found)
        else done(null, address, family)
      })
    },
  }
}
