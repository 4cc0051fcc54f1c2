import { type BeaconDevnet, LIVES, type Lives, lives, livesIncome, startBeaconDevnet } from '@coffer/beacon-devnet'
import type { ValidatorDetails, ValidatorRewardSummary } from '@coffer/contract'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { HANGS_MS } from '../hangs.ts'
import { startService, type TestService } from '../harness.ts'
import { sized } from '../sized.ts'
import { validatorLists } from './validator-lists.ts'
import { type ValidatorTruth, validatorTruth } from './validator-truth.ts'

const WEI_PER_GWEI = 10n ** 9n
/** Nodes round each epoch's rewards. */
const TOLERANCE_GWEI = 3n
/** Sunday, 2024-06-30: a day, a week and a month end with it. */
const GENESIS_TIME = Date.UTC(2024, 5, 30, 5) / 1_000

/** The short chains have long slots, so that they have whole days. */
type Chain = {
  epochs: number
  preset: 'minimal' | 'mainnet'
  fork: 'fulu' | 'deneb'
  /** Fork epoch of Electra, on a chain that begins before it. */
  electraEpoch?: number
  /** Indexed validators. */
  index: 'tracked' | 'all'
  secondsPerSlot: number
}
const CHAINS = sized<readonly Chain[]>({
  small: [{ epochs: 26, preset: 'minimal', fork: 'deneb', electraEpoch: 5, secondsPerSlot: 1_200, index: 'tracked' }],
  deep: [
    { epochs: 450, preset: 'mainnet', fork: 'fulu', secondsPerSlot: 12, index: 'tracked' },
    { epochs: 26, preset: 'minimal', fork: 'deneb', secondsPerSlot: 1_200, index: 'tracked' },
    { epochs: 26, preset: 'minimal', fork: 'deneb', electraEpoch: 5, secondsPerSlot: 1_200, index: 'tracked' },
    { epochs: 26, preset: 'minimal', fork: 'deneb', electraEpoch: 5, secondsPerSlot: 1_200, index: 'all' },
    { epochs: 26, preset: 'minimal', fork: 'fulu', secondsPerSlot: 1_200, index: 'all' },
  ],
})
const INDEXED_WITHIN_MS = sized({ small: HANGS_MS, deep: 3_000_000 })
const KEPT_STATES_EPOCHS = 8
const SYNC_COMMITTEE_SIZE = { minimal: 32, mainnet: 512 }
const GRANULARITIES = ['epoch', 'day', 'week', 'month'] as const
const COUNTED = [
  'attestationsIncluded',
  'attestationsMissed',
  'syncParticipations',
  'syncMissed',
  'proposedBlocks',
  'missedBlocks',
  'mevBlocks',
] as const

/** In the format of the Beacon API. */
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

/** Limited to deposits and proposer. */
type Block = {
  proposer_index: string
  body: {
    deposits: { data: { pubkey: string; amount: string } }[]
    execution_requests?: { deposits: { pubkey: string; amount: string }[] }
  }
}

/**
 * Three times the slashed over the active balance, for 32 ETH. From Electra on (EIP-7251) per ETH, before it in whole
 * ETH.
 */
const correlationGwei = (slashedEth: bigint, activeEth: bigint, isElectra: boolean): bigint =>
  isElectra
    ? ((3n * slashedEth * WEI_PER_GWEI) / activeEth) * 32n
    : ((32n * 3n * slashedEth) / activeEth) * WEI_PER_GWEI

const totals = (rows: readonly ValidatorRewardSummary[]) => {
  const count = (name: (typeof COUNTED)[number]) => rows.reduce((total, row) => total + row[name], 0)
  const amount = (name: 'consensusReward' | 'consensusPotentialReward' | 'executionReward') =>
    rows.reduce((total, row) => total + BigInt(row[name]), 0n)
  return {
    attestationsIncluded: count('attestationsIncluded'),
    attestationsMissed: count('attestationsMissed'),
    syncParticipations: count('syncParticipations'),
    syncMissed: count('syncMissed'),
    proposedBlocks: count('proposedBlocks'),
    missedBlocks: count('missedBlocks'),
    mevBlocks: count('mevBlocks'),
    reward: amount('consensusReward'),
    potential: amount('consensusPotentialReward'),
    execution: amount('executionReward'),
  }
}

