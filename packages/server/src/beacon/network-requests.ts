import {
  type BeaconRequest,
  type Fields,
  invalidValue,
  parseAmount,
  parseEpoch,
  parseFields,
  parseHex,
  parseInteger,
} from './beacon-request.ts'

type BeaconGenesis = {
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

/** In order. A constant that a fork omits keeps its value. */
const FORKS = ['PHASE0', 'ALTAIR', 'BELLATRIX', 'CAPELLA', 'DENEB', 'ELECTRA', 'FULU'] as const

export type BeaconSpec = {
  secondsPerSlot: number
  slotsPerEpoch: number
  epochsPerSyncCommitteePeriod: number
  effectiveBalanceIncrementGwei: bigint
  /** Slashings in this window count together in the second penalty. */
  epochsPerSlashingsVector: number
  /** Payloads start with `bellatrix`: terminal difficulty is 0. */
  mergedAtFork: boolean
  /** Null: unknown or not planned. */
  forkEpochs: { altair: number | null; bellatrix: number | null; capella: number | null; electra: number | null }
  /** On the execution chain; null: not reported. */
  depositContract: string | null
  depositChainId: bigint | null
  /** Ascending by `fromEpoch`. */
  slashing: readonly SlashingTerms[]
}

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

/** Prefers `SLOT_DURATION_MS`, which replaces `SECONDS_PER_SLOT`. Rejects fractions: such slots have no Unix time. */
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

/** `root`: the last block up to the epoch's first slot. */
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

export const nodeVersionRequest: BeaconRequest<string> = {
  name: 'node/version',
  path: '/eth/v1/node/version',
  parse: ({ data }) => String(parseFields(data, 'node/version')['version']),
  notFound: () => '',
}
