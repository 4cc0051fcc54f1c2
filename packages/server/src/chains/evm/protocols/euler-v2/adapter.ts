import { toEventSelector } from 'viem'
import { type ProtocolAdapter, rowsByChain } from '../adapter.ts'
import { assetsOf, isNamed, namedVaults } from '../shared/vaults.ts'
import { accountLens } from './account-lens.bytecode.ts'
import {
  askWays,
  type Deployment,
  deployment,
  madeContracts,
  readAccounts,
  subAccounts,
  usedAccounts,
} from './accounts.ts'
import chains from './chains.json' with { type: 'json' }
import { eulerHistory } from './history.ts'
import { vaultLens } from './vault-lens.bytecode.ts'

const OWNER_REGISTERED = toEventSelector('event OwnerRegistered(bytes19 indexed addressPrefix, address indexed owner)')
const CALL_WITH_CONTEXT = toEventSelector(
  'event CallWithContext(address indexed caller, bytes19 indexed onBehalfOfAddressPrefix, address onBehalfOfAccount, address indexed targetContract, bytes4 selector)',
)

/**
 * Vaults, and accounts at the connector: a wallet's 255 addresses with another last byte. Anyone may create vaults:
 * unlisted shares count as far as the vault can pay.
 */
export const eulerV2: ProtocolAdapter<Deployment> = {
  name: 'euler_v2',
  deployment,
  /** Source: Euler's interfaces, without perspectives open to anyone's vaults. */
  rows: rowsByChain({ key: 'euler_v2', name: 'Euler v2', siteUrl: 'https://app.euler.finance' }, chains),
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
      // A contract that calls itself via the EVC may name any account.
      differing: [1, 3],
    },
  ],

  moreKeys: usedAccounts,

  subAccounts: (_, wallet, keys) => subAccounts(wallet, keys),

  positions: readAccounts,

  decompose: ({ protocolContract, amountRaw, ...at }) =>
    assetsOf(at, protocolContract, amountRaw, askWays(at, protocolContract)),

  history: eulerHistory,
}
