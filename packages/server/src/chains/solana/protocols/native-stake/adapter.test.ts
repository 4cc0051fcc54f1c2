import { startSolanaDevnet } from '@coffer/devnet/solana'
import type { Address, KeyPairSigner } from '@solana/kit'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { accountsReader, newFinds } from '../../../../../test/solana/accounts-reader.ts'
import { INVALID, readerOf } from '../../../../../test/solana/protocol-bench.ts'
import { NATIVE_SOL } from '../../../../domain/solana-address.ts'
import { readAccount } from '../../codec/account-data.ts'
import {
  type ClusterStake,
  type Delegation,
  nativeStake,
  readStakeHistory,
  STAKE,
  STAKE_HISTORY,
  STAKE_PROGRAM,
  stakeAt,
} from './adapter.ts'

const SOL = 1_000_000_000n
/** Rent of 200 bytes: (200 + 128) × 6960 lamports. */
const RESERVE = 2_282_880n
const EPOCH_SECONDS = 172_800
const ROUNDS = inject('deep') ? 500 : 25

const devnet = await startSolanaDevnet({ unixTime: 1_790_000_000n })
let made = 0

afterAll(() => devnet.stop())

async function newWallet(): Promise<KeyPairSigner> {
  made += 1
  const wallet = await devnet.keypair(`native stake: wallet ${made}`)
  await devnet.actions.sol.give(wallet.address, 1_000n * SOL)
  return wallet
}

const clockNow = () => ({
  slot: devnet.chain.slot(),
  epoch: devnet.chain.epoch(),
  time: Number(devnet.chain.time()),
})

function readerNow() {
  const { chain } = devnet
  return accountsReader(
    {
      account: (address) => chain.account(address as never),
      programAccounts: (program) => chain.programAccounts(program as never),
    },
    clockNow(),
  )
}

const positionsOf = (wallet: KeyPairSigner, reader = readerNow()) =>
  nativeStake.positions({
    reader,
    wallet: wallet.address,
    clock: clockNow(),
    held: [],
    used: new Set(),
    found: newFinds(),
  })

async function shown(wallet: KeyPairSigner) {
  const positions = await positionsOf(wallet)
  return positions.map(({ label, supplied, unlockAt }) => `${label} ${supplied[0]?.amountRaw} ${unlockAt ?? ''}`.trim())
}

/** Epochs with so much waiting stake that it takes several to pass. */
function passTightEpochs(random: Random, count: number) {
  for (let epochs = count; epochs > 0; epochs -= 1) {
    const waiting = () => random.amount(SOL, 50n * SOL)
    const cluster = { effective: random.amount(SOL, 100n * SOL), activating: waiting(), deactivating: waiting() }
    devnet.chain.setClusterStake(devnet.chain.epoch(), cluster)
    devnet.chain.moveToEpoch(devnet.chain.epoch() + 1n)
  }
}

/** An account deactivated during warm-up or later, after some epochs of cooldown. */
async function stopped(random: Random, wallet: KeyPairSigner, name: string): Promise<Address> {
  const { stake } = devnet.actions
  const account = await devnet.keypair(name)
  await stake.create(wallet, account, random.amount(SOL, 20n * SOL))
  await stake.delegate(wallet, account.address)
  passTightEpochs(random, random.index(4))
  await stake.deactivate(wallet, account.address)
  passTightEpochs(random, random.index(4))
  return account.address
}

/** The program pays exactly the amount that the adapter reports as free, and not a lamport more. */
async function withdrawAllThatIsFree(wallet: KeyPairSigner, account: Address, what: string) {
  const { chain, actions } = devnet
  const [stored, history] = [chain.account(account), chain.account(STAKE_HISTORY as Address)]
  if (!stored || !history) throw new Error('nothing is delegated')
  const read = readAccount({ ...stored, address: account }, STAKE)
  const epochs = readStakeHistory({ ...history, address: STAKE_HISTORY })
  const { effective } = stakeAt(read, chain.epoch(), epochs)
  const [position] = (await positionsOf(wallet)).filter(({ pool }) => pool === account)
  if (effective === 0n) {
    expect(position?.label, what).toBe('Inactive stake')
    await actions.stake.withdraw(wallet, account, stored.lamports)
    return 'whole'
  }
  expect(position?.label, what).toBe('Deactivating stake')
  const free = stored.lamports - RESERVE - effective
  await expect(actions.stake.withdraw(wallet, account, free + 1n), what).rejects.toThrow(/insufficient/i)
  if (free === 0n) return 'none'
  await actions.stake.withdraw(wallet, account, free)
  return 'part'
}

