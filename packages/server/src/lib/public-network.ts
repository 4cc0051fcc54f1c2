import * as dns from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { UpstreamError } from './upstream-error.ts'

/** Networks of IPv4 that are not of the public internet (IANA's special-purpose registry), with multicast and what is reserved. */
const SPECIAL_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
]
/** All that is public in IPv6, and what of it is not: protocol assignments with Teredo, documentation, 6to4. */
const PUBLIC_V6 = ['2000::/3']
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

/** Addresses and networks, such as `10.0.0.0/8` or `fd00::1`. */
function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const [family, longest] = isIP(address) === 6 ? (['ipv6', 128] as const) : (['ipv4', 32] as const)
    list.addSubnet(address, Number(prefix ?? longest), family)
  }
  return list
}

const [specialV4, publicV6, specialV6] = [networkList(SPECIAL_V4), networkList(PUBLIC_V6), networkList(SPECIAL_V6)]

/** Whether the address is of the public internet. Addresses that carry an IPv4 one (mapped, NAT64, 6to4) are not. */
function isPublic(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !specialV4.check(address)
  return family === 6 && publicV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6')
}

/** What strangers' URLs may lead to. */
export type Reach = {
  /** Refuses a host that is itself an address out of reach, and http where no network is allowed. */
  check(url: URL): void
  /** Resolves a name once; the connection goes to what was checked. Refused if any of its addresses is out of reach. */
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

/** Lets requests reach the public internet, and the networks that the operator allows. `resolve`: the system's own unless given. */
export function createReach(allowed: readonly string[], resolve: Resolve = dns.lookup): Reach {
  const own = networkList(allowed)
  const isAllowed = (address: string) => own.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  /** Clear text stays in networks of the operator. */
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