const distance = (a: bigint, b: bigint) => (a > b ? a - b : b - a)

describe.each(CHAINS)(
  'validators to whom everything happens, $epochs epochs from $fork on, $index',
  ({ epochs, fork, electraEpoch, preset, secondsPerSlot, index: indexed }) => {
    let played: Lives
    let devnet: BeaconDevnet
    let service: TestService
    let lists: ReturnType<typeof validatorLists>
    let truth: ValidatorTruth
    let validators: Listed[]
    /** The last epoch with counting rewards. */
    let lastEpoch: number
    let finalSlot: number
    /** Slots without a block are absent. */
    let blocks: Map<number, Block>

    beforeAll(async () => {
      played = lives({ epochs, preset, fork, execution: true })
      devnet = await startBeaconDevnet({
        ...played.options,
        ...(electraEpoch !== undefined && { forkEpochs: { electra: electraEpoch } }),
        genesisTime: GENESIS_TIME,
        secondsPerSlot,
        keepStatesEpochs: KEPT_STATES_EPOCHS,
      })
      await start()
    })
    async function start(): Promise<void> {
      const env = { COFFER_BEACON_URL: devnet.beacon, COFFER_BEACON_INDEX: indexed }
      service = await startService({ endpoints: { ethereum: [devnet.execution] }, env })
      lists = validatorLists(service)
    }
    afterAll(async () => {
      await service?.stop()
      await devnet?.stop()
    })

    const read = async <T>(path: string): Promise<T | null> => {
      const response = await fetch(`${devnet.beacon}/eth${path}`)
      return response.status === 404 ? null : ((await response.json()) as { data: T }).data
    }
    const listed = async (state: string | number = 'head', query = '') =>
      (await read<Listed[]>(`/v1/beacon/states/${state}/validators${query}`)) ?? []

    const secondsPerEpoch = () => played.slotsPerEpoch * secondsPerSlot

    const details = async (by: string) => {
      const { status, text } = await service.get(`/v1/beacon/validators/details/${by}`)
      expect(status, text).toBe(200)
      return JSON.parse(text) as ValidatorDetails
    }

    /** The service's expected figures for a validator in this epoch. */
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

    it('are shown as they are in every epoch, in every status there is', async () => {
      const statuses = new Map<number, string[]>()
      for (let epoch = 0; epoch < epochs; epoch += 1) {
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

    it('are found by their public keys in any case', async () => {
      for (const { index, validator } of (await listed()).slice(0, 5)) {
        const expected = await details(`index/${index}`)
        expect(await details(`pubkey/${validator.pubkey}`)).toEqual(expected)
        expect(await details(`pubkey/0x${validator.pubkey.slice(2).toUpperCase()}`)).toEqual(expected)
      }
    })

    const wholeRange = {
      epoch: () => ({ rangeType: 'epoch', rangeFrom: 0, rangeTo: lastEpoch }),
      timestamp: () => ({
        rangeType: 'timestamp',
        rangeFrom: GENESIS_TIME,
        rangeTo: GENESIS_TIME + (lastEpoch + 1) * secondsPerEpoch() - 1,
      }),
    }
    const wholeMonths = () => ({ ...wholeRange.epoch(), granularity: 'month' })

    it(
      indexed === 'all' ? 'are indexed before they are asked for' : 'are indexed once they are asked for',
      async () => {
        await devnet.play(played.scenario, epochs * played.slotsPerEpoch)
        const { finalizedEpoch } = await devnet.head()
        lastEpoch = finalizedEpoch - 2
        finalSlot = finalizedEpoch * played.slotsPerEpoch
        validators = await listed()
        blocks = new Map()
        for (let slot = 1; slot <= finalSlot; slot += 1) {
          const block = await read<{ message: Block }>(`/v2/beacon/blocks/${slot}`)
          if (block) blocks.set(slot, block.message)
        }
        const penaltyEpoch = Math.round(epochs * 0.3)
        const active = await listed((penaltyEpoch + 1) * played.slotsPerEpoch - 1, '?status=active')
        const activeGwei = active.reduce((total, { validator }) => total + BigInt(validator.effective_balance), 0n)
        const isElectra = fork === 'fulu' || (electraEpoch !== undefined && electraEpoch <= penaltyEpoch)
        const gwei = correlationGwei(fork === 'fulu' ? 32n + 32n + 40n : 3n * 32n, activeGwei / WEI_PER_GWEI, isElectra)
        truth = await validatorTruth(devnet, { index: LIVES.slashedBefore, epoch: penaltyEpoch, gwei })
        expect(truth.lastEpoch).toBeGreaterThanOrEqual(lastEpoch)

        const areComplete = (asked: readonly Listed[]) =>
          Promise.all(
            asked.flatMap(({ index }) => [
              lists.isComplete('rewards', index, wholeMonths()),
              lists.isComplete('withdrawals', index),
              lists.isComplete('deposits', index),
            ]),
          )
        const waitFor = (asked: readonly Listed[]) =>
          vi.waitFor(async () => expect(await areComplete(asked)).not.toContain(false), {
            ...{ timeout: HANGS_MS, interval: 200 },
          })
        if (indexed === 'tracked') return waitFor(validators)
        // A new service reads the whole chain. The first validator shows when that is done.
        await service.stop()
        await start()
        await waitFor(validators.slice(0, 1))
        expect(await areComplete(validators.slice(1))).not.toContain(false)
        const { db } = service.context.database
        const asked = await db.selectFrom('validator').where('tracked', '=', true).select('index').execute()
        expect(asked.filter(({ index }) => index > 0)).toEqual([])
      },
      INDEXED_WITHIN_MS + 60_000,
    )

    const earnedWithin = (index: number, from: number, to: number) => {
      let total = 0n
      for (let epoch = from; epoch <= to; epoch += 1) total += truth.earned(index, epoch)
      return total
    }

    let worstGwei = 0n

    /** Buckets are contiguous from the last epoch down to the first, and each equals the balance's change. */
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
        // Epochs without possible rewards are empty.
        expect(isActive(epochEnd) ? [effective] : [effective, 0n], where).toContain(BigInt(endEffectiveBalance))
        if (epochStart === epochEnd && apart > worstGwei) worstGwei = apart
      }
      expect(next).toBe(-1)
    }

    it('earned what their balances say, in every granularity and by both kinds of ranges', async () => {
      const ranges = [wholeRange.epoch(), wholeRange.timestamp()]
      for (const validator of validators) {
        const sums: ReturnType<typeof totals>[] = []
        for (const query of GRANULARITIES.flatMap((granularity) =>
          ranges.map((range) => ({ ...range, granularity })),
        )) {
          const rows = await lists.all('rewards', validator.index, query, query.granularity === 'epoch' ? 10 : 2)
          expectTruth(validator, rows)
          sums.push(totals(rows))
        }
        for (const sum of sums) expect(sum).toEqual(sums[0])
      }
      console.log(
        JSON.stringify({
          bar: 'rewards of validators',
          fork,
          electraEpoch,
          epochs,
          worstGweiPerEpoch: Number(worstGwei),
        }),
      )
    })

    it('have every block, every seat of the sync committee and every vote counted once', async () => {
      const sums = await Promise.all(
        validators.map(async ({ index }) => totals(await lists.all('rewards', index, wholeMonths()))),
      )
      const sum = (name: (typeof COUNTED)[number]) => sums.reduce((total, one) => total + one[name], 0)
      const slots = (lastEpoch + 1) * played.slotsPerEpoch
      const made = [...blocks.keys()].filter((slot) => slot < slots).length
      expect(sum('proposedBlocks')).toBe(made)
      expect(sum('missedBlocks')).toBe(slots - 1 - made)
      expect(sum('syncParticipations') + sum('syncMissed')).toBe(SYNC_COMMITTEE_SIZE[preset] * made)
      validators.forEach(({ index, validator }, at) => {
        const [from, to] = [validator.activation_epoch, validator.exit_epoch].map((epoch) =>
          Math.min(Number(epoch), lastEpoch + 1),
        ) as [number, number]
        const { attestationsIncluded = 0, attestationsMissed = 0 } = sums[at] ?? {}
        expect(attestationsIncluded + attestationsMissed, `validator ${index}`).toBe(to - from)
      })
      for (const index of LIVES.neverAttests) expect(sums[index]?.attestationsMissed).toBe(lastEpoch + 1)
      expect(sums[1]?.attestationsMissed).toBe(0)
    })

    it('got from the execution chain what their blocks paid', async () => {
      const due = new Map<string, { execution: bigint; mevBlocks: number }>()
      for (const [slot, { proposer_index }] of blocks) {
        if (slot >= (lastEpoch + 1) * played.slotsPerEpoch) continue
        const { wei, byBuilder } = livesIncome(slot)
        const { execution = 0n, mevBlocks = 0 } = due.get(proposer_index) ?? {}
        due.set(proposer_index, { execution: execution + wei, mevBlocks: mevBlocks + Number(byBuilder) })
      }
      for (const { index } of validators) {
        const { execution, mevBlocks } = totals(await lists.all('rewards', index, wholeMonths()))
        expect({ execution, mevBlocks }).toEqual(due.get(index) ?? { execution: 0n, mevBlocks: 0 })
      }
    })

    it('have the withdrawals listed that final blocks paid', async () => {
      for (const { index } of validators) {
        const paid = truth.withdrawals(Number(index)).filter(({ slot }) => slot <= finalSlot)
        const expected = paid.reverse().map(({ slot, amountGwei, address }) => ({
          slot,
          epoch: Math.floor(slot / played.slotsPerEpoch),
          timestamp: GENESIS_TIME + slot * secondsPerSlot,
          amount: String(amountGwei * WEI_PER_GWEI),
          address,
          index: Number(index),
        }))
        expect(await lists.all('withdrawals', index), `validator ${index}`).toEqual(expected)
      }
    })

    it('have the deposits listed that blocks carry, and those of the genesis', async () => {
      const genesis = await listed(played.slotsPerEpoch - 1)
      for (const { index, validator } of validators) {
        const carried = [...blocks].flatMap(([slot, { body }]) =>
          [...body.deposits.map(({ data }) => data), ...(body.execution_requests?.deposits ?? [])]
            .filter(({ pubkey }) => pubkey === validator.pubkey)
            .map(({ amount }) => ({ slot, amount: String(BigInt(amount) * WEI_PER_GWEI) })),
        )
        const rows = await lists.all('deposits', index)
        const later = rows.filter(({ slot }) => slot > 0)
        expect(later.map(({ slot, amount }) => ({ slot, amount })).reverse()).toEqual(carried)
        // The balance received exactly the deposits.
        const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
        const reached = sum(truth.deposits(Number(index))) * WEI_PER_GWEI
        expect(sum(carried.map(({ amount }) => BigInt(amount)))).toBe(reached)
        const first = rows.filter(({ slot }) => slot === 0)
        expect(first).toHaveLength(genesis.some((one) => one.index === index) ? 1 : 0)
        expect(first.map(({ depositIndex }) => depositIndex)).toEqual(first.map(() => Number(index)))
      }
    })
  },
)