describe('native stake', () => {
  it('goes through its states with the epochs, and always says all that the account holds', async () => {
    const { stake } = devnet.actions
    const wallet = await newWallet()
    const account = await devnet.keypair('native stake: states')
    await stake.create(wallet, account, 5n * SOL)
    const held = RESERVE + 5n * SOL
    expect(await shown(wallet)).toEqual([`Undelegated stake ${held}`])
    await stake.delegate(wallet, account.address)
    // A later deposit is not staked, but also the wallet's own.
    await devnet.actions.sol.give(account.address, 7n)
    expect(await shown(wallet)).toEqual([`Activating stake ${held + 7n}`])
    devnet.chain.moveToEpoch(devnet.chain.epoch() + 1n)
    expect(await positionsOf(wallet)).toEqual([
      {
        kind: 'staked',
        label: 'Active stake',
        pool: account.address,
        supplied: [{ token: NATIVE_SOL, amountRaw: held + 7n }],
      },
    ])
    await stake.deactivate(wallet, account.address)
    const nextEpoch = Number(devnet.chain.timeOf(devnet.chain.slot())) + EPOCH_SECONDS
    const [deactivating] = await positionsOf(wallet)
    expect(deactivating?.label).toBe('Deactivating stake')
    expect(Math.abs((deactivating?.unlockAt ?? 0) - nextEpoch)).toBeLessThanOrEqual(2)
    devnet.chain.moveToEpoch(devnet.chain.epoch() + 1n)
    expect(await shown(wallet)).toEqual([`Inactive stake ${held + 7n}`])
    await stake.withdraw(wallet, account.address, held + 7n)
    expect(await shown(wallet)).toEqual([])
  })

  it('leaves free exactly what the stake program lets go, through slow warm-ups and cool-downs', async () => {
    const random = seededRandom('native stake')
    const wallet = await newWallet()
    const outcomes = { whole: 0, part: 0, none: 0 }
    for (let round = 0; round < ROUNDS; round += 1) {
      const account = await stopped(random, wallet, `native stake: round ${round}`)
      outcomes[await withdrawAllThatIsFree(wallet, account, `seed ${random.seed}, round ${round}`)] += 1
    }
    expect(outcomes.part).toBeGreaterThan(ROUNDS / 5)
    expect(outcomes.whole).toBeGreaterThan(0)
  })

  it('is locked until both the time and the epoch of a lockup have passed, but not for its custodian', async () => {
    const { stake } = devnet.actions
    const wallet = await newWallet()
    const { time } = clockNow()
    const custodian = devnet.payer.address
    const locks = [
      { unixTime: BigInt(time) + 1_000n, custodian },
      { unixTime: BigInt(time) - 1_000n, custodian },
      { unixTime: BigInt(time) + 1_000n, custodian: wallet.address },
      { unixTime: 2n ** 63n - 1n, custodian },
    ]
    const unlockAt = []
    for (const [index, lockup] of locks.entries()) {
      const account = await devnet.keypair(`native stake: locked ${index}`)
      await stake.create(wallet, account, SOL, { lockup })
      const found = (await positionsOf(wallet)).find(({ pool }) => pool === account.address)
      unlockAt.push(found?.unlockAt)
    }
    expect(unlockAt).toEqual([time + 1_000, undefined, undefined, Number.MAX_SAFE_INTEGER])

    const byEpoch = await devnet.keypair('native stake: locked by epoch')
    const epoch = devnet.chain.epoch() + 3n
    await stake.create(wallet, byEpoch, SOL, { lockup: { epoch, unixTime: 1n, custodian } })
    const found = (await positionsOf(wallet)).find(({ pool }) => pool === byEpoch.address)
    const slots = epoch * 432_000n - devnet.chain.slot()
    expect(found?.unlockAt).toBe(clockNow().time + Math.ceil(Number(slots) * 0.4))
  })

  it('is read in two trips, one where nothing is delegated, and only of who may withdraw', async () => {
    const { stake } = devnet.actions
    const [wallet, other] = [await newWallet(), await newWallet()]
    const account = await devnet.keypair('native stake: trips')
    await stake.create(wallet, account, SOL, { staker: other.address })
    const before = readerNow()
    expect(await positionsOf(wallet, before)).toHaveLength(1)
    expect(before.trips).toEqual([[`accounts of ${STAKE_PROGRAM}`]])
    expect(await positionsOf(other)).toEqual([])
    const own = await devnet.keypair('native stake: own')
    await stake.create(other, own, SOL)
    await stake.delegate(other, own.address)
    const after = readerNow()
    expect(await positionsOf(other, after)).toHaveLength(1)
    expect(after.trips).toEqual([[`accounts of ${STAKE_PROGRAM}`], ['1 accounts']])
  })

  it('refuses what it does not know: another state, another owner, a short account, no history', async () => {
    const wallet = await newWallet()
    const account = await devnet.keypair('native stake: refused')
    await devnet.actions.stake.create(wallet, account, SOL)
    await devnet.actions.stake.delegate(wallet, account.address)
    const stored = devnet.chain.account(account.address)
    if (!stored) throw new Error('the stake account is gone')
    const good = { ...stored, address: account.address as string, owner: STAKE_PROGRAM }
    const read = (change: Partial<typeof good>) => positionsOf(wallet, readerOf([{ ...good, ...change }], clockNow()))
    const state = (tag: number) => ({ data: Uint8Array.from([tag, ...stored.data.slice(1)]) })
    await expect(read(state(4))).rejects.toEqual(INVALID)
    await expect(read({})).rejects.toEqual(INVALID)
    expect(await read(state(0))).toEqual([])
    expect(() => readAccount({ ...good, data: good.data.slice(0, 199) }, STAKE)).toThrow(INVALID)
    expect(() => readAccount({ ...good, owner: NATIVE_SOL }, STAKE)).toThrow(INVALID)
    // A node that ignores the filter must not give the wallet another owner's stake.
    const other = await newWallet()
    const careless = readerOf([good], clockNow())
    careless.programAccounts = async () => [good]
    await expect(positionsOf(other, careless)).rejects.toEqual(INVALID)
  })
})

