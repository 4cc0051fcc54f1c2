import type { ValidatorDetails, ValidatorRewardSummary } from '@coffer/contract'
import { cut } from './table.ts'

const WEI_DECIMALS = 18
const SHOWN_DECIMALS = 9

/** An amount of wei in ETH. */
function eth(wei: string): string {
  const [, sign, digits] = /^(-?)(\d+)$/.exec(wei) ?? []
  const padded = (digits ?? '0').padStart(WEI_DECIMALS + 1, '0')
  return `${sign}${cut(`${padded.slice(0, -WEI_DECIMALS)}.${padded.slice(-WEI_DECIMALS)}`, SHOWN_DECIMALS)} ETH`
}

/** A validator as it is, for people. */
export function validatorLines({ validator, lifecycle, balance, withdrawalCredentials }: ValidatorDetails): string[] {
  const { address, prefix } = withdrawalCredentials
  return [
    `Validator ${validator.index}, ${validator.status}${validator.slashed ? ', slashed' : ''}`,
    `  active since epoch ${lifecycle.activationEpoch ?? '–'}, exited in ${lifecycle.exitEpoch ?? '–'}`,
    `  balance ${eth(balance.actual)}, effective ${eth(balance.effective)}`,
    `  credentials of prefix ${prefix}${address ? `: withdrawals to ${address}` : ''}`,
  ]
}

/** What a validator earned in a bucket, for people. */
export function rewardLines(bucket: ValidatorRewardSummary): string[] {
  const of = (done: number, missed: number) => `${done} of ${done + missed}`
  const { consensusEfficiency: efficiency } = bucket
  return [
    `Epochs ${bucket.epochStart} to ${bucket.epochEnd}, ${bucket.dateStart}`,
    `  consensus   ${eth(bucket.consensusReward)} of ${eth(bucket.consensusPotentialReward)}${
      efficiency === null ? '' : ` (${(efficiency * 100).toFixed(2)} %)`
    }`,
    `  execution   ${eth(bucket.executionReward)}, ${bucket.mevBlocks} of its blocks by builders`,
    `  votes       ${of(bucket.attestationsIncluded, bucket.attestationsMissed)}`,
    `  sync duty   ${of(bucket.syncParticipations, bucket.syncMissed)}`,
    `  blocks      ${of(bucket.proposedBlocks, bucket.missedBlocks)}`,
  ]
}
