import { toEventSelector } from 'viem'
import type { Family } from '../family.ts'
import { assetsOf, isNamed, namedVaults } from '../shared/vaults.ts'
import { accountLens } from './account-lens.bytecode.ts'
import { readAccounts, subAccounts, usedAccounts } from './accounts.ts'
import { type Deployment, deployment } from './deployment.ts'
import { eulerHistory } from './history.ts'
import { eulerRows } from './rows.ts'
import { vaultLens } from './vault-lens.bytecode.ts'
import { askWays, madeContracts } from './vaults.ts'

/** The first act of a wallet at the connector. */
const OWNER_REGISTERED = toEventSelector('event OwnerRegistered(bytes19 indexed addressPrefix, address indexed owner)')
/** Each call by way of it. */
const CALL_WITH_CONTEXT = toEventSelector(
  'event CallWithContext(address indexed caller, bytes19 indexed onBehalfOfAddressPrefix, address onBehalfOfAccount, address indexed targetContract, bytes4 selector)',
)

/**
 * Euler v2: vaults that lend (EVK), vaults over them (EulerEarn), and the accounts of a wallet at their connector (EVC), which
 * owns the 255 addresses that differ from its own in the last byte. Each account has collateral and at most one debt of its
 * own. Logs name the accounts that acted, a read of the connector those that have collateral or a debt; their owner is proven
 * by the connector. Anyone may create a vault: shares count as far as it could pay, unless the row or a perspective names it.
 */
export const eulerV2: Family<Deployment> = {
  name: 'euler_v2',
  deployment,
  rows: eulerRows,
  lenses: [vaultLens, accountLens],
  eachAlone: true,
  countsWhereSent: true,

  discover: namedVaults,

  recognise: ({ tokens, ...at }) => madeContracts(at, tokens),

  vouches: isNamed,

  keyLogs: ({ evc }) => [
    { contract: evc, topic: OWNER_REGISTERED, walletAt: 2, keyAt: 2 },
    {
      contract: evc,
      topic: CALL_WITH_CONTEXT,
      walletAt: 2,
      walletAs: 'prefix',
      keyAt: 'data',
      contractAt: 3,
      // A contract that calls itself by way of the connector may name any account.
      differing: [1, 3],
    },
  ],

  moreKeys: (scope) => usedAccounts(scope),

  furtherOwners: (_, wallet, keys) => subAccounts(wallet, keys),

  positions: ({ reader, deployment: at, wallet, leftOut, ...found }) =>
    readAccounts({ reader, deployment: at, wallet, leftOut }, found),

  decompose: ({ reader, deployment, instrument, amountRaw }) => {
    const at = { reader, deployment }
    return assetsOf(at, instrument, amountRaw, askWays(at, instrument))
  },

  history: (contracts) => eulerHistory(contracts),
}
