import { ssz } from '@lodestar/types'
import { startAnvilExecution } from '../execution/anvil-execution.ts'
import { inventExecution } from '../execution/invented-execution.ts'
import type { BeaconDevnetOptions, GenesisValidator } from '../options.ts'
import { type ChainEvent, createBeaconChain } from './beacon-chain.ts'
import { createConfig, DEFAULT_GENESIS_TIME } from './chain-config.ts'
import { depositDataOf } from './deposit-data.ts'
import { createDepositQueue } from './deposit-queue.ts'
import { depositRoot } from './deposit-tree.ts'
import { balanceOf, createGenesis } from './genesis.ts'

const listOf = (validators: BeaconDevnetOptions['validators']): readonly GenesisValidator[] =>
  typeof validators === 'number' ? Array.from({ length: validators }, () => ({})) : validators

export const startChain = async (options: BeaconDevnetOptions, onEvent: (event: ChainEvent) => void) => {
  const { seed = 'coffer', genesisTime = DEFAULT_GENESIS_TIME, keepStatesEpochs = Infinity } = options
  const config = createConfig(options)
  const validators = listOf(options.validators)
  const genesisDeposits = validators.map((validator, key) =>
    depositDataOf(config, {
      key,
      amountGwei: balanceOf(validator),
      ...(validator.prefix !== undefined && { prefix: validator.prefix }),
      ...(validator.address !== undefined && { address: validator.address }),
    }),
  )
  const node = typeof options.execution === 'object' ? { node: options.execution } : {}
  const parts = { config, seed, genesisTime, genesisDeposits, ...node }
  const execution = options.execution ? await startAnvilExecution(parts) : inventExecution(parts)
  const leaves = genesisDeposits.map((data) => ssz.phase0.DepositData.hashTreeRoot(data))
  const payload = execution.genesis
  const genesis = createGenesis({ config, validators, genesisTime, payload, depositRoot: depositRoot(leaves) })
  const deposits = createDepositQueue(genesisDeposits)
  return { execution, chain: createBeaconChain({ genesis, execution, deposits, seed, keepStatesEpochs, onEvent }) }
}
