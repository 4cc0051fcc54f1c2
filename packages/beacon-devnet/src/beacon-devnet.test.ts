import { afterEach, describe, expect, inject, it } from 'vitest'
import { type BeaconDevnet, startBeaconDevnet } from './beacon-devnet.ts'
import type { BeaconDevnetOptions } from './options.ts'
import type { Scenario } from './slot-plan.ts'

const SLOTS_PER_EPOCH = 8
const ETH = 1_000_000_000
const FORKS = ['capella', 'deneb', 'electra', 'fulu'] as const

let running: BeaconDevnet[] = []

const start = async (options: BeaconDevnetOptions): Promise<BeaconDevnet> => {
  const devnet = await startBeaconDevnet(options)
  running.push(devnet)
  return devnet
}

afterEach(async () => {
  await Promise.all(running.map((devnet) => devnet.stop()))
  running = []
})

const read = async <T>(devnet: BeaconDevnet, path: string, body?: unknown): Promise<T> => {
  const response = await fetch(`${devnet.beacon}${path}`, {
    ...(body !== undefined && {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return ((await response.json()) as { data: T }).data
}

type Attestation = { validator_index: string; head: string; target: string; source: string; inactivity: string }

const sumOf = (values: readonly bigint[]): bigint => values.reduce((sum, value) => sum + value, 0n)
const near = (one: bigint, other: bigint, most: bigint) => {
  const apart = one > other ? one - other : other - one
  return apart <= most
}

/** Rewards and penalties from an epoch's blocks by validator, according to the API's rewards. */
const rewardsOfBlocks = async (devnet: BeaconDevnet, epoch: number): Promise<Map<number, bigint>> => {
  const earned = new Map<number, bigint>()
  const add = (index: string, gwei: string) =>
    earned.set(Number(index), (earned.get(Number(index)) ?? 0n) + BigInt(gwei))
  for (let slot = epoch * SLOTS_PER_EPOCH; slot < (epoch + 1) * SLOTS_PER_EPOCH; slot++) {
    const header = await fetch(`${devnet.beacon}/eth/v1/beacon/headers/${slot}`)
    if (header.status === 404) continue
    const block = await read<{ proposer_index: string; total: string }>(devnet, `/eth/v1/beacon/rewards/blocks/${slot}`)
    add(block.proposer_index, block.total)
    const path = `/eth/v1/beacon/rewards/sync_committee/${slot}`
    for (const { validator_index, reward } of await read<{ validator_index: string; reward: string }[]>(
      devnet,
      path,
      [],
    )) {
      add(validator_index, reward)
    }
  }
  return earned
}

const EPOCHS = 22

const SCENARIO: Scenario = [
  { from: 3, missed: true },
  { from: 1, to: 200, offline: [5, 6], syncOffline: [7, 8] },
  { from: 30, to: 40, wrongHead: [9], wrongTarget: [10] },
  // An inactivity leak starts with the fifth epoch without finality.
  { from: 64, to: 136, absent: Array.from({ length: 24 }, (_, at) => 40 + at) },
  {
    from: 12,
    deposits: [
      { key: 64, amountGwei: 32 * ETH },
      { key: 3, amountGwei: ETH },
    ],
  },
]

describe('a local beacon chain', () => {
  it('is the same chain for the same options and scenario', async () => {
    const [one, other] = await Promise.all([start({ validators: 64 }), start({ validators: 64 })])
    const [first, second] = await Promise.all([one.play(SCENARIO, 60), other.play(SCENARIO, 60)])
    expect(first).toEqual(second)
    expect(first).toMatchObject({ slot: 60, epoch: 7, finalizedEpoch: 5 })
  })

  it('ends with another head when its blocks are others', async () => {
    const [one, other] = await Promise.all([start({ validators: 64 }), start({ validators: 64 })])
    const [first, second] = await Promise.all([one.advance(9), other.play([{ from: 9, missed: true }], 9)])
    expect(first.blockRoot).not.toBe(second.blockRoot)
    const parent = (devnet: BeaconDevnet) => read(devnet, '/eth/v1/beacon/blocks/8/root')
    expect(await parent(one)).toEqual(await parent(other))
  })

  it.each(FORKS.slice(inject('deep') ? 0 : -1))(
    'pays in %s what the API says, to within 3 gwei an epoch',
    async (fork) => {
      const devnet = await start({ validators: 64, fork, presetValues: { EPOCHS_PER_ETH1_VOTING_PERIOD: 1 } })
      await devnet.play(SCENARIO, EPOCHS * SLOTS_PER_EPOCH)
      const epochs = await devnet.truth()
      expect(epochs).toHaveLength(EPOCHS)
      expect(epochs.flatMap(({ deposits }) => deposits)).toHaveLength(2)
      for (const { epoch, startGwei, endGwei, withdrawals, deposits } of epochs.slice(1, -2)) {
        const ofBlocks = await rewardsOfBlocks(devnet, epoch)
        const voted = await read<{ total_rewards: Attestation[] }>(
          devnet,
          `/eth/v1/beacon/rewards/attestations/${epoch - 1}`,
          [],
        )
        const after = epochs[epoch + 1]
        startGwei.forEach((before, index) => {
          const paidOut = sumOf(withdrawals.filter((one) => one.validatorIndex === index).map((one) => one.amountGwei))
          const added = (all: typeof deposits, by: string) =>
            sumOf(all.filter((one) => one.validatorIndex === index && one.by === by).map((one) => one.amountGwei))
          const inBlocks = (ofBlocks.get(index) ?? 0n) + added(deposits, 'block') - paidOut
          expect((endGwei[index] ?? 0n) - before).toBe(inBlocks)
          const vote = voted.total_rewards.find((one) => Number(one.validator_index) === index)
          const forVotes = vote ? sumOf([vote.head, vote.target, vote.source, vote.inactivity].map(BigInt)) : 0n
          const atTransition = forVotes + added(after?.deposits ?? [], 'transition')
          const change = (after?.startGwei[index] ?? 0n) - (endGwei[index] ?? 0n)
          expect(near(change, atTransition, 3n), `validator ${index}, epoch ${epoch}: ${change}, ${atTransition}`).toBe(
            true,
          )
        })
      }
    },
  )

  it('goes through forks, and has deposits of before Electra reach it', async () => {
    const devnet = await start({
      validators: 64,
      fork: 'capella',
      forkEpochs: { deneb: 3, electra: 6, fulu: 14 },
      presetValues: { EPOCHS_PER_ETH1_VOTING_PERIOD: 1 },
    })
    const deposit = (key: number, eth: number) => ({ key, amountGwei: eth * ETH })
    const scenario: Scenario = [
      { from: 10, deposits: [deposit(64, 32)] },
      { from: 47, deposits: [deposit(65, 32), deposit(1, 1)] },
      { from: 52, deposits: [deposit(66, 32)] },
      { from: 120, deposits: [deposit(67, 32)] },
    ]
    const { finalizedEpoch } = await devnet.play(scenario, 20 * SLOTS_PER_EPOCH)
    expect(finalizedEpoch).toBe(18)
    const versions = await Promise.all(
      [20, 40, 80, 120].map(async (slot) => {
        const { headers } = await fetch(`${devnet.beacon}/eth/v2/beacon/blocks/${slot}`)
        return headers.get('eth-consensus-version')
      }),
    )
    expect(versions).toEqual(['capella', 'deneb', 'electra', 'fulu'])
    const applied = (await devnet.truth()).flatMap(({ deposits }) => deposits)
    expect(applied.map(({ validatorIndex, by }) => [validatorIndex, by])).toEqual([
      [64, 'block'],
      [65, 'transition'],
      [1, 'transition'],
      [66, 'transition'],
      [67, 'transition'],
    ])
  })
})
