import { addresses } from '@coffer/devnet'
import { type Address, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { lot, unsold } from '../../../../../test/booked-costs.ts'
import { deployOwn } from '../../../../../test/contract-of.ts'
import { amountsIn, ownBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { amountsOf } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const EPOCH_SECONDS = 7 * 86_400
const BURNER: Address = '0xdead00000000000000000000000000000000b0b0'
const { uni } = addresses.ethereum.tokens

const rows: ProtocolRow[] = []
const bench = await ownBench(rows)
const { erc20 } = bench.chain.actions
const vault = await deployOwn(bench.chain, 'EpochVault', [uni, BURNER, EPOCH_SECONDS])
const quick = await deployOwn(bench.chain, 'EpochVault', [uni, BURNER, 1])
/** For histories: one share is one unit. */
const untouched = await deployOwn(bench.chain, 'EpochVault', [uni, BURNER, EPOCH_SECONDS])
const one = parseEther('1')
const row = { family: 'symbiotic', chain: 'ethereum' }
rows.push(
  { ...row, key: 'symbiotic', name: 'Symbiotic', deployment: { vaults: [vault.address, quick.address] } },
  { ...row, key: 'restaking', name: 'Restaking', deployment: { vaults: [untouched.address] } },
)
await bench.discover()

async function stake(wallet: Address, amount: bigint, at = vault): Promise<void> {
  await bench.give(wallet, uni, amount, at.address)
  await at.write(wallet, 'deposit', wallet, amount)
}

const withdraw = (wallet: Address, amount: bigint, claimer = wallet) => vault.write(wallet, 'withdraw', claimer, amount)

/** Slashes a part of everything, both staked and leaving. */
async function slash(divisor: number, secondsAgo: number): Promise<void> {
  const { timestamp } = await bench.client.getBlock()
  const staked = await vault.read('activeStake')
  await vault.write(BURNER, 'onSlash', staked / BigInt(divisor), Number(timestamp) - secondsAgo)
}

const stakeOf = (wallet: Address) => vault.read('activeBalanceOf', wallet)
const currentEpoch = () => vault.read('currentEpoch')

type Shown = { kind: string; label: string; unlockAt?: number; amountRaw: bigint }

/** By the vault's own views of every epoch at the block. */
async function expected(wallet: Address, blockNumber: bigint): Promise<Shown[]> {
  const { read } = vault.at(blockNumber)
  const current = await read('currentEpoch')
  const begin = await read<number>('epochDurationInit')
  const shown: Shown[] = [{ kind: 'staked', label: 'Stake', amountRaw: await read('activeBalanceOf', wallet) }]
  for (let epoch = 0n; epoch <= current + 1n; epoch += 1n) {
    if (await read<boolean>('isWithdrawalsClaimed', epoch, wallet)) continue
    const amountRaw = await read('withdrawalsOf', epoch, wallet)
    const unlockAt = begin + Number(epoch + 1n) * EPOCH_SECONDS
    const facts = epoch < current ? { label: 'Withdrawal, ready' } : { label: 'Withdrawal, pending', unlockAt }
    shown.push({ kind: 'locked', ...facts, amountRaw })
  }
  return shown.filter(({ amountRaw }) => amountRaw > 0n)
}

async function check(wallet: Address): Promise<Shown[]> {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  const shown = await expected(wallet, block)
  const pool = evmAddress(vault.address)
  expect(positions).toEqual(
    shown.map(({ amountRaw, ...facts }) => ({
      ...{ ...facts, protocol: 'symbiotic', chain: 'ethereum', pool, borrowed: [], rewards: [] },
      ...{ supplied: [{ token: evmAddress(uni), amountRaw }], receipts: facts.kind === 'staked' ? [pool] : [] },
    })),
  )
  return shown
}

const labels = (shown: readonly { label: string }[]) => shown.map(({ label }) => label)

it('reads random stakes and withdrawals through epochs, slashings and claims', async () => {
  const random = seededRandom('symbiotic')
  await bench.chain.travel(EPOCH_SECONDS)
  for (let round = 0; round < 4; round += 1) {
    const [wallet, other] = [random.address(), random.address()]
    for (const each of [wallet, other]) await stake(each, random.amount(10n ** 9n, parseEther('900')))
    await slash(3 + random.index(9), random.index(60))
    const first = (await currentEpoch()) + 1n
    for (let epoch = 0; epoch < 4; epoch += 1) {
      const part = random.amount(1n, (await stakeOf(wallet)) / 4n)
      await withdraw(wallet, part)
      if (random.index(2) === 0) await withdraw(wallet, 1n)
      await withdraw(other, random.amount(1n, (await stakeOf(other)) / 4n), random.pick([wallet, other]))
      await check(wallet)
      await bench.chain.travel(random.index(EPOCH_SECONDS))
      await slash(3 + random.index(90), random.index(EPOCH_SECONDS))
      await check(other)
      await bench.chain.travel(EPOCH_SECONDS)
    }
    await withdraw(wallet, random.amount(1n, (await stakeOf(wallet)) / 4n))
    expect(new Set(labels(await check(wallet)))).toEqual(new Set(['Stake', 'Withdrawal, ready', 'Withdrawal, pending']))
    await vault.write(wallet, 'claim', wallet, first)
    await check(wallet)
    await vault.write(wallet, 'redeem', wallet, await vault.read('balanceOf', wallet))
    expect(labels(await check(wallet))).not.toContain('Stake')
  }
})

it('a withdrawal is ready in the second in which it can be claimed, and pays what is shown', async () => {
  const wallet = seededRandom('symbiotic end').address()
  await stake(wallet, parseEther('10'))
  await withdraw(wallet, await stakeOf(wallet))
  const [pending] = await check(wallet)
  await slash(5, 1)
  const [slashed] = await check(wallet)
  expect(slashed?.amountRaw).toBeLessThan(pending?.amountRaw ?? 0n)
  const end = pending?.unlockAt ?? 0
  const epoch = (await currentEpoch()) + 1n
  await bench.client.setNextBlockTimestamp({ timestamp: BigInt(end - 1) })
  await expect(vault.write(wallet, 'claim', wallet, epoch)).rejects.toThrow()
  expect(labels(await check(wallet))).toEqual(['Withdrawal, pending'])
  await bench.client.setNextBlockTimestamp({ timestamp: BigInt(end) })
  await bench.client.mine({ blocks: 1 })
  const [ready] = await check(wallet)
  expect(ready?.label).toBe('Withdrawal, ready')
  await vault.write(wallet, 'claim', wallet, epoch)
  expect(await erc20.balanceOf(uni, wallet)).toBe(ready?.amountRaw)
  expect(await check(wallet)).toEqual([])
})

it('reads one unit and 10^30', async () => {
  const random = seededRandom('symbiotic limits')
  const [small, large] = [random.address(), random.address()]
  await stake(large, 10n ** 30n)
  await withdraw(large, 10n ** 30n - 7n)
  await stake(small, 3n)
  await withdraw(small, 1n)
  expect(await check(large)).toHaveLength(2)
  await check(small)
})

it('shows what others take out in the name of a wallet, one line an epoch however often', async () => {
  const random = seededRandom('symbiotic others')
  const [wallet, outsider, another] = [random.address(), random.address(), random.address()]
  for (const each of [outsider, another]) await stake(each, parseEther('1'))
  for (let count = 0; count < 20; count += 1) for (const each of [outsider, another]) await withdraw(each, 2n, wallet)
  expect(await bench.findKeys(wallet)).toHaveLength(1)
  await bench.chain.travel(EPOCH_SECONDS)
  await withdraw(outsider, 2n, wallet)
  expect(labels(await check(wallet))).toEqual(['Withdrawal, pending', 'Withdrawal, pending'])
  await bench.chain.travel(3 * EPOCH_SECONDS)
  expect(labels(await check(wallet))).toEqual(['Withdrawal, ready', 'Withdrawal, ready'])
})

it('shows a stake and what leaves now before any log was searched', async () => {
  const wallet = seededRandom('symbiotic unsearched').address()
  await stake(wallet, parseEther('5'))
  await withdraw(wallet, parseEther('1'))
  await bench.chain.travel(3 * EPOCH_SECONDS)
  await withdraw(wallet, parseEther('2'))
  expect(labels((await bench.read(wallet, { keys: [] })).positions)).toEqual(['Stake', 'Withdrawal, pending'])
  expect(labels(await check(wallet))).toEqual(['Stake', 'Withdrawal, ready', 'Withdrawal, pending'])
})

it('reads the last 512 epochs, and says that those before are missing', async () => {
  const wallet = seededRandom('symbiotic epochs').address()
  await stake(wallet, 100n, quick)
  await quick.write(wallet, 'withdraw', wallet, 10n)
  await bench.chain.travel(509)
  const inTime = (await bench.readPartly(wallet)).positions.map(({ label, supplied }) => [
    label,
    supplied[0]?.amountRaw,
  ])
  expect(inTime).toEqual([
    ['Stake', 90n],
    ['Withdrawal, ready', 10n],
  ])
  await bench.chain.travel(10)
  const { positions, missing } = await bench.readPartly(wallet)
  expect(labels(positions)).toEqual(['Stake'])
  expect(new Set(missing)).toEqual(new Set(['Error: epochs before the last 512 are not read']))
})

it('leaves out a vault that refuses, and keeps the others', async () => {
  const wallet = seededRandom('symbiotic refusal').address()
  await stake(wallet, parseEther('3'))
  await stake(wallet, parseEther('2'), quick)
  const code = await bench.client.getCode(quick)
  // Answers one to balance calls only.
  const bytecode = '0x5f3560e01c6370a08231146011575f5ffd5b60015f5260205ff3'
  await bench.client.setCode({ address: quick.address, bytecode })
  const { positions, refused } = await bench.readPartly(wallet)
  expect(positions.map(({ pool }) => pool)).toEqual([evmAddress(vault.address)])
  expect(refused).toEqual([evmAddress(quick.address)])
  await bench.client.setCode({ address: quick.address, bytecode: code ?? '0x' })
})

it('asks a wallet that has nothing there in the first batch alone', bench.expectNothing)

it('takes shares apart into what a withdrawal pays, after a slashing', async () => {
  const wallet = seededRandom('symbiotic shares').address()
  await stake(wallet, parseEther('3'))
  await slash(7, 1)
  const [shares, worth] = [await vault.read('balanceOf', wallet), await stakeOf(wallet)]
  expect(worth).toBeLessThan(shares)
  const parts = await bench.decompose('symbiotic', vault.address, shares)
  expect(amountsOf(parts)).toEqual({ [evmAddress(uni)]: worth })
})

const { costs } = namedHistory(bench, () => ({ uni, stake: untouched.address }))
const QUOTES = 'uni 6 had 10 at 4, stake 6'

const epoch = () => untouched.read('currentEpoch')
const pass = (epochs: number) => bench.chain.travel(epochs * EPOCH_SECONDS)

/** A wallet with ten units. */
async function newStaker(): Promise<Address> {
  const wallet = bench.newWallet()
  await bench.give(wallet, uni, 10n * one, untouched.address)
  return wallet
}

const deposit = (wallet: Address, amount: bigint, owner = wallet) => untouched.write(wallet, 'deposit', owner, amount)
const leave = (wallet: Address, amount: bigint, claimer = wallet) =>
  untouched.write(wallet, 'withdraw', claimer, amount)
const claim = (wallet: Address, ended: bigint, recipient = wallet) => untouched.write(wallet, 'claim', recipient, ended)

const summary = (found: readonly WalletTransaction[]) => amountsIn(found, { uni, share: untouched.address })

it('a stake leaves in two epochs, is claimed one by one and together, and keeps its cost', async () => {
  const wallet = await newStaker()
  let first = 0n
  const found = await bench.played(wallet, async () => {
    await deposit(wallet, 10n * one)
    await leave(wallet, one)
    first = (await epoch()) + 1n
    await pass(1)
    await leave(wallet, 2n * one)
    await pass(1)
    await leave(wallet, 3n * one)
    await pass(2)
    await claim(wallet, first)
    await untouched.write(wallet, 'claimBatch', wallet, [first + 1n, first + 2n])
  })
  expect(summary(found)).toEqual([
    ['STAKE restaking', `move -${10n * one} uni`, `move ${10n * one} share`],
    ['UNSTAKE restaking', `move -${one} share`, `move ${one} uni`, `move -${one} uni`, 'move 0 share'],
    ['UNSTAKE restaking', `move -${2n * one} share`, `move ${2n * one} uni`, `move -${2n * one} uni`, 'move 0 share'],
    ['UNSTAKE restaking', `move -${3n * one} share`, `move ${3n * one} uni`, `move -${3n * one} uni`, 'move 0 share'],
    ['WITHDRAW restaking', `move ${one} uni`, 'move 0 share'],
    ['WITHDRAW restaking', `move ${5n * one} uni`, 'move 0 share'],
  ])
  const calm = unsold('40')
  // Ten at 4 USD each.
  const after = (count: number) => costs(wallet, QUOTES, found.slice(0, count))
  expect(after(4)).toEqual({ held: { stake: '4 at 16', 'uni in a position': '6 at 24' }, ...calm })
  expect(after(5)).toEqual({ held: { uni: '1 at 4', stake: '4 at 16', 'uni in a position': '5 at 20' }, ...calm })
  expect(after(6)).toEqual({ held: { uni: '6 at 24', stake: '4 at 16' }, ...calm })
})

it('a slashing pays less than was asked for, and leaves the rest of the cost in the position', async () => {
  const wallet = await newStaker()
  const found = await bench.played(wallet, async () => {
    await deposit(wallet, 10n * one)
    await leave(wallet, 10n * one)
    const leaving = (await epoch()) + 1n
    // A part of all stakes and withdrawals of the next epoch.
    const { timestamp } = await bench.client.getBlock()
    await untouched.write(BURNER, 'onSlash', (await erc20.balanceOf(uni, untouched.address)) / 2n, Number(timestamp))
    await pass(2)
    await claim(wallet, leaving)
  })
  const paid = found.at(-1)?.movements.find(({ token }) => token === evmAddress(uni))?.amountRaw ?? 0n
  expect(paid).toBeLessThan(6n * one)
  const rest = 10n * one - paid
  expect(costs(wallet, QUOTES, found)).toEqual({
    held: { uni: lot(paid, 4n), 'uni in a position': lot(rest, 4n) },
    ...unsold('40'),
  })
})

it('stakes and withdrawals for another wallet are sent to it, and what another one claimed is received', async () => {
  const [wallet, other] = [await newStaker(), bench.newWallet()]
  const before = await bench.client.getBlockNumber()
  await deposit(wallet, 6n * one)
  await deposit(wallet, 4n * one, other)
  await leave(wallet, one, other)
  const leaving = (await epoch()) + 1n
  await leave(other, one)
  await pass(2)
  await claim(other, leaving, wallet)
  const passed = (transactions: readonly WalletTransaction[]) =>
    transactions.flatMap(({ type, movements }) =>
      movements.flatMap(({ treatment, amountRaw, counterparty }) =>
        treatment === 'move' ? [] : [[type, `${treatment} ${amountRaw < 0n ? '-' : '+'}`, counterparty]],
      ),
    )
  const to = evmAddress(other)
  expect(passed(await bench.readSince(wallet, before))).toEqual([
    ['TRANSFEROUT', 'send -', to],
    ['TRANSFEROUT', 'send -', to],
    ['TRANSFERIN', 'acquire +', to],
  ])
  const found = await bench.readSince(other, before)
  expect(summary(found).map(([action]) => action)).not.toContain('WITHDRAW restaking')
})
