import type { BeaconRequest } from './beacon-request.ts'
import {
  type Fields,
  invalidValue,
  parseAmount,
  parseEpoch,
  parseFields,
  parseHex,
  parseInteger,
} from './beacon-values.ts'

/** How the chain began. */
export type BeaconGenesis = {
  /** Unix seconds. */
  genesisTime: number
  genesisValidatorsRoot: string
  genesisForkVersion: string
}

export const genesisRequest: BeaconRequest<BeaconGenesis> = {
  name: 'genesis',
  path: '/eth/v1/beacon/genesis',
  parse({ data }) {
    const fields = parseFields(data, 'genesis')
    return {
      genesisTime: parseInteger(fields['genesis_time'], 'genesis_time'),
      genesisValidatorsRoot: parseHex(fields['genesis_validators_root'], 'genesis_validators_root', 32),
      genesisForkVersion: parseHex(fields['genesis_fork_version'], 'genesis_fork_version', 4),
    }
  },
}

/** Names of the forks in `/config/spec`, in order. A constant that a fork does not set is that of the fork before. */
const FORKS = ['PHASE0', 'ALTAIR', 'BELLATRIX', 'CAPELLA', 'DENEB', 'ELECTRA', 'FULU'] as const

/** Constants of the network that figures depend on. */
export type BeaconSpec = {
  secondsPerSlot: number
  slotsPerEpoch: number
  epochsPerSyncCommitteePeriod: number
  effectiveBalanceIncrementGwei: bigint
  /**
   * Epochs whose slashings count together in the second penalty of a slashed validator, which comes half of this later.
   */
  epochsPerSlashingsVector: number
  /** With a terminal difficulty of 0 the chain has execution payloads from the fork `bellatrix` on. */
  mergedAtFork: boolean
  /** The epochs from which forks hold; null where one is not known or not planned. */
  forkEpochs: { altair: number | null; bellatrix: number | null; capella: number | null; electra: number | null }
  /** On the execution chain; null where the node does not say. */
  depositContract: string | null
  /** The number of the execution chain's network; null likewise. */
  depositChainId: bigint | null
  /** By the epoch from which they hold, ascending. */
  slashing: readonly SlashingTerms[]
}

/** What being slashed costs from a fork on. */
export type SlashingTerms = { fromEpoch: number; minPenaltyQuotient: bigint; proportionalMultiplier: bigint }

export const specRequest: BeaconRequest<BeaconSpec> = {
  name: 'config/spec',
  path: '/eth/v1/config/spec',
  parse({ data }) {
    const fields = parseFields(data, 'spec')
    const integer = (name: string) => parseInteger(fields[name], name)
    return {
      secondsPerSlot: secondsPerSlot(fields),
      slotsPerEpoch: integer('SLOTS_PER_EPOCH'),
      epochsPerSyncCommitteePeriod: integer('EPOCHS_PER_SYNC_COMMITTEE_PERIOD'),
      effectiveBalanceIncrementGwei: parseAmount(fields['EFFECTIVE_BALANCE_INCREMENT'], 'EFFECTIVE_BALANCE_INCREMENT'),
      epochsPerSlashingsVector: integer('EPOCHS_PER_SLASHINGS_VECTOR'),
      mergedAtFork: String(fields['TERMINAL_TOTAL_DIFFICULTY']) === '0',
      forkEpochs: {
        altair: forkEpoch(fields, 'ALTAIR'),
        bellatrix: forkEpoch(fields, 'BELLATRIX'),
        capella: forkEpoch(fields, 'CAPELLA'),
        electra: forkEpoch(fields, 'ELECTRA'),
      },
      depositContract: depositContract(fields),
      depositChainId:
        fields['DEPOSIT_CHAIN_ID'] === undefined ? null : parseAmount(fields['DEPOSIT_CHAIN_ID'], 'DEPOSIT_CHAIN_ID'),
      slashing: slashingTerms(fields),
    }
  },
}

/**
 * Prefers `SLOT_DURATION_MS`, which replaces `SECONDS_PER_SLOT`. Rejects fractions of a second: such slots have no Unix
 * time.
 */
function secondsPerSlot(fields: Fields): number {
  const ms = fields['SLOT_DURATION_MS']
  const seconds = ms === undefined ? parseInteger(fields['SECONDS_PER_SLOT'], 'SECONDS_PER_SLOT') : parseMs(ms)
  if (seconds === 0) throw invalidValue('the duration of a slot', seconds)
  return seconds
}

function parseMs(value: unknown): number {
  const ms = parseInteger(value, 'SLOT_DURATION_MS')
  if (ms % 1_000 !== 0) throw invalidValue('SLOT_DURATION_MS', value)
  return ms / 1_000
}

function forkEpoch(fields: Fields, fork: (typeof FORKS)[number]): number | null {
  if (fork === 'PHASE0') return 0
  const name = `${fork}_FORK_EPOCH`
  return fields[name] === undefined ? null : parseEpoch(fields[name], name)
}

function depositContract(fields: Fields): string | null {
  const name = 'DEPOSIT_CONTRACT_ADDRESS'
  return fields[name] === undefined ? null : parseHex(fields[name], name, 20)
}

function slashingTerms(fields: Fields): SlashingTerms[] {
  const terms: SlashingTerms[] = []
  for (const fork of FORKS) {
    const fromEpoch = forkEpoch(fields, fork)
    if (fromEpoch === null) continue
    const constant = (name: string, before: bigint | undefined) => {
      const full = fork === 'PHASE0' ? name : `${name}_${fork}`
      return before !== undefined && fields[full] === undefined ? before : parseAmount(fields[full], full)
    }
    const before = terms.at(-1)
    terms.push({
      fromEpoch,
      minPenaltyQuotient: constant('MIN_SLASHING_PENALTY_QUOTIENT', before?.minPenaltyQuotient),
      proportionalMultiplier: constant('PROPORTIONAL_SLASHING_MULTIPLIER', before?.proportionalMultiplier),
    })
  }
  return terms
}

/** The newest checkpoint that is final: the root of the last block before its epoch, or of the epoch's first slot. */
export type Checkpoint = { epoch: number; root: string }

export const finalityRequest: BeaconRequest<Checkpoint> = {
  name: 'finality_checkpoints',
  path: '/eth/v1/beacon/states/head/finality_checkpoints',
  parse({ data }) {
    const { finalized } = parseFields(data, 'finality_checkpoints')
    const fields = parseFields(finalized, 'finalized')
    return {
      epoch: parseInteger(fields['epoch'], 'finalized.epoch'),
      root: parseHex(fields['root'], 'finalized.root', 32),
    }
  },
}

/** Whether the node reports to be syncing, and how many slots it is behind. */
export const syncingRequest: BeaconRequest<{ isSyncing: boolean; behindSlots: number }> = {
  name: 'syncing',
  path: '/eth/v1/node/syncing',
  parse({ data }) {
    const fields = parseFields(data, 'syncing')
    return {
      isSyncing: fields['is_syncing'] === true,
      behindSlots: parseInteger(fields['sync_distance'], 'sync_distance'),
    }
  },
}

/** What the node calls itself, e.g. `Lighthouse/v8.0.0-a1b2c3d/x86_64-linux`. */
export const nodeVersionRequest: BeaconRequest<string> = {
  name: 'node/version',
  path: '/eth/v1/node/version',
  parse: ({ data }) => String(parseFields(data, 'node/version')['version']),
  notFound: () => '',
}
