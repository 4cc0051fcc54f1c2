import { toEventSelector } from 'viem'
import { NATIVE } from '../../../../domain/evm-address.ts'
import type { ProtocolAdapter } from '../adapter.ts'
import { assetsOf, isNamed, namedVaults } from '../shared/vaults.ts'
import { type Deployment, deployment } from './deployment.ts'
import { morphoHistory } from './history.ts'
import { marketLens } from './market-lens.bytecode.ts'
import { readMarkets } from './markets.ts'
import { morphoRows } from './rows.ts'
import { vaultLens } from './vault-lens.bytecode.ts'
import { askWays, madeVaults, readVaults } from './vaults.ts'

/** A debt needs collateral first. */
const GIVING = [
  'event Supply(bytes32 indexed id, address indexed caller, address indexed onBehalf, uint256 assets, uint256 shares)',
  'event SupplyCollateral(bytes32 indexed id, address indexed caller, address indexed onBehalf, uint256 assets)',
].map((event) => toEventSelector(event))

/**
 * Morpho: markets of Morpho Blue, and vaults of its factories. Anyone may create these and give wallets a share: loans
 * count only as far as they could be taken out.
 */
export const morpho: ProtocolAdapter<Deployment> = {
  name: 'morpho',
  deployment,
  rows: morphoRows,
  lenses: [marketLens, vaultLens],
  eachAlone: true,
  countsWhereSent: true,

  discover: namedVaults,

  recognise: ({ tokens, ...at }) => madeVaults(at, tokens),

  vouches: isNamed,

  keyLogs: ({ blue }) => GIVING.map((topic) => ({ contract: blue, topic, walletAt: 3, keyAt: 1 })),

  async positions(scope) {
    const { reader, wallet, leftOut, keys, deployment: at } = scope
    const found = await Promise.all([readMarkets({ reader, blue: at.blue, wallet, leftOut }, keys), readVaults(scope)])
    return found.flat()
  },

  decompose: ({ reader, deployment, protocolContract, amountRaw, owner = NATIVE }) => {
    const at = { reader, deployment }
    return assetsOf(at, protocolContract, amountRaw, askWays(at, protocolContract, owner))
  },

  history: (contracts) => morphoHistory(contracts),
}
