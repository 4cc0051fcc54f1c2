import { addresses, ownArtifact } from '@coffer/devnet'
import { type Address, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { amountsOf, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const EPOCH_SECONDS = 7 * 86_400
const BURNER: Address = '0xdead00000000000000000000000000000000b0b0'
const uni = addresses.ethereum.tokens.uni
const vaultAbi = parseAbi([
  'function deposit(address onBehalfOf, uint256 amount) returns (uint256, uint256)',
  'function withdraw(address claimer, uint256 amount) returns (uint256, uint256)',
  'function redeem(address claimer, uint256 shares) returns (uint256, uint256)',
  'function claim(address recipient, uint256 epoch) returns (uint256)',
  'function claimBatch(address recipient, uint256[] epochs) returns (uint256)',
  'function onSlash(uint256 amount, uint48 captureTimestamp) returns (uint256)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'function activeBalanceOf(address account) view returns (uint256)',
  'function withdrawalsOf(uint256 epoch, address account) view returns (uint256)',
  'function isWithdrawalsClaimed(uint256 epoch, address account) view returns (bool)',
  'function activeStake() view returns (uint256)',
  'function currentEpoch() view returns (uint256)',
  'function epochDurationInit() view returns (uint48)',
])

const rows: ProtocolRow[] = []
let bench: Awaited<ReturnType<typeof openProtocolBench>>
let vault: Address
let quick: Address

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
  const vaultOf = (seconds: number) => bench.chain.deploy(ownArtifact('EpochVault'), [uni, BURNER, seconds])
  vault = await vaultOf(EPOCH_SECONDS)
  quick = await vaultOf(1)
  const row = { family: 'symbiotic', key: 'symbiotic', name: 'Symbiotic', chain: 'ethereum' }
  rows.push({ ...row, deployment: { vaults: [vault, quick] } })
})
afterAll(() => bench?.stop())

const at = (from: Address, address = vault) => ({ from, address, abi: vaultAbi }) as const
const write: typeof bench.chain.write = (call) => bench.chain.write(call)
const view = () => ({ address: vault, abi: vaultAbi }) as const

async function stake(wallet: Address, amount: bigint, address = vault): Promise<void> {
  await bench.chain.actions.erc20.mint(uni, wallet, amount)
  await bench.chain.actions.erc20.allow(uni, wallet, address)
  await write({ ...at(wallet, address), functionName: 'deposit', args: [wallet, amount] })
}

const withdraw = (wallet: Address, amount: bigint, claimer = wallet) =>
  write({ ...at(wallet), functionName: 'withdraw', args: [claimer, amount] })

/** Slashes a part of everything, both staked and leaving. */
async function slash(divisor: number, secondsAgo: number): Promise<void> {
  const { timestamp } = await bench.client.getBlock()
  const staked = await bench.client.readContract({ ...view(), functionName: 'activeStake' })
  const args = [staked / BigInt(divisor), Number(timestamp) - secondsAgo] as const
  await write({ ...at(BURNER), functionName: 'onSlash', args })
}

const stakeOf = (wallet: Address) =>
  bench.client.readContract({ ...view(), functionName: 'activeBalanceOf', args: [wallet] })

const currentEpoch = () => bench.client.readContract({ ...view(), functionName: 'currentEpoch' })

type Shown = { kind: string; label: string; unlockAt?: number; amountRaw: bigint }

