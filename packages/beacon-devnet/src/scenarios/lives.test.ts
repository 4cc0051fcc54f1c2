import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBeaconDevnet } from '../beacon-devnet.ts'
import { LIVES, lives } from './lives.ts'

const EPOCHS = 26
const ETH = 10n ** 9n

type Listed = { index: string; status: string }

const play = async (fork: 'deneb' | 'fulu') => {
  const { options, scenario, slotsPerEpoch } = lives({ epochs: EPOCHS, preset: 'minimal', fork })
  const devnet = await startBeaconDevnet(options)
  const statuses = new Map<number, string[]>()
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    await devnet.play(scenario, (epoch + 1) * slotsPerEpoch - 1)
    const response = await fetch(`${devnet.beacon}/eth/v1/beacon/states/head/validators`)
    for (const { index, status } of ((await response.json()) as { data: Listed[] }).data) {
      const had = statuses.get(Number(index)) ?? []
      if (had.at(-1) !== status) statuses.set(Number(index), [...had, status])
    }
  }
  return { devnet, statuses, truth: await devnet.truth() }
}

const EXITED = ['active_ongoing', 'active_exiting', 'exited_unslashed', 'withdrawal_possible']
const ARRIVED = ['pending_initialized', 'pending_queued', 'active_ongoing']

type Played = Awaited<ReturnType<typeof play>>

