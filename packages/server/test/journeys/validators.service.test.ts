import { type BeaconDevnet, LIVES, type Lives, lives, livesIncome, startBeaconDevnet } from '@coffer/beacon-devnet'
import type { ValidatorDetails, ValidatorRewardSummary } from '@coffer/contract'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startService, type TestService } from '../harness.ts'
import { sized } from '../sized.ts'
import { type ValidatorTruth, validatorTruth } from './validator-truth.ts'

const WEI_PER_GWEI = 10n ** 9n
/** Nodes round each epoch's rewards. */
const TOLERANCE_GWEI = 3n
/** Sunday, 2024-06-30: a day, a week and a month end with it. */
const GENESIS_TIME = Date.UTC(2024, 5, 30, 5) / 1_000

/** The short chain has long slots, so that it has whole days. */
const CHAIN = sized({
  small: { lives: { epochs: 26, preset: 'minimal', fork: 'fulu', execution: true }, secondsPerSlot: 1_200 },
  deep: { lives: { epochs: 450, preset: 'mainnet', fork: 'fulu', execution: true }, secondsPerSlot: 12 },
} as const)
const INDEXED_WITHIN_MS = sized({ small: 60_000, deep: 3_000_000 })

/** As the Beacon API lists it. */
type Listed = {
  index: string
  balance: string
  status: string
  validator: {
    pubkey: string
    withdrawal_credentials: string
    effective_balance: string
    slashed: boolean
    activation_epoch: string
    exit_epoch: string
    withdrawable_epoch: string
  }
}

type Page = {
  data: ValidatorRewardSummary[]
  offset: number
  limit: number
  totalRows: number
  pages: number
}

const GRANULARITIES = ['epoch', 'day', 'week', 'month'] as const

