import type { EvmAddress } from '../../../domain/evm-address.ts'
import type { ChainTransaction, ReceiptLog, WalletTransaction } from '../../../domain/transaction.ts'
import type { WalletOnChain } from '../../../domain/wallet-on-chain.ts'
import type { Chain } from '../../chain.ts'
import { ofEnabled } from '../../chain-catalog.ts'
import type { Tokens } from '../../tokens.ts'
import { createHistoryBook, type HistoryBook } from '../decode/book.ts'
import type { Bridge } from '../decode/bridge-rows.ts'
import type { LabelsOf } from '../decode/contract-labels.ts'
import { readTransaction } from '../decode/read-transaction.ts'
import { topicOfAddress } from '../logs/erc20-events.ts'
import type { FindDeployments, KnownDeployment } from '../protocols/adapter.ts'
import type { EvmReader } from '../reader/evm-reader.ts'
import type { ContractOrigins } from './contract-origins.ts'
import type { Recognise } from './recognise.ts'

const LAST_BYTE_DIGITS = 2

export function createReadHistory({
  chains,
  protocolContracts,
  tokens,
  recognise,
  bridges,
  labelsOf,
  origins,
}: {
  chains: ReadonlyMap<string, Chain>
  protocolContracts: { rowsOf: FindDeployments; allRowsOf: FindDeployments }
  tokens: Tokens<EvmReader>
  recognise: Recognise
  bridges: readonly Bridge[]
  labelsOf: LabelsOf
  origins: ContractOrigins
}) {
  /** For display only. */
  async function bookOf(key: string, contracts: readonly EvmAddress[]): Promise<HistoryBook> {
    const chain = ofEnabled(chains, key)
    return bookBy(chain, await protocolContracts.rowsOf(chain, contracts))
  }

  /** For stored data. Rejects with `UpstreamError` while a node failure hides a protocol's contracts. */
  async function wholeBookOf(key: string, contracts: readonly EvmAddress[] = []): Promise<HistoryBook> {
    const chain = ofEnabled(chains, key)
    const [known, rows] = await Promise.all([tokens.of(chain), protocolContracts.allRowsOf(chain, contracts)])
    await known.load(contracts)
    return bookBy(chain, rows)
  }

  async function bookBy(chain: Chain, rows: readonly KnownDeployment[]): Promise<HistoryBook> {
    const known = await tokens.of(chain)
    const isSpam = (address: EvmAddress) => {
      const token = known.find(address)
      return token !== undefined && known.isSpam(token)
    }
    const isListed = (address: EvmAddress) => known.find(address)?.listed ?? false
    return createHistoryBook({ chain, rows, bridges, labelOf: labelsOf(chain.key), isListed, isSpam })
  }

  function prepare(chain: string): void {
    wholeBookOf(chain).catch(() => undefined)
  }

  async function read(
    { chain, wallet }: WalletOnChain<EvmAddress>,
    transactions: readonly ChainTransaction[],
  ): Promise<WalletTransaction[]> {
    if (transactions.length === 0) return []
    const contracts = await contractsIn(ofEnabled(chains, chain), wallet, transactions)
    await recognise.ask(ofEnabled(chains, chain), contracts)
    const book = await wholeBookOf(chain, contracts)
    await origins.learn(ofEnabled(chains, chain), book, unnamedIn(wallet, transactions, book))
    const originOf = (contract: EvmAddress) => origins.find(ofEnabled(chains, chain), contract)
    return transactions.map((transaction) => readTransaction(transaction, wallet, book, originOf))
  }

  async function contractsIn(chain: Chain, wallet: EvmAddress, transactions: readonly ChainTransaction[]) {
    const rows = await protocolContracts.rowsOf(chain, [])
    return [...new Set([...namingLogs(wallet, transactions), ...ledTo(rows, transactions)])]
  }

  return { prepare, read, bookOf, wholeBookOf }
}

function unnamedIn(wallet: EvmAddress, transactions: readonly ChainTransaction[], book: HistoryBook): EvmAddress[] {
  const calls = transactions.toReversed().flatMap((transaction) => (transaction.succeeded ? transaction.calls : []))
  const isUnnamed = (to: EvmAddress) => to !== wallet && book.protocolOf(to) === undefined && !book.isListed(to)
  return calls.flatMap(({ by, to }) => (by === wallet && isUnnamed(to) ? [to] : []))
}

export function ledTo(
  rows: readonly Pick<KnownDeployment, 'deployment'>[],
  transactions: readonly ChainTransaction[],
): EvmAddress[] {
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
