import type { ValidatorEpoch } from '../../src/domain/validator-epoch.ts'
import type { ValidatorSums } from '../../src/features/validators/validator-store.ts'

const NOTHING: ValidatorSums = {
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
export function addUp(rows: readonly ValidatorSums[], last: ValidatorSums | null | undefined): ValidatorSums {
  const names = Object.keys(NOTHING) as (keyof ValidatorSums)[]
  const sums = names.map((name) =>
    typeof NOTHING[name] === 'bigint'
      ? [name, rows.reduce((sum, row) => sum + BigInt(row[name]), 0n)]
      : [name, rows.reduce((sum, row) => sum + Number(row[name]), 0)],
  )
  return { ...Object.fromEntries(sums), effectiveBalanceGwei: last?.effectiveBalanceGwei ?? 0n }
}
