import { depositDataOf } from '../chain/deposit-data.ts'
import { seeded } from '../chain/seeded.ts'
import type { ExecutionBlock, ExecutionLayer, ExecutionParts } from './execution-layer.ts'

const GAS_LIMIT = 30_000_000
const BASE_FEE_WEI = 7n

/** Makes up hashes and logs deposits as ordered. */
export const inventExecution = ({ config, seed, genesisDeposits }: ExecutionParts): ExecutionLayer => {
  let number = 0
  let deposits = genesisDeposits.length
  const block = (hash: Uint8Array, changes: Partial<ExecutionBlock>): ExecutionBlock => ({
    hash,
    number,
    gasLimit: GAS_LIMIT,
    gasUsed: 0,
    baseFeeWei: BASE_FEE_WEI,
    stateRoot: new Uint8Array(32),
    receiptsRoot: new Uint8Array(32),
    logsBloom: new Uint8Array(256),
    transactions: [],
    deposits: [],
    ...changes,
  })
  return {
    genesis: block(seeded(seed, 'execution genesis'), {}),
    mine: async ({ slot, plan }) => {
      number++
      const logged = (plan.deposits ?? []).map((deposit) => ({
        data: depositDataOf(config, deposit),
        index: deposits++,
      }))
      return block(seeded(seed, 'execution block', slot), { deposits: logged })
    },
    setFinal: () => undefined,
    stop: async () => undefined,
  }
}
