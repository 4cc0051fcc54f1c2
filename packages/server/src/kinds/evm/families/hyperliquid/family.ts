import type { Family } from '../family.ts'
import { accountOf, accountPositions } from './account.ts'
import { coreLens } from './core-lens.bytecode.ts'
import { type Deployment, deployment } from './deployment.ts'
import { depositPositions } from './deposits.ts'
import { hyperliquidHistory } from './history.ts'
import { hyperliquidRows } from './rows.ts'
import { readBalances, spotPositions } from './spot.ts'

/**
 * Hyperliquid: what a wallet has on HyperCore, by HyperEVM's read precompiles: spot balances, perpetuals, staked HYPE,
 * shares of vaults. An address that HyperCore does not know costs a question for each call. Amounts are those that a
 * transfer to HyperEVM would pay, in its tokens.
 */
export const hyperliquid: Family<Deployment> = {
  name: 'hyperliquid',
  deployment,
  rows: hyperliquidRows,
  lenses: [coreLens],
  readsEveryWallet: true,
  // Precompiles have no code, and accounts of HyperCore, such as vaults, are no contracts.
  contracts: () => [],

  discover: async () => [],

  async positions({ reader, wallet, deployment, leftOut }) {
    const { collaterals, vaults, lent } = deployment
    const deposited = [wallet, vaults.map(({ vault }) => vault), lent.map(BigInt)] as const
    const [balances, deposits, [margins, isWhole]] = await Promise.all([
      readBalances(reader, wallet, leftOut),
      reader.lens(coreLens, { functionName: 'deposits', args: deposited }),
      reader.lens(coreLens, { functionName: 'margins', args: [wallet, collaterals.map(BigInt)] }),
    ])
    if (!isWhole) leftOut(new Error('HyperCore has more exchanges of perpetuals than one call can ask'))
    const accounts = margins.flatMap((margin) => accountOf(margin, deployment, leftOut))
    return [
      ...spotPositions(balances, accounts, deployment, leftOut),
      ...accounts.flatMap(accountPositions),
      ...depositPositions(deposits, deployment, leftOut),
    ]
  },

  history: hyperliquidHistory,
}
