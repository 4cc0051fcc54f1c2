import { type ChainForkConfig, createChainForkConfig, defaultChainConfig } from '@lodestar/config'
import { type BeaconDevnetOptions, FORKS } from '../options.ts'
import { bytesOf } from './seeded.ts'

export const DEFAULT_GENESIS_TIME = 1_606_824_023
const DEFAULT_SECONDS_PER_SLOT = 12
const CHAIN_ID = 1

/** Mainnet's address, also on a joined execution node. */
const DEPOSIT_CONTRACT = '0x00000000219ab540356cbb839cbe05303d7705fa'

const forkEpochs = ({ fork = 'fulu', forkEpochs: later = {} }: BeaconDevnetOptions): Record<string, number> => {
  const atGenesis = FORKS.slice(0, FORKS.indexOf(fork) + 1)
  const epochOf = (name: (typeof FORKS)[number]) => (atGenesis.includes(name) ? 0 : (later[name] ?? Infinity))
  return Object.fromEntries(FORKS.map((name) => [`${name.toUpperCase()}_FORK_EPOCH`, epochOf(name)]))
}

export const createConfig = (options: BeaconDevnetOptions): ChainForkConfig => {
  const secondsPerSlot = options.secondsPerSlot ?? DEFAULT_SECONDS_PER_SLOT
  return createChainForkConfig({
    ...defaultChainConfig,
    CONFIG_NAME: 'coffer-devnet',
    SECONDS_PER_SLOT: secondsPerSlot,
    SLOT_DURATION_MS: secondsPerSlot * 1_000,
    TERMINAL_TOTAL_DIFFICULTY: 0n,
    DEPOSIT_CHAIN_ID: CHAIN_ID,
    DEPOSIT_NETWORK_ID: CHAIN_ID,
    DEPOSIT_CONTRACT_ADDRESS: bytesOf(DEPOSIT_CONTRACT),
    ALTAIR_FORK_EPOCH: 0,
    ...forkEpochs(options),
    GLOAS_FORK_EPOCH: Infinity,
    HEZE_FORK_EPOCH: Infinity,
    ...options.config,
  })
}