const ALWAYS = 2n ** 64n - 1n
const NONE = { effective: 0n, activating: 0n, deactivating: 0n }
/** Epoch 10: 1000 of 5000 wait, 9 % of 10000 is 900, the share 180. Epoch 11: 820 of 4100, 9 % of 10900, 196.2. */
const SLOW = {
  10: { effective: 10_000n, activating: 5_000n },
  11: { effective: 10_900n, activating: 4_100n, deactivating: 720n },
  12: { effective: 2_000n, deactivating: 360n },
}
const until = (deactivationEpoch: bigint) => ({ deactivationEpoch })

it.each<[string, bigint, Record<number, Partial<ClusterStake>>, string, Partial<Delegation>]>([
  ['has not begun', 9n, {}, '0 0 0', {}],
  ['waits for the epoch after its own', 10n, {}, '0 1000 0', {}],
  ['warms up by its share of 9 % of the effective stake', 11n, SLOW, '180 820 0', {}],
  ['warms up epoch after epoch', 12n, SLOW, '376 624 0', {}],
  ['keeps the last known values where history ends', 20n, { 10: SLOW[10], 11: SLOW[11] }, '376 624 0', {}],
  [
    'is through at once where all who wait fit in',
    11n,
    { 10: { effective: 10n ** 6n, activating: 5_000n } },
    '1000 0 0',
    {},
  ],
  ['is through once history no longer has its epoch', 900n, { 800: { effective: 5n, activating: 5n } }, '1000 0 0', {}],
  ['is gone once history no longer has its last epoch', 900n, {}, '0 0 0', until(20n)],
  ['moves by one lamport at least', 11n, { 10: { effective: 1n, activating: 9_000_000n } }, '1 999 0', {}],
  ['cools down from what had warmed up', 11n, SLOW, '180 0 180', until(11n)],
  // 180 of 720 leave, 9 % of 10900 is 981, the share 245: all of it.
  ['has cooled down where all fit in', 12n, SLOW, '0 0 0', until(11n)],
  ['cools down in a later epoch', 12n, SLOW, '376 0 376', until(12n)],
  // 376 of 360 leave, 9 % of 2000 is 180, the share 188.
  ['cools down by its share', 13n, SLOW, '188 0 188', until(12n)],
  ['is nothing of an epoch that it began and ended in', 11n, {}, '0 0 0', until(10n)],
  ['has always been there since genesis', 0n, {}, '1000 0 0', { activationEpoch: ALWAYS }],
])('stake %s', (_, epoch, epochs, expected, change) => {
  const delegation = { stake: 1_000n, activationEpoch: 10n, deactivationEpoch: ALWAYS, ...change }
  const history = new Map(Object.entries(epochs).map(([of, cluster]) => [BigInt(of), { ...NONE, ...cluster }]))
  const { effective, activating, deactivating } = stakeAt(delegation, epoch, history)
  expect(`${effective} ${activating} ${deactivating}`).toBe(expected)
})