describe('a chain on which everything happens to validators', () => {
  const { secondsPerSlot } = CHAIN
  let played: Lives
  let devnet: BeaconDevnet
  let service: TestService
  let truth: ValidatorTruth
  let validators: Listed[]
  /** Of the last epoch whose rewards count. */
  let lastEpoch: number

  beforeAll(async () => {
    played = lives(CHAIN.lives)
    devnet = await startBeaconDevnet({
      ...played.options,
      genesisTime: GENESIS_TIME,
      secondsPerSlot,
      keepStatesEpochs: 64,
    })
    service = await startService({
      endpoints: { ethereum: [devnet.execution] },
      env: { COFFER_BEACON_URL: devnet.beacon },
    })
  })
  afterAll(async () => {
    await service?.stop()
    await devnet?.stop()
  })

  const listed = async (query = ''): Promise<Listed[]> => {
    const response = await fetch(`${devnet.beacon}/eth/v1/beacon/states/head/validators${query}`)
    return ((await response.json()) as { data: Listed[] }).data
  }

  const secondsPerEpoch = () => played.slotsPerEpoch * secondsPerSlot

  const details = async (by: string) => {
    const { status, text } = await service.get(`/v1/beacon/validators/details/${by}`)
    expect(status, text).toBe(200)
    return JSON.parse(text) as ValidatorDetails
  }

  /** What the service has to show for a validator in this epoch. */
  const shown = ({ index, balance, status, validator }: Listed, epoch: number) => {
    const reached = (value: string) => (BigInt(value) <= BigInt(epoch) ? Number(value) : null)
    const activationEpoch = reached(validator.activation_epoch)
    const credential = validator.withdrawal_credentials
    const prefix = Number(BigInt(credential) >> 248n)
    return {
      validator: {
        index: Number(index),
        pubkey: validator.pubkey,
        slashed: validator.slashed,
        status: status.startsWith('pending') ? 'pending' : status,
      },
      lifecycle: {
        activationEpoch,
        activationTimestamp: activationEpoch === null ? null : GENESIS_TIME + activationEpoch * secondsPerEpoch(),
        exitEpoch: reached(validator.exit_epoch),
        withdrawableEpoch: reached(validator.withdrawable_epoch),
      },
      balance: {
        actual: String(BigInt(balance) * WEI_PER_GWEI),
        effective: String(BigInt(validator.effective_balance) * WEI_PER_GWEI),
      },
      withdrawalCredentials: { prefix, credential, ...(prefix === 1 && { address: `0x${credential.slice(26)}` }) },
    }
  }

  it('shows every validator as it is in every epoch, in every status there is', async () => {
    const statuses = new Map<number, string[]>()
    for (let epoch = 0; epoch < CHAIN.lives.epochs; epoch += 1) {
      await devnet.play(played.scenario, (epoch + 1) * played.slotsPerEpoch - 1)
      const all = await listed()
      const found = await Promise.all(all.map(({ index }) => details(`index/${index}`)))
      expect(found).toEqual(all.map((one) => shown(one, epoch)))
      for (const { validator } of found) {
        const had = statuses.get(validator.index) ?? []
        if (had.at(-1) !== validator.status) statuses.set(validator.index, [...had, validator.status])
      }
    }
    const exited = ['active_ongoing', 'active_exiting', 'exited_unslashed', 'withdrawal_possible']
    expect(statuses.get(LIVES.exits)?.slice(0, 5)).toEqual([...exited, 'withdrawal_done'])
    expect(statuses.get(LIVES.exitsUnpaid)).toEqual(exited)
    expect(statuses.get(LIVES.slashedForVotes)).toEqual(['active_ongoing', 'active_slashed', 'exited_slashed'])
    for (const index of LIVES.deposited) expect(statuses.get(index)).toEqual(['pending', 'active_ongoing'])
    expect(new Set([...statuses.values()].flat()).size).toBe(8)
  })

  it('finds them by their public keys in any case', async () => {
    for (const { index, validator } of (await listed()).slice(0, 5)) {
      const expected = await details(`index/${index}`)
      expect(await details(`pubkey/${validator.pubkey}`)).toEqual(expected)
      expect(await details(`pubkey/0x${validator.pubkey.slice(2).toUpperCase()}`)).toEqual(expected)
    }
  })

  const page = async (index: string, query: Record<string, string | number>): Promise<Page & { complete: boolean }> => {
    const search = new URLSearchParams(query as Record<string, string>)
    const { status, headers, text } = await service.get(`/v1/beacon/validators/rewards/index/${index}?${search}`)
    expect(status, text).toBe(200)
    return { ...(JSON.parse(text) as Page), complete: headers.get('x-data-complete') === 'true' }
  }

  const wholeRange = {
    epoch: () => ({ rangeType: 'epoch', rangeFrom: 0, rangeTo: lastEpoch }),
    timestamp: () => ({
      rangeType: 'timestamp',
      rangeFrom: GENESIS_TIME,
      rangeTo: GENESIS_TIME + (lastEpoch + 1) * secondsPerEpoch() - 1,
    }),
  }

  it('indexes every validator that was asked for', async () => {
    await devnet.play(played.scenario, CHAIN.lives.epochs * played.slotsPerEpoch)
    const { finalizedEpoch } = await devnet.head()
    lastEpoch = finalizedEpoch - 2
    validators = await listed()
    // EIP-7251: three times what was slashed (32, 32 and 40 ETH) over what is active, for each of 32 effective ETH.
    const penaltyEpoch = Math.round(CHAIN.lives.epochs * 0.3)
    const endSlot = (penaltyEpoch + 1) * played.slotsPerEpoch - 1
    const response = await fetch(`${devnet.beacon}/eth/v1/beacon/states/${endSlot}/validators?status=active`)
    const active = ((await response.json()) as { data: Listed[] }).data
    const activeEth = active.reduce(
      (total, { validator }) => total + BigInt(validator.effective_balance) / WEI_PER_GWEI,
      0n,
    )
    const gwei = ((3n * (32n + 32n + 40n) * WEI_PER_GWEI) / activeEth) * 32n
    truth = await validatorTruth(devnet, { index: LIVES.slashedBefore, epoch: penaltyEpoch, gwei })
    expect(truth.lastEpoch).toBeGreaterThanOrEqual(lastEpoch)

    const isComplete = async ({ index }: Listed) =>
      (await page(index, { ...wholeRange.epoch(), granularity: 'month' })).complete
    await Promise.all(validators.map(isComplete))
    await vi.waitFor(async () => expect(await Promise.all(validators.map(isComplete))).not.toContain(false), {
      timeout: INDEXED_WITHIN_MS,
      interval: 200,
    })
  })

  /** All buckets of a range, by pages of this size. */
  const buckets = async (index: string, query: Record<string, string | number>, limit: number) => {
    const rows: ValidatorRewardSummary[] = []
    for (let offset = 0; ; offset += limit) {
      const { data, complete, ...place } = await page(index, { ...query, offset, limit })
      expect(complete).toBe(true)
      expect(place).toEqual({
        offset,
        limit,
        totalRows: place.totalRows,
        pages: Math.ceil(place.totalRows / limit),
      })
      rows.push(...data)
      if (offset + limit >= place.totalRows) {
        expect(rows).toHaveLength(place.totalRows)
        return rows
      }
    }
  }

  const earnedWithin = (index: number, from: number, to: number) => {
    let total = 0n
    for (let epoch = from; epoch <= to; epoch += 1) total += truth.earned(index, epoch)
    return total
  }

  const distance = (a: bigint, b: bigint) => (a > b ? a - b : b - a)

  const COUNTED = [
    'attestationsIncluded',
    'attestationsMissed',
    'syncParticipations',
    'syncMissed',
    'proposedBlocks',
    'missedBlocks',
    'mevBlocks',
  ] as const
  const totals = (rows: readonly ValidatorRewardSummary[]) => ({
    ...Object.fromEntries(COUNTED.map((name) => [name, rows.reduce((total, row) => total + row[name], 0)])),
    reward: rows.reduce((total, row) => total + BigInt(row.consensusReward), 0n),
    potential: rows.reduce((total, row) => total + BigInt(row.consensusPotentialReward), 0n),
    execution: rows.reduce((total, row) => total + BigInt(row.executionReward), 0n),
  })

  let worstGwei = 0n

  /** Buckets lie side by side from the last epoch down to the first, and each is what the balance says. */
  const expectTruth = ({ index: name, validator }: Listed, rows: readonly ValidatorRewardSummary[]) => {
    const index = Number(name)
    const isActive = (epoch: number) =>
      BigInt(validator.activation_epoch) <= BigInt(epoch) && BigInt(epoch) < BigInt(validator.exit_epoch)
    let next = lastEpoch
    for (const { epochStart, epochEnd, consensusReward, endEffectiveBalance } of rows) {
      expect(epochEnd).toBe(next)
      next = epochStart - 1
      const expected = earnedWithin(index, epochStart, epochEnd)
      const apart = distance(BigInt(consensusReward), expected * WEI_PER_GWEI) / WEI_PER_GWEI
      const where = `validator ${index}, epochs ${epochStart} to ${epochEnd}: ${consensusReward} wei, ${expected} gwei`
      expect(apart <= TOLERANCE_GWEI * BigInt(epochEnd - epochStart + 1), where).toBe(true)
      const effective = truth.effectiveBalance(index, epochEnd) * WEI_PER_GWEI
      // Epochs in which there is nothing to earn are empty.
      expect(isActive(epochEnd) ? [effective] : [effective, 0n], where).toContain(BigInt(endEffectiveBalance))
      if (epochStart === epochEnd && apart > worstGwei) worstGwei = apart
    }
    expect(next).toBe(-1)
  }

  it('tells what each earned as its balance changed, in every granularity and by both kinds of ranges', async () => {
    const ranges = [wholeRange.epoch(), wholeRange.timestamp()]
    for (const validator of validators) {
      const sums: ReturnType<typeof totals>[] = []
      for (const query of GRANULARITIES.flatMap((granularity) => ranges.map((range) => ({ ...range, granularity })))) {
        const rows = await buckets(validator.index, query, query.granularity === 'epoch' ? 10 : 2)
        expectTruth(validator, rows)
        sums.push(totals(rows))
      }
      for (const sum of sums) expect(sum).toEqual(sums[0])
    }
    console.log(`at most ${worstGwei} gwei in an epoch from what the balance says`)
  })

  it('counts every block and every seat of the sync committee once, and every vote of those who had one', async () => {
    const rows = await Promise.all(
      validators.map(({ index }) => buckets(index, { ...wholeRange.epoch(), granularity: 'month' }, 10)),
    )
    const all = totals(rows.flat()) as Record<string, unknown>
    let blocks = 0
    for (let slot = 1; slot < (lastEpoch + 1) * played.slotsPerEpoch; slot += 1) {
      const { status } = await fetch(`${devnet.beacon}/eth/v1/beacon/headers/${slot}`)
      if (status === 200) blocks += 1
    }
    const seats = { minimal: 32, mainnet: 512 }[CHAIN.lives.preset]
    expect(all['proposedBlocks']).toBe(blocks)
    expect(all['missedBlocks']).toBe((lastEpoch + 1) * played.slotsPerEpoch - 1 - blocks)
    expect(Number(all['syncParticipations']) + Number(all['syncMissed'])).toBe(seats * blocks)
    validators.forEach(({ index, validator }, at) => {
      const [from, to] = [validator.activation_epoch, validator.exit_epoch].map((epoch) =>
        Math.min(Number(epoch), lastEpoch + 1),
      ) as [number, number]
      const { attestationsIncluded, attestationsMissed } = totals(rows[at] ?? []) as Record<string, unknown>
      expect(Number(attestationsIncluded) + Number(attestationsMissed), `validator ${index}`).toBe(to - from)
    })
    const missed = (index: number) =>
      Number((totals(rows[index] ?? []) as Record<string, unknown>)['attestationsMissed'])
    for (const index of LIVES.neverAttests) expect(missed(index)).toBe(lastEpoch + 1)
    expect(missed(1)).toBeLessThan(3)
  })

  it('tells what blocks paid their proposers on the execution chain', async () => {
    const due = new Map<string, { wei: bigint; built: number }>()
    for (let slot = 1; slot < (lastEpoch + 1) * played.slotsPerEpoch; slot += 1) {
      const response = await fetch(`${devnet.beacon}/eth/v1/beacon/headers/${slot}`)
      if (response.status === 404) continue
      const { data } = (await response.json()) as { data: { header: { message: { proposer_index: string } } } }
      const index = data.header.message.proposer_index
      const { wei, byBuilder } = livesIncome(slot)
      const had = due.get(index) ?? { wei: 0n, built: 0 }
      due.set(index, { wei: had.wei + wei, built: had.built + Number(byBuilder) })
    }
    for (const { index } of validators) {
      const { execution, ...counts } = totals(await buckets(index, { ...wholeRange.epoch(), granularity: 'month' }, 10))
      const { wei, built } = due.get(index) ?? { wei: 0n, built: 0 }
      expect([execution, (counts as Record<string, unknown>)['mevBlocks']], `validator ${index}`).toEqual([wei, built])
    }
  })
})
