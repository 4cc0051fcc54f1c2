import { join } from 'node:path'
import { baseActions, ethereumActions } from './actions.ts'
import { addresses } from './addresses.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import { createDevChain } from './chain.ts'
import { CHAIN_IDS, type ChainKey, ensureState } from './state.ts'
import { wallets } from './wallets.ts'

export type DevnetOptions = {
  /** From `ensureState`, the default. */
  state?: string
  /** Default: true. `false` leaves the chains at the block as built. */
  refreshFeeds?: boolean
  /** Default: free ports. */
  ports?: Partial<Record<ChainKey, number>>
  /** For blocks without a transaction. Default: none. */
  blockTimeSeconds?: number
  /** Default: see `AnvilOptions`. */
  keptStates?: number
  /** For both nodes. */
  args?: readonly string[]
}

/** Call `stop` before the process ends. */
export type Devnet = Awaited<ReturnType<typeof startDevnet>>

const start = async (key: ChainKey, state: string, options: DevnetOptions): Promise<Anvil> => {
  const port = options.ports?.[key]
  return startAnvil({
    chainId: CHAIN_IDS[key],
    loadState: join(state, `${key}.json`),
    ...(port !== undefined && { port }),
    ...(options.blockTimeSeconds !== undefined && { blockTimeSeconds: options.blockTimeSeconds }),
    ...(options.keptStates !== undefined && { keptStates: options.keptStates }),
    ...(options.args && { args: options.args }),
  })
}

/** Blocks and logs from before the start are readable. Balances and calls work only from the start block on. */
export const startDevnet = async (options: DevnetOptions = {}) => {
  const state = options.state ?? (await ensureState())
  const [anvil, baseAnvil] = await Promise.all([start('ethereum', state, options), start('base', state, options)])
  const ethereum = createDevChain(anvil)
  const base = createDevChain(baseAnvil)
  const chains = {
    ethereum: { ...ethereum, key: 'ethereum', addresses: addresses.ethereum, actions: ethereumActions(ethereum) },
    base: { ...base, key: 'base', addresses: addresses.base, actions: baseActions(base) },
  } as const
  const refreshFeeds = async () => {
    await Promise.all([chains.ethereum.actions.feeds.refresh(), chains.base.actions.feeds.refresh()])
  }
  await Promise.all([ethereum.impersonate(), base.impersonate()])
  if (options.refreshFeeds !== false) {
    // In the first block after loading a state, contracts see another parent hash than the node lists. Readers use the
    // next block.
    await Promise.all([ethereum.client.mine({ blocks: 1 }), base.client.mine({ blocks: 1 })])
    await refreshFeeds()
  }
  return {
    chains,
    wallets,
    addresses,
    refreshFeeds,
    stop: async () => {
      await Promise.all([anvil.stop(), baseAnvil.stop()])
    },
  }
}
