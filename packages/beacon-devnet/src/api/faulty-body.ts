import type { Faults } from '../faults.ts'

type Row = { validator_index: string; reward: string }

const WHOLE_BALANCE_GWEI = 32_000_000_000

const syncReward = (kind: NonNullable<Faults['syncRewards']>, { reward }: Row): string =>
  kind === 'fractional' ? `${reward}.48828125` : String(WHOLE_BALANCE_GWEI + Number(reward))

const fractions = (rows: readonly Record<string, string>[]) =>
  rows.map((row) => ({ ...row, source: `${row['source']}.5` }))

export const faultyBody = (path: string, body: string, faults: Faults): string => {
  const { syncRewards, attestationRewards } = faults
  if (syncRewards && path.startsWith('/eth/v1/beacon/rewards/sync_committee/')) {
    const json = JSON.parse(body) as { data: Row[] }
    return JSON.stringify({ ...json, data: json.data.map((row) => ({ ...row, reward: syncReward(syncRewards, row) })) })
  }
  if (attestationRewards === 'fractional' && path.startsWith('/eth/v1/beacon/rewards/attestations/')) {
    const json = JSON.parse(body) as { data: { total_rewards: Record<string, string>[] } }
    return JSON.stringify({ ...json, data: { ...json.data, total_rewards: fractions(json.data.total_rewards) } })
  }
  return body
}