/** By the vault's own views of every epoch at the block. */
async function expected(wallet: Address, blockNumber: bigint): Promise<Shown[]> {
  const read = { ...view(), blockNumber } as const
  const staked = await bench.client.readContract({ ...read, functionName: 'activeBalanceOf', args: [wallet] })
  const current = await bench.client.readContract({ ...read, functionName: 'currentEpoch' })
  const begin = await bench.client.readContract({ ...read, functionName: 'epochDurationInit' })
  const shown: Shown[] = [{ kind: 'staked', label: 'Stake', amountRaw: staked }]
  for (let epoch = 0n; epoch <= current + 1n; epoch += 1n) {
    const args = [epoch, wallet] as const
    if (await bench.client.readContract({ ...read, functionName: 'isWithdrawalsClaimed', args })) continue
    const amountRaw = await bench.client.readContract({ ...read, functionName: 'withdrawalsOf', args })
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
  const pool = evmAddress(vault)
  expect(positions).toEqual(
    shown.map(({ amountRaw, ...facts }) => ({
      ...{ ...facts, protocol: 'symbiotic', chain: 'ethereum', pool, borrowed: [], rewards: [] },
      ...{ supplied: [{ token: evmAddress(uni), amountRaw }], receipts: facts.kind === 'staked' ? [pool] : [] },
    })),
  )
  return shown
}

const labels = (shown: readonly Shown[]) => shown.map(({ label }) => label)

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
    await write({ ...at(wallet), functionName: 'claim', args: [wallet, first] })
    await check(wallet)
    const shares = await bench.client.readContract({ ...view(), functionName: 'balanceOf', args: [wallet] })
    await write({ ...at(wallet), functionName: 'redeem', args: [wallet, shares] })
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
  const claim = { ...at(wallet), functionName: 'claim', args: [wallet, (await currentEpoch()) + 1n] } as const
  await bench.client.setNextBlockTimestamp({ timestamp: BigInt(end - 1) })
  await expect(write(claim)).rejects.toThrow()
  expect(labels(await check(wallet))).toEqual(['Withdrawal, pending'])
  await bench.client.setNextBlockTimestamp({ timestamp: BigInt(end) })
  await bench.client.mine({ blocks: 1 })
  const [ready] = await check(wallet)
  expect(ready?.label).toBe('Withdrawal, ready')
  await write(claim)
  expect(await bench.chain.actions.erc20.balanceOf(uni, wallet)).toBe(ready?.amountRaw)
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
  const shown = (await bench.read(wallet, { keys: [] })).positions.map(({ label }) => label)
  expect(shown).toEqual(['Stake', 'Withdrawal, pending'])
  expect(labels(await check(wallet))).toEqual(['Stake', 'Withdrawal, ready', 'Withdrawal, pending'])
})

it('reads the last 512 epochs, and says that those before are missing', async () => {
  const wallet = seededRandom('symbiotic epochs').address()
  await stake(wallet, 100n, quick)
  const missing: string[] = []
  const read = () => bench.read(wallet, { leftOut: (why) => missing.push(String(why)) })
  await write({ ...at(wallet, quick), functionName: 'withdraw', args: [wallet, 10n] })
  await bench.chain.travel(509)
  const inTime = (await read()).positions.map(({ label, supplied }) => [label, supplied[0]?.amountRaw])
  expect(inTime).toEqual([
    ['Stake', 90n],
    ['Withdrawal, ready', 10n],
  ])
  await bench.chain.travel(10)
  expect((await read()).positions.map(({ label }) => label)).toEqual(['Stake'])
  expect(new Set(missing)).toEqual(new Set(['Error: epochs before the last 512 are not read']))
})

it('leaves out a vault that refuses, and keeps the others', async () => {
  const wallet = seededRandom('symbiotic refusal').address()
  await stake(wallet, parseEther('3'))
  await stake(wallet, parseEther('2'), quick)
  const code = await bench.client.getCode({ address: quick })
  // Answers one to balance calls only.
  const bytecode = '0x5f3560e01c6370a08231146011575f5ffd5b60015f5260205ff3'
  await bench.client.setCode({ address: quick, bytecode })
  const missing: unknown[] = []
  const { positions } = await bench.read(wallet, {
    leftOut: (_, protocolContract) => missing.push(protocolContract?.address),
  })
  expect(positions.map(({ pool }) => pool)).toEqual([evmAddress(vault)])
  expect(missing).toEqual([evmAddress(quick)])
  await bench.client.setCode({ address: quick, bytecode: code ?? '0x' })
})

it('asks a wallet that has nothing there in the first batch alone', async () => {
  const { positions, batches } = await bench.read(bench.devnet.wallets.empty.address)
  expect(positions).toEqual([])
  expect(batches).toBe(1)
})

it('takes shares apart into what a withdrawal pays, after a slashing', async () => {
  const wallet = seededRandom('symbiotic shares').address()
  await stake(wallet, parseEther('3'))
  await slash(7, 1)
  const [known] = await bench.discover()
  const protocolContract = known?.protocolContracts.find(({ address }) => address === evmAddress(vault))
  if (!known || !protocolContract) throw new Error('the vault is not listed')
  const reader = bench.openReader()
  const { number: blockNumber } = await reader.header()
  const read = { ...view(), args: [wallet], blockNumber } as const
  const amountRaw = await bench.client.readContract({ ...read, functionName: 'balanceOf' })
  const parts = await known.deployment.decompose(reader, { protocolContract, amountRaw })
  const worth = await bench.client.readContract({ ...read, functionName: 'activeBalanceOf' })
  expect(worth).toBeLessThan(amountRaw)
  expect(amountsOf(parts ?? [])).toEqual({ [evmAddress(uni)]: worth })
})
