// `node scripts/chainlink-heartbeats.ts <folder>`: writes feed data from Chainlink's directory. The folder is `data` of
// a checkout of https://github.com/euler-xyz/oracle-checks, which mirrors it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chains } from '../src/chains/chain-types.ts'
import { aggregatorsOf } from '../src/chains/evm/prices/chainlink-feed.ts'

type Entry = { proxyAddress: string | null; heartbeat?: number }

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('say which folder holds <chain id>/chainlink/metadata.json')

function readDirectory(chainId: string): Entry[] {
  try {
    return JSON.parse(readFileSync(join(folder ?? '', chainId, 'chainlink', 'metadata.json'), 'utf8')) as Entry[]
  } catch {
    return []
  }
}

const rows = chains.flatMap(({ key, chainId }) => {
  const wanted = new Set(aggregatorsOf(key).map((address) => address.toLowerCase()))
  const known = readDirectory(chainId).flatMap(({ proxyAddress, heartbeat }): [string, number][] => {
    const address = proxyAddress?.toLowerCase()
    return address && heartbeat && wanted.has(address) ? [[address, heartbeat]] : []
  })
  const sorted = known.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return sorted.length > 0 ? [[key, Object.fromEntries(sorted)] as const] : []
})
const file = new URL('../src/chains/evm/prices/chainlink-heartbeats.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`)
