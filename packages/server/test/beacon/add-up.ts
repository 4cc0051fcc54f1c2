import { type BeaconTimes, type EpochRange, epochsOfPeriod, firstEpochFrom } from '../../src/domain/beacon-time.ts'
import type { ValidatorEpoch } from '../../src/domain/validator-epoch.ts'
import type { Outcome } from '../../src/features/validators/registry/outcome-chunk.ts'

export const NOTHING: Outcome = {
  ...{ attestationGwei: 0n, attestationIdealGwei: 0n, effectiveBalanceGwei: 0n, slashingGwei: 0n },
  ...{ syncGwei: 0n, syncPotentialGwei: 0n, proposalGwei: 0n, proposalPotentialGwei: 0n, tipsWei: 0n, mevWei: 0n },
  ...{ attestationsIncluded: 0, attestationsMissed: 0, syncParticipations: 0, syncMissed: 0 },
  ...{ proposedBlocks: 0, missedBlocks: 0, mevBlocks: 0 },
}

/** An attestation that earned most of what it could, and nothing else. */
export function epochRow(validatorIndex: number, epoch: number, of: Partial<ValidatorEpoch> = {}): ValidatorEpoch {
  return {
    ...{ ...NOTHING, validatorIndex, epoch, attestationGwei: 9_000n, attestationIdealGwei: 10_000n },
    ...{ attestationsIncluded: 1, effectiveBalanceGwei: 32_000_000_000n, ...of },
  }
}

/** The effective balance is that of the last epoch. */
export function addUp(rows: readonly Outcome[], last: Outcome | null | undefined): Outcome {
  const names = Object.keys(NOTHING) as (keyof Outcome)[]
  const sums = names.map((name) =>
    typeof NOTHING[name] === 'bigint'
      ? [name, rows.reduce((sum, row) => sum + BigInt(row[name]), 0n)]
      : [name, rows.reduce((sum, row) => sum + Number(row[name]), 0)],
  )
  return { ...Object.fromEntries(sums), effectiveBalanceGwei: last?.effectiveBalanceGwei ?? 0n }
}

/** Days of 25 epochs, from noon on. */
export const TIMES: BeaconTimes = { genesisTime: 1_700_006_400 - 43_200, secondsPerSlot: 108, slotsPerEpoch: 32 }
export const FIRST_WHOLE_DAY = epochsOfPeriod(TIMES, 'day', firstEpochFrom(TIMES, 1_700_006_400))

export const range = (fromEpoch: number, toEpoch: number): EpochRange => ({ fromEpoch, toEpoch })

export const epochsOf = ({ fromEpoch, toEpoch }: EpochRange) =>
  Array.from({ length: toEpoch - fromEpoch + 1 }, (_, i) => fromEpoch + i)

export const pubkeyOf = (index: number) => `0x${index.toString(16).padStart(96, '0')}`
