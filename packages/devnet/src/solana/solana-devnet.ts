import type { Address, KeyPairSigner } from '@solana/kit'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { placeLookupTable } from './actions/lookup-tables.ts'
import { placeMetadata, type TokenDescription } from './actions/metaplex.ts'
import { mintActions } from './actions/mints.ts'
import { solActions } from './actions/sol-actions.ts'
import { stakeActions } from './actions/stake-actions.ts'
import { tokenActions } from './actions/token-actions.ts'
import { wrappedSolActions } from './actions/wrapped-sol-actions.ts'
import { type ChainStart, createSolanaChain, type SolanaChain } from './chain.ts'
import { keypair } from './keypairs.ts'
import { type AccountOptions, accountMethods } from './rpc/account-methods.ts'
import { clusterMethods } from './rpc/cluster-methods.ts'
import { historyMethods } from './rpc/history-methods.ts'
import { startRpcServer } from './rpc/server.ts'
import { tokenMethods } from './rpc/token-methods.ts'
import { transactionMethods } from './rpc/transaction-methods.ts'
import { createSend, type Send } from './send.ts'

export type SolanaDevnetOptions = ChainStart &
  AccountOptions & {
    /** Default: a free one. */
    port?: number
    /** Default: real nodes' limit. */
    maxRequestBytes?: number
    /** Default: mainnet's. */
    genesisHash?: string
  }

const MAINNET_GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
const MAX_REQUEST_BYTES = 51_200
const STOCK_LAMPORTS = 10n ** 18n

const fund = (chain: SolanaChain, { address }: KeyPairSigner): void =>
  chain.setAccount(address, { owner: SYSTEM_PROGRAM_ADDRESS, data: new Uint8Array(), lamports: STOCK_LAMPORTS })

const createActions = async (chain: SolanaChain, send: Send, payer: KeyPairSigner) => {
  const [faucet, authority] = await Promise.all([keypair('faucet'), keypair('mint authority')])
  fund(chain, faucet)
  return {
    sol: solActions(send, faucet),
    mints: mintActions(chain, send, payer, authority),
    tokens: tokenActions(chain, send, payer),
    wrappedSol: wrappedSolActions(send, payer),
    stake: stakeActions(chain, send, payer),
    /** Returns its address. */
    placeMetadata: (mint: Address, text: TokenDescription) => placeMetadata(chain, mint, authority.address, text),
    /** For `lookupTables` of `send`. */
    placeLookupTable: (table: Address, addresses: readonly Address[]) => placeLookupTable(chain, table, addresses),
  }
}

const createTimer = (chain: SolanaChain) => {
  let timer: NodeJS.Timeout | undefined
  const stop = (): void => clearInterval(timer)
  return {
    start: (everyMs: number): void => {
      stop()
      timer = setInterval(() => chain.catchUp(BigInt(Date.now())), everyMs).unref()
    },
    stop,
  }
}

/** Call `stop` before the process ends. */
export type SolanaDevnet = Awaited<ReturnType<typeof startSolanaDevnet>>

export const startSolanaDevnet = async (options: SolanaDevnetOptions = {}) => {
  const { port = 0, maxRequestBytes = MAX_REQUEST_BYTES, genesisHash = MAINNET_GENESIS } = options
  const chain = createSolanaChain(options)
  const payer = await keypair('payer')
  fund(chain, payer)
  const send = createSend(chain, payer)
  const actions = await createActions(chain, send, payer)
  const methods = {
    ...clusterMethods(chain, genesisHash),
    ...accountMethods(chain, options),
    ...tokenMethods(chain),
    ...historyMethods(chain),
    ...transactionMethods(chain, async (to, lamports) => (await actions.sol.give(to, lamports)).signature),
  }
  const server = await startRpcServer({ methods, slot: chain.slot, port, maxRequestBytes })
  const timer = createTimer(chain)
  return {
    url: server.url,
    chain,
    /** Pays what no wallet pays. */
    payer,
    keypair,
    send,
    actions,
    /** Adds empty slots in real time at this interval. Otherwise the chain adds none. */
    keepTime: timer.start,
    stop: async (): Promise<void> => {
      timer.stop()
      await server.stop()
    },
  }
}
