import type { Address } from 'viem'
import { ethereumActions } from './actions.ts'
import type { DevChain } from './chain.ts'
import { openAlgebra, openSolidly } from './showcase/exchanges.ts'
import { openFluid, openMaker } from './showcase/lending.ts'
import { openBalancer, openCurve, openMasterChef, openPendle } from './showcase/pools.ts'
import { openSlipstream } from './showcase/slipstream.ts'
import { collector, type ProtocolRow, type TokenRow, tokenRow } from './showcase/stage.ts'
import { openEigenLayer, openEtherFi, openRateToken, openRocketPool, openUmbrella } from './showcase/staking.ts'

export type Showcase = { wallet: Address; protocols: readonly ProtocolRow[]; tokens: readonly TokenRow[] }

const exhibits = [
  ...[openMaker, openFluid],
  ...[openCurve, openBalancer, openPendle, openMasterChef, openSolidly, openSlipstream, openAlgebra],
  ...[openEigenLayer, openEtherFi, openRocketPool, openUmbrella, openRateToken],
]

/**
 * Deploys protocols that the chain lacks, with a position of one wallet each. `protocols` and `tokens`: configuration
 * for contracts that no shipped deployment names.
 */
export const openShowcase = async (chain: DevChain): Promise<Showcase> => {
  const protocols: ProtocolRow[] = []
  const tokens: TokenRow[] = []
  const list = (address: Address, symbol: string) => {
    tokens.push(tokenRow(address, symbol))
  }
  const stage = { chain, actions: ethereumActions(chain), list }
  for (const open of exhibits) protocols.push(...(await open(stage)))
  return { wallet: collector, protocols, tokens }
}
