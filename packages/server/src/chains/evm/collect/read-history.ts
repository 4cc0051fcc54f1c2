import { type EvmAddress, evmAddress } from '../../../domain/evm-address.ts'
import type { ChainTransaction, ReceiptLog, WalletTransaction } from '../../../domain/transaction.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import { ofEnabled } from '../../chain-catalog.ts'
import type { ChainTypeSettings } from '../../settings.ts'
import {
  type Bridge,
  bridgeRows,
  type ContractDirectory,
  createContractDirectory,
} from '../decode/contract-directory.ts'
import { createLabels } from '../decode/contract-labels.ts'
import { readTransaction } from '../decode/read-transaction.ts'
import { topicOfAddress } from '../logs/logs.ts'
import type { KnownDeployment } from '../protocols/adapter.ts'
import type { EvmSearchContext } from './discovery.ts'

const LAST_BYTE_DIGITS = 2

export type ReadHistory = ReturnType<typeof createReadHistory>

export function createReadHistory(context: EvmSearchContext) {
  const { chains, protocolContracts, tokens, recognise, origins, settings } = context
  const bridges = [...bridgeRows, ...settings.bridges.map(bridgeOf)]
  const labelsOf = createLabels(settings.labels)

  /** For display only. */
  async function directoryOf(key: string, contracts: readonly EvmAddress[]): Promise<ContractDirectory> {
    return directoryBy(key, await protocolContracts.rowsOf(ofEnabled(chains, key), contracts))
  }

  /** Rejects with `UpstreamError` while a node failure hides a protocol's contracts. */
  async function wholeDirectoryOf(key: string, contracts: readonly EvmAddress[] = []): Promise<ContractDirectory> {
    const chain = ofEnabled(chains, key)
    const [known, rows] = await Promise.all([tokens.of(chain), protocolContracts.allRowsOf(chain, contracts)])
    await known.load(contracts)
    return directoryBy(key, rows)
  }

  async function directoryBy(key: string, rows: readonly KnownDeployment[]): Promise<ContractDirectory> {
    const chain = ofEnabled(chains, key)
    const known = await tokens.of(chain)
    const isSpam = (address: EvmAddress) => {
      const token = known.find(address)
      return token !== undefined && known.isSpam(token)
    }
    const isListed = (address: EvmAddress) => known.find(address)?.listed ?? false
    return createContractDirectory({ chain, rows, bridges, labelOf: labelsOf(key), isListed, isSpam })
  }

  async function read(
    { chain: key, wallet }: WalletOnChain<EvmAddress>,
    transactions: readonly ChainTransaction[],
  ): Promise<WalletTransaction[]> {
    if (transactions.length === 0) return []
    const chain = ofEnabled(chains, key)
    const rows = await protocolContracts.rowsOf(chain, [])
    const contracts = [...new Set([...namingLogs(wallet, transactions), ...ledTo(rows, transactions)])]
    await recognise.ask(chain, contracts)
    const directory = await wholeDirectoryOf(key, contracts)
    await origins.learn(chain, directory, unknownContractsIn(wallet, transactions, directory))
    const originOf = (contract: EvmAddress) => origins.find(chain, contract)
    return transactions.map((transaction) => readTransaction(transaction, wallet, directory, originOf))
  }

  return { read, directoryOf, wholeDirectoryOf }
}

function bridgeOf({ key, name, contracts }: ChainTypeSettings['bridges'][number]): Bridge {
  const spelled = Object.entries(contracts).map(([chain, list]) => [chain, list.map(evmAddress)] as const)
  return { key, name, contracts: Object.fromEntries(spelled) }
}

function unknownContractsIn(
  wallet: EvmAddress,
  transactions: readonly ChainTransaction[],
  directory: ContractDirectory,
): EvmAddress[] {
  const calls = transactions.toReversed().flatMap((transaction) => (transaction.succeeded ? transaction.calls : []))
  const isUnknown = (to: EvmAddress) =>
    to !== wallet && directory.protocolOf(to) === undefined && !directory.isListed(to)
  return calls.flatMap(({ by, to }) => (by === wallet && isUnknown(to) ? [to] : []))
}

export function ledTo(rows: readonly KnownDeployment[], transactions: readonly ChainTransaction[]): EvmAddress[] {
  const leads = rows.flatMap(({ deployment: { history } }) => history.leadsTo ?? [])
  if (leads.length === 0) return []
  const logs = transactions.flatMap((transaction) => transaction.logs)
  return [...new Set(logs.flatMap((log) => leads.flatMap((leadsTo) => leadsTo(log) ?? [])))]
}

/** Sub-accounts share the wallet's first 19 bytes. */
function namingLogs(wallet: EvmAddress, transactions: readonly ChainTransaction[]): EvmAddress[] {
  const named = topicOfAddress(wallet).slice(0, -LAST_BYTE_DIGITS)
  const isNaming = ({ topics }: ReceiptLog) => topics.slice(1).some((topic) => topic.startsWith(named))
  return transactions.flatMap(({ logs }) => logs.filter(isNaming).map(({ address }) => address))
}
