import { BLOCKHASH_SLOTS } from '../blockhashes.ts'
import type { SolanaChain } from '../chain.ts'
import { SLOTS_PER_EPOCH } from '../timeline.ts'
import { inContext, type Methods, VERSION } from './method.ts'
import { u64 } from './params.ts'
import { RpcError } from './rpc-error.ts'

/** Every slot has a block: heights equal slots. */
export const clusterMethods = (chain: SolanaChain, genesisHash: string): Methods => ({
  getHealth: { run: () => 'ok' },
  getVersion: { run: () => VERSION },
  getGenesisHash: { run: () => genesisHash },
  getSlot: { configAt: 0, run: () => chain.slot() },
  getBlockHeight: { configAt: 0, run: () => chain.slot() },
  getBlockTime: {
    run: ([given]) => {
      const slot = u64(given)
      const time = chain.timeOf(slot)
      if (time === null) throw new RpcError('blockNotAvailable', `Block not available for slot ${slot}`)
      return time
    },
  },
  getEpochInfo: {
    configAt: 0,
    run: () => ({
      absoluteSlot: chain.slot(),
      blockHeight: chain.slot(),
      epoch: chain.epoch(),
      slotIndex: chain.slot() % SLOTS_PER_EPOCH,
      slotsInEpoch: SLOTS_PER_EPOCH,
      transactionCount: chain.transactions.count(),
    }),
  },
  getLatestBlockhash: {
    configAt: 0,
    run: () =>
      inContext(chain.slot(), {
        blockhash: chain.latestBlockhash(),
        lastValidBlockHeight: chain.slot() + BLOCKHASH_SLOTS,
      }),
  },
})
