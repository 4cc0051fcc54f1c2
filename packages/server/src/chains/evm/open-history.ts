import { type EvmAddress, evmAddress } from '../../domain/evm-address.ts'
import type { HistoryReading } from '../chain-reading.ts'
import { createExplorerSources } from './activity/explorer-source.ts'
import type { EvmSearchContext } from './collect/evm-context.ts'
import { createPricesAt } from './collect/prices-at.ts'
import { createReadHistory } from './collect/read-history.ts'
import { reconcile } from './collect/reconcile.ts'
import { createWalletGroup } from './collect/wallet-group.ts'
import { bringUpToDate, followWallets } from './collect/wallet-history.ts'

const DEBT = 'debt'

export function openEvmHistory(search: EvmSearchContext): HistoryReading {
  const { chains, listed, settings, clock } = search
  const reading = createReadHistory(search)
  const explorers = createExplorerSources(settings.explorers, chains.values(), clock)
  const context = { ...search, reading, explorers }

  async function natureOf(chain: string, asked: readonly EvmAddress[]) {
    const book = await reading.wholeBookOf(chain, asked)
    return (token: EvmAddress) => {
      const protocolContract = book.protocolContractOf(token)?.protocolContract
      return {
        rebasing: book.isRebasing(token),
        debt: protocolContract?.role === DEBT,
        listed: protocolContract !== undefined || listed.find(chain, token) !== undefined,
      }
    }
  }

  return {
    pricesAt: createPricesAt(search),
    bringUpToDate: ({ chain, wallet }, save) => bringUpToDate(context, { chain, wallet: evmAddress(wallet) }, save),
    follow: (chain, wallets, saves, fail) =>
      followWallets(context, createWalletGroup(chain, wallets.map(evmAddress), fail), saves),
    reconcile: ({ chain, wallet }) => reconcile(search, natureOf, { chain, wallet: evmAddress(wallet) }),
    async naturesOf(chain, asked) {
      const book = await reading.bookOf(chain, asked.map(evmAddress))
      return (token) => ({
        rebasing: book.isRebasing(evmAddress(token)),
        ofProtocol: book.protocolContractOf(evmAddress(token)) !== undefined,
      })
    },
  }
}
