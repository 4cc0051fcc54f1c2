import type { DeploymentRow, ProtocolAdapter } from '../adapter.ts'
import { readCdps, readSavings } from './cdps.ts'
import { type Deployment, deployment } from './deployment.ts'
import { makerHistory, makerKeys } from './history.ts'
import { makerLens } from './maker-lens.bytecode.ts'

/** Sources: Maker's on-chain list of its contracts (ChainLog); its releases, for the proxy factory. */
const makerRows: readonly DeploymentRow[] = [
  {
    key: 'maker',
    name: 'Maker',
    chain: 'ethereum',
    siteUrl: 'https://sky.money',
    deployment: {
      vat: '0x35d1b3f3d7966a1dfe207aa4514c12a259a0492b',
      jug: '0x19c0976f590d67707e62397c87829d896dc0f1f1',
      pot: '0x197e90f9fad81970ba7976f33cbd77088e5d7cf7',
      dsrManager: '0x373238337bfe1146fb49989fc222523f83081ddb',
      cdpManager: '0x5ef30b9986345249bc32d8928b7ee64de9435e39',
      ilkRegistry: '0x5a464c28d19848f44199d003bef5ecc87d090f87',
      proxyFactory: '0xa26e15c895efc0616177b7c1e7270a4c7d51c997',
      dai: '0x6b175474e89094c44da98b954eedeac495271d0f',
      alsoLent: ['0xdc035d45d973e3ec169d2276ddab16f1e407384f'], // USDS
    },
  },
]

/** Maker: CDPs and DAI savings, mostly of a proxy. The chain proves the owner. */
export const maker: ProtocolAdapter<Deployment> = {
  name: 'maker',
  deployment,
  rows: makerRows,
  lenses: [makerLens],

  discover: async () => [],

  keyLogs: makerKeys,

  async positions(scope) {
    const found = await Promise.all([readCdps(scope), readSavings(scope)])
    return found.flat()
  },

  history: makerHistory,
}