describe('the lives of validators', () => {
  let fulu: Played
  let deneb: Played
  beforeAll(async () => {
    ;[fulu, deneb] = await Promise.all([play('fulu'), play('deneb')])
  })
  afterAll(() => Promise.all([fulu, deneb].map(({ devnet }) => devnet.stop())))

  it('go through every status', () => {
    const { statuses } = fulu
    expect(statuses.get(LIVES.exits)).toEqual([...EXITED, 'withdrawal_done'])
    expect(statuses.get(LIVES.exitsByRequest)).toEqual([...EXITED, 'withdrawal_done'])
    expect(statuses.get(LIVES.exitsUnpaid)).toEqual(EXITED)
    expect(statuses.get(LIVES.waits)).toEqual(['pending_initialized'])
    expect(statuses.get(LIVES.slashedForVotes)).toEqual(['active_ongoing', 'active_slashed', 'exited_slashed'])
    expect(statuses.get(LIVES.slashedForBlocks)).toEqual(['active_ongoing', 'active_slashed', 'exited_slashed'])
    // The remainder is paid out within the epoch.
    expect(statuses.get(LIVES.consolidates)).toEqual([...EXITED.slice(0, 3), 'withdrawal_done'])
    for (const index of LIVES.deposited) expect(statuses.get(index)).toEqual(ARRIVED)
    expect(statuses.has(LIVES.deposited.length + 64)).toBe(false)
  })

  it('have deposits wait in the queue from Electra on, and reach the balance with the block before it', () => {
    const of = ({ truth }: Played) =>
      truth.flatMap(({ deposits }) => deposits.map((one) => [one.validatorIndex, one.amountGwei / ETH, one.by]))
    const sorted = (rows: unknown[][]) => rows.map(String).sort()
    const amounts = [
      [64, 32n],
      [65, 40n],
      [66, 16n],
      [66, 16n],
      [3, 3n],
      [5, 5n],
      [7, 7n],
      [LIVES.exits, 2n],
    ]
    expect(sorted(of(deneb))).toEqual(sorted(amounts.map((one) => [...one, 'block'])))
    expect(sorted(of(fulu))).toEqual(sorted(amounts.map((one) => [...one, 'transition'])))
  })

  it('move a balance to another validator from Electra on', () => {
    const of = ({ truth }: Played) => truth.flatMap(({ consolidations }) => consolidations)
    const { consolidates: source, consolidated: target } = LIVES
    expect(of(fulu)).toEqual([{ source, target, amountGwei: 32n * ETH }])
    expect(of(deneb)).toEqual([])
    const epoch = fulu.truth.findIndex(({ consolidations }) => consolidations.length > 0)
    const moved = (index: number) =>
      (fulu.truth[epoch]?.startGwei[index] ?? 0n) - (fulu.truth[epoch - 1]?.endGwei[index] ?? 0n)
    expect(moved(source)).toBe(-32n * ETH)
    // Its votes are paid in the same transition.
    expect(moved(target) - 32n * ETH).toBeLessThan(ETH / 100n)
    expect(moved(target)).toBeGreaterThanOrEqual(32n * ETH)
  })

  it('take at the set epoch what is correlated with a slashing before the genesis', async () => {
    const { devnet, truth } = fulu
    const penaltyEpoch = Math.round(EPOCHS * 0.3)
    const lost = (epoch: number) =>
      (truth[epoch]?.endGwei[LIVES.slashedBefore] ?? 0n) - (truth[epoch + 1]?.startGwei[LIVES.slashedBefore] ?? 0n)
    const response = await fetch(`${devnet.beacon}/eth/v1/beacon/states/${penaltyEpoch * 8}/validators?status=active`)
    const active = ((await response.json()) as { data: { validator: { effective_balance: string } }[] }).data
    const activeEth = active.reduce((sum, { validator }) => sum + BigInt(validator.effective_balance) / ETH, 0n)
    // EIP-7251: three times what was slashed (32, 32 and 40 ETH) over what is active, for each of 32 effective ETH.
    const correlated = ((3n * (32n + 32n + 40n) * ETH) / activeEth) * 32n
    // Plus the votes that a slashed validator does not cast.
    const votes = lost(penaltyEpoch - 1)
    expect(votes).toBeLessThan(10n ** 6n)
    expect(lost(penaltyEpoch) - correlated - votes).toBeLessThan(votes / 10n)
    expect(lost(penaltyEpoch)).toBeGreaterThan(correlated)
    expect(lost(penaltyEpoch + 1)).toBeLessThan(10n ** 6n)
  })

  it('leak while more than a third is away, and lose most who are', async () => {
    const { devnet, truth } = fulu
    const change = (index: number, from: number, to: number) =>
      (truth[to]?.startGwei[index] ?? 0n) - (truth[from]?.startGwei[index] ?? 0n)
    const [away = 0] = LIVES.away
    // In a leak, attesters earn only from sync duty and blocks. Absent validators lose more than a missed vote costs.
    expect(change(away, 17, 20)).toBeLessThan(3n * change(away, 13, 14))
    type Rewards = { ideal_rewards: Ideal[]; total_rewards: { target: string; source: string; inactivity: string }[] }
    type Ideal = { target: string; effective_balance: string }
    const rewards = async () => {
      const response = await fetch(`${devnet.beacon}/eth/v1/beacon/rewards/attestations/17`, {
        method: 'POST',
        body: `["${away}"]`,
        headers: { 'content-type': 'application/json' },
      })
      const { data } = (await response.json()) as { data: Rewards }
      const [{ target, source, inactivity } = { target: '', source: '', inactivity: '' }] = data.total_rewards
      const ideal = data.ideal_rewards.find((row) => row.effective_balance === '32000000000')?.target
      return { ideal, total: BigInt(target) + BigInt(source) + BigInt(inactivity) }
    }
    const taken = (truth[19]?.startGwei[away] ?? 0n) - (truth[18]?.endGwei[away] ?? 0n)
    const exact = await rewards()
    expect(exact.ideal).toBe('0')
    expect(exact.total - taken).toBeLessThanOrEqual(3n)
    expect(taken - exact.total).toBeLessThanOrEqual(3n)
    await devnet.setFaults({ attestationRewards: 'lodestar' })
    expect((await rewards()).total - taken).toBeGreaterThan(1_000n)
    await devnet.setFaults({})
    const head = await devnet.head()
    expect(head.finalizedEpoch).toBe(EPOCHS - 3)
  })
})
