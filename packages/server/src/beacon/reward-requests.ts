import {
  type BeaconAnswer,
  type BeaconRequest,
  type Fields,
  invalidValue,
  parseAmount,
  parseFields,
  parseInteger,
  parseList,
  parseSigned,
} from './beacon-request.ts'

/** Negative for penalties. */
export type AttestationReward = {
  headGwei: bigint
  targetGwei: bigint
  sourceGwei: bigint
  inactivityGwei: bigint
  /** Zero since Altair. */
  inclusionDelayGwei: bigint
}

export type AttestationRewards = {
  /** By effective balance in gwei: those that occur, or all possible ones. */
  ideal: ReadonlyMap<bigint, AttestationReward>
  total: ReadonlyMap<number, AttestationReward>
}

/** Over 100 bytes for each of a million validators. */
const ALL_VALIDATORS_BYTES = 300_000_000

/** Requests all validators if `indices` is empty. */
export function attestationRewardsRequest(
  epoch: number,
  indices: readonly number[],
): BeaconRequest<AttestationRewards> {
  return {
    name: 'rewards/attestations',
    path: `/eth/v1/beacon/rewards/attestations/${epoch}`,
    body: indices.map(String),
    parse: parseRewards,
    past: true,
    ...(indices.length === 0 && { maxBytes: ALL_VALIDATORS_BYTES }),
  }
}

/** Shares equal rewards: most of a million validators earned the same. */
function parseRewards({ data }: BeaconAnswer): AttestationRewards {
  const known = new Map<string, AttestationReward>()
  const rewardOf = (fields: Fields, where: string): AttestationReward => {
    const key = `${fields['head']} ${fields['target']} ${fields['source']} ${fields['inactivity']} ${fields['inclusion_delay']}`
    const reward = known.get(key) ?? parseReward(fields, where)
    known.set(key, reward)
    return reward
  }
  const lists = parseFields(data, 'rewards')
  const ideal = parseList(lists['ideal_rewards'], 'ideal_rewards', (value, where): [bigint, AttestationReward] => {
    const fields = parseFields(value, where)
    return [parseAmount(fields['effective_balance'], 'effective_balance'), rewardOf(fields, where)]
  })
  const total = parseList(lists['total_rewards'], 'total_rewards', (value, where): [number, AttestationReward] => {
    const fields = parseFields(value, where)
    return [parseInteger(fields['validator_index'], 'validator_index'), rewardOf(fields, where)]
  })
  return { ideal: new Map(ideal), total: new Map(total) }
}

function parseReward(fields: Fields, where: string): AttestationReward {
  return {
    headGwei: parseSigned(fields['head'], `${where}.head`),
    targetGwei: parseSigned(fields['target'], `${where}.target`),
    sourceGwei: parseSigned(fields['source'], `${where}.source`),
    inactivityGwei: parseSigned(fields['inactivity'] ?? '0', `${where}.inactivity`),
    inclusionDelayGwei: parseSigned(fields['inclusion_delay'] ?? '0', `${where}.inclusion_delay`),
  }
}

/** 0.1 ETH, ten thousand times the real reward: some nodes answer with whole balances. */
const ABSURD_SYNC_GWEI = 100_000_000n

export function syncRewardsRequest(slot: number, indices: readonly number[]): BeaconRequest<Map<number, bigint>> {
  return {
    name: 'rewards/sync_committee',
    path: `/eth/v1/beacon/rewards/sync_committee/${slot}`,
    body: indices.map(String),
    parse({ data }) {
      const rewards = new Map<number, bigint>()
      parseList(data, 'rewards/sync_committee', (value, where) => {
        const fields = parseFields(value, where)
        const reward = parseSigned(fields['reward'], `${where}.reward`)
        if (reward > ABSURD_SYNC_GWEI || reward < -ABSURD_SYNC_GWEI)
          throw invalidValue(`${where}.reward`, fields['reward'])
        const index = parseInteger(fields['validator_index'], 'validator_index')
        rewards.set(index, (rewards.get(index) ?? 0n) + reward)
      })
      return rewards
    },
    past: true,
  }
}

/** Beacon chain only. */
export function blockRewardRequest(slot: number): BeaconRequest<{ proposerIndex: number; totalGwei: bigint }> {
  return {
    name: 'rewards/blocks',
    path: `/eth/v1/beacon/rewards/blocks/${slot}`,
    parse({ data }) {
      const fields = parseFields(data, 'rewards/blocks')
      return {
        proposerIndex: parseInteger(fields['proposer_index'], 'proposer_index'),
        totalGwei: parseSigned(fields['total'], 'rewards/blocks.total'),
      }
    },
    past: true,
  }
}
