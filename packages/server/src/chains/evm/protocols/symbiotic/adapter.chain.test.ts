import { addresses } from '@coffer/devnet'
import { type Address, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { deployOwn } from '../../../../../test/contract-of.ts'
import { amountsOf, protocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const EPOCH_SECONDS = 7 * 86_400
const BURNER: Address = '0xdead00000000000000000000000000000000b0b0'
const { uni } = addresses.ethereum.tokens

const rows: ProtocolRow[] = []
const bench = await protocolBench(rows)
const { erc20 } = bench.chain.actions
const vault = await deployOwn(bench.chain, 'EpochVault', [uni, BURNER, EPOCH_SECONDS])
const quick = await deployOwn(bench.chain, 'EpochVault', [uni, BURNER, 1])
rows.push({
  ...{ family: 'symbiotic', key: 'symbiotic', name: 'Symbiotic', chain: 'ethereum' },
  deployment: { vaults: [vault.address, quick.address] },
})

async function stake(wallet: Address, amount: bigint, at = vault): Promise<void> {
  await erc20.mint(uni, wallet, amount)
  await erc20.allow(uni, wallet, at.address)
  await at.write(wallet, 'deposit', wallet, amount)
}

const withdraw = (wallet: Address, amount: bigint, claimer = wallet) => vault.write(wallet, 'withdraw', claimer, amount)

/** Slashes a part of everything, both staked and leaving. */
async function slash(divisor: number, secondsAgo: number): Promise<void> {
  const { timestamp } = await bench.client.getBlock()
  const staked = await vault.read<bigint>('activeStake')
  await vault.write(BURNER, 'onSlash', staked / BigInt(divisor), Number(timestamp) - secondsAgo)
}

const stakeOf = (wallet: Address) => vault.read<bigint>('activeBalanceOf', wallet)
const currentEpoch = () => vault.read<bigint>('currentEpoch')

type Shown = { kind: string; label: string; unlockAt?: number; amountRaw: bigint }

/** By the vault's own views of every epoch at the block. */
async function expected(wallet: Address, blockNumber: bigint): Promise<Shown[]> {
  const { read } = vault.at(blockNumber)
  const current = await read<bigint>('currentEpoch')
  const begin = await read<number>('epochDurationInit')
  const shown: Shown[] = [{ kind: 'staked', label: 'Stake', amountRaw: await read<bigint>('activeBalanceOf', wallet) }]
  for (let epoch = 0n; epoch <= current + 1n; epoch += 1n) {
    if (await read<boolean>('isWithdrawalsClaimed', epoch, wallet)) continue
    const amountRaw = await read<bigint>('withdrawalsOf', epoch, wallet)
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
    for (const one of [wallet, other]) await stake(one, random.amount(10n ** 9n, parseEther('900')))
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
  const [wallet, stranger, another] = [random.address(), random.address(), random.address()]
  for (const each of [stranger, another]) await stake(each, parseEther('1'))
  for (let count = 0; count < 20; count += 1) for (const each of [stranger, another]) await withdraw(each, 2n, wallet)
  expect(await bench.findKeys(wallet)).toHaveLength(1)
  await bench.chain.travel(EPOCH_SECONDS)
  await withdraw(stranger, 2n, wallet)
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
  const missing: unknown[] = []
  const { positions } = await bench.read(wallet, {
    leftOut: (_, protocolContract) => missing.push(protocolContract?.address),
  })
  expect(positions.map(({ pool }) => pool)).toEqual([evmAddress(vault.address)])
  expect(missing).toEqual([evmAddress(quick.address)])
  await bench.client.setCode({ address: quick.address, bytecode: code ?? '0x' })
})

it('asks a wallet that has nothing there in the first batch alone', bench.expectNothing)

it('takes shares apart into what a withdrawal pays, after a slashing', async () => {
  const wallet = seededRandom('symbiotic shares').address()
  await stake(wallet, parseEther('3'))
  await slash(7, 1)
  const [known] = await bench.discover()
  const protocolContract = known?.protocolContracts.find(({ address }) => address === evmAddress(vault.address))
  if (!known || !protocolContract) throw new Error('the vault is not listed')
  const reader = bench.openReader()
  const { number: blockNumber } = await reader.header()
  const { read } = vault.at(blockNumber)
  const amountRaw = await read<bigint>('balanceOf', wallet)
  const parts = await known.deployment.decompose(reader, { protocolContract, amountRaw })
  const worth = await read<bigint>('activeBalanceOf', wallet)
  expect(worth).toBeLessThan(amountRaw)
  expect(amountsOf(parts ?? [])).toEqual({ [evmAddress(uni)]: worth })
})
