import { join } from 'node:path'
import { baseActions, ethereumActions } from './actions.ts'
import { addresses } from './addresses.ts'
import { type Anvil, startAnvil } from './anvil.ts'
import { createDevChain } from './chain.ts'
import { CHAIN_IDS, type ChainKey, ensureState } from './state.ts'
import { wallets } from './wallets.ts'

export type DevnetOptions = {
  /** A folder that `ensureState` returned; asked for again unless given. */
  state?: string
  /** By default the feeds answer anew, as of now. `false` leaves the chains as they were built, at the same block. */
  refreshFeeds?: boolean
  /** Fixed ports; free ones unless given. */
  ports?: Partial<Record<ChainKey, number>>
  /** Seconds between blocks without transactions; none unless given. */
  blockTimeSeconds?: number
  /** Older states that each node keeps; those of `AnvilOptions` unless given. */
  keptStates?: number
  /** Further arguments for both nodes. */
  args?: readonly string[]
}

/** The two local chains with all their contracts and positions. `stop` before the process ends. */
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

/**
 * Starts fresh copies of both chains, from the stored state where there is one. Blocks and logs from before the start can
 * be read; balances and calls only at the block of the start and after it.
 */
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
    // The first block after a state was loaded sees another hash of its parent from inside than the node lists: a block
    // between lets the one that readers find tell the truth.
    await Promise.all([ethereum.client.mine({ blocks: 1 }), base.client.mine({ blocks: 1 })])
    await refreshFeeds()
  }
  return {
    chains,
    wallets,
    addresses,
    /** Makes every feed's answer as young as a new block. */
    refreshFeeds,
    stop: async () => {
      await Promise.all([anvil.stop(), baseAnvil.stop()])
    },
  }
}
