import type { Family } from '../family.ts'
import { readCdps, readSavings } from './cdps.ts'
import { type Deployment, deployment } from './deployment.ts'
import { makerHistory, makerKeys } from './history.ts'
import { makerLens } from './maker-lens.bytecode.ts'
import { makerRows } from './rows.ts'

/**
 * Maker: debts in DAI against collateral (CDPs), and savings in DAI. Both have no token, and mostly belong to a proxy of the
 * wallet. Logs name the wallet's CDPs, its own urns and its proxies; whose they are now, and what lies there, the chain says.
 */
export const maker: Family<Deployment> = {
  name: 'maker',
  deployment,
  rows: makerRows,
  lenses: [makerLens],

  /** CDPs and proxies are as many as wallets that use them. */
  discover: async () => [],

  keyLogs: makerKeys,

  async positions(scope) {
    const found = await Promise.all([readCdps(scope), readSavings(scope)])
    return found.flat()
  },

  history: makerHistory,
}
