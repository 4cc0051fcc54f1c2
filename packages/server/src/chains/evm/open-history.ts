import { evmAddress } from '../../domain/evm-address.ts'
import type { HistoryReading } from '../chain-reading.ts'
import { patientPool } from '../rpc/patient-pool.ts'
import type { ChainTypeSettings } from '../settings.ts'
import { createExplorerSources } from './activity/explorer-source.ts'
import { canFindNative } from './activity/find-native.ts'
import { activityPieces } from './activity/wallet-activity.ts'
import type { ContractOrigins } from './collect/contract-origins.ts'
import type { EvmContext } from './collect/evm-context.ts'
import { createReadHistory } from './collect/read-history.ts'
import type { Recognise } from './collect/recognise.ts'
import { createReconcile } from './collect/reconcile.ts'
import { createWalletHistory } from './collect/wallet-history.ts'
import { type Bridge, bridgeRows } from './decode/bridge-rows.ts'
import { createLabels } from './decode/contract-labels.ts'

const DEBT = 'debt'

export function openEvmHistory(
  context: EvmContext,
  recognise: Recognise,
  origins: ContractOrigins,
): Omit<HistoryReading, 'pricesAt'> {
  const { chains, pools, listed, stores, settings, clock, openReader, keysToSearch } = context
  const bridges = [...bridgeRows, ...settings.bridges.map(bridgeOf)]
  const { prepare, read, bookOf, wholeBookOf } = createReadHistory({
    ...context,
    recognise,
    bridges,
    origins,
    labelsOf: createLabels(settings.labels),
  })
  const explorers = createExplorerSources(settings.explorers, [...chains.values()], clock)
  const findActivity: typeof activityPieces = (search) => {
    const native = explorers.get(search.pool.chain)
    // Contracts name wallets by 19 bytes, which sub-accounts share.
    const prefixes = keysToSearch(search.pool.chain).logs.some(({ walletAs }) => walletAs === 'prefix')
    return activityPieces({ ...search, prefixes, ...(native && { native }) })
  }
  const reconcile = createReconcile({
    store: stores.sums,
    openReader: (chain, at) => openReader(chain, [], at),
    async natureOf(chain, asked) {
      const book = await wholeBookOf(chain, asked)
      return (token) => {
        const protocolContract = book.protocolContractOf(token)?.protocolContract
        return {
          rebasing: book.isRebasing(token),
          debt: protocolContract?.role === DEBT,
          listed: protocolContract !== undefined || listed.find(chain, token) !== undefined,
        }
      }
    },
  })
  const histories = createWalletHistory({
    pools,
    store: stores.histories,
    findActivity,
    prepare,
    read,
    canFindNative: ({ chain, wallet }, pool, block) =>
      canFindNative(patientPool(pool).session(), { wallet, block }, explorers.get(chain)),
    isLocal: (chain) => chains.get(chain)?.isLocal === true,
  })
  return {
    bringUpToDate: ({ chain, wallet }, save) => histories.bringUpToDate({ chain, wallet: evmAddress(wallet) }, save),
    follow: (chain, wallets, saves, fail) => histories.follow(chain, wallets.map(evmAddress), saves, fail),
    reconcile: ({ chain, wallet }) => reconcile({ chain, wallet: evmAddress(wallet) }),
    async naturesOf(chain, asked) {
      const book = await bookOf(chain, asked.map(evmAddress))
      return (token) => ({
        rebasing: book.isRebasing(evmAddress(token)),
        ofProtocol: book.protocolContractOf(evmAddress(token)) !== undefined,
      })
    },
  }
}

function bridgeOf({ key, name, contracts }: ChainTypeSettings['bridges'][number]): Bridge {
  const spelled = Object.entries(contracts).map(([chain, list]) => [chain, list.map(evmAddress)] as const)
  return { key, name, contracts: Object.fromEntries(spelled) }
}
