import { addresses, addStrategy, deployEigenLayer, ownArtifact } from '@coffer/devnet'
import { type Address, parseAbi, parseEther, parseGwei, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { Position } from '../../../../domain/position.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const DELAY_BLOCKS = 30
const BLOCK_SECONDS = 12
const BEACON: Address = '0xbeaC0eeEeeeeEEeEeEEEEeeEEeEeeeEeeEEBEaC0'
const WHOLE = 10n ** 18n
const { tokens, lido } = addresses.ethereum
const hubAbi = parseAbi([
  'struct Withdrawal { address staker; address delegatedTo; address withdrawer; uint256 nonce; uint32 startBlock; address[] strategies; uint256[] scaledShares; }',
  'struct Queued { address[] strategies; uint256[] depositShares; address withdrawer; }',
  'struct Signature { bytes signature; uint256 expiry; }',
  'function registerAsOperator(address approver, uint32 delay, string uri)',
  'function delegateTo(address operator, Signature signature, bytes32 salt)',
  'function undelegate(address staker)',
  'function depositIntoStrategy(address strategy, address token, uint256 amount) returns (uint256)',
  'function queueWithdrawals(Queued[] params)',
  'function completeQueuedWithdrawal(Withdrawal withdrawal, address[] tokens, bool receiveAsTokens)',
  'function createPod() returns (address)',
  'function checkpoint(address owner, uint256 before, int256 change) payable',
  'function setDeficit(address owner, int256 deficit)',
  'function slash(address operator, address strategy, uint64 part)',
  'function getDepositedShares(address staker) view returns (address[] strategies, uint256[] shares)',
  'function getWithdrawableShares(address staker, address[] strategies) view returns (uint256[] withdrawable, uint256[] deposited)',
  'function getQueuedWithdrawals(address staker) view returns (Withdrawal[] withdrawals, uint256[][] shares)',
])
const strategyAbi = parseAbi([
  'function sharesToUnderlyingView(uint256 shares) view returns (uint256)',
  'function lock(uint32 until)',
  'function open()',
])

const rows: ProtocolRow[] = []
const random = seededRandom('eigenlayer')
let bench: Awaited<ReturnType<typeof openProtocolBench>>
let hub: Address
/** Paid token by strategy. */
const paidIn = new Map<Address, Address>()
let uni: Address
let steth: Address
let eigen: { strategy: Address; token: Address }

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
  const { chain } = bench
  const made = await deployEigenLayer(chain, DELAY_BLOCKS, tokens.link)
  hub = made.hub
  uni = await addStrategy(chain, hub, tokens.uni)
  steth = await addStrategy(chain, hub, lido.steth)
  eigen = { strategy: made.eigenStrategy, token: made.eigen }
  for (const [strategy, token] of [
    [uni, tokens.uni],
    [steth, lido.steth],
    [eigen.strategy, eigen.token],
    [BEACON, zeroAddress],
  ] as const) {
    paidIn.set(strategy, token)
  }
  rows.push({
    ...{ family: 'eigenlayer', key: 'eigenlayer', name: 'EigenLayer', chain: 'ethereum' },
    deployment: {
      ...{ delegationManager: hub, strategyManager: hub, eigenPodManager: hub, rewardsCoordinator: hub },
      ...{ strategies: [uni, steth], wrapped: [eigen], blockSeconds: BLOCK_SECONDS },
    },
  })
})
afterAll(() => bench?.stop())

const at = (from: Address) => ({ from, address: hub, abi: hubAbi }) as const
const write: typeof bench.chain.write = (call) => bench.chain.write(call)
const ask = <const Args extends object>(args: Args) => ({ address: hub, abi: hubAbi, ...args }) as const

async function stake(wallet: Address, strategy: Address, amount: bigint): Promise<void> {
  const { erc20, lido: staking } = bench.chain.actions
  const backing = strategy === eigen.strategy ? tokens.link : (paidIn.get(strategy) ?? zeroAddress)
  if (strategy === steth) await staking.submit(wallet, amount)
  else await erc20.mint(backing, wallet, amount)
  await erc20.allow(backing, wallet, hub)
  await write({ ...at(wallet), functionName: 'depositIntoStrategy', args: [strategy, backing, amount] })
}

async function newOperator(): Promise<Address> {
  const operator = random.address()
  await write({ ...at(operator), functionName: 'registerAsOperator', args: [zeroAddress, 0, ''] })
  return operator
}

const delegate = (wallet: Address, operator: Address) =>
  write({
    ...at(wallet),
    functionName: 'delegateTo',
    args: [operator, { signature: '0x', expiry: 0n }, `0x${'00'.repeat(32)}`],
  })

const slash = (operator: Address, strategy: Address, part: bigint) =>
  write({ ...at(random.address()), functionName: 'slash', args: [operator, strategy, part] })

/** `amount`: held by the pod's validators. */
async function newPod(wallet: Address, amount: bigint): Promise<void> {
  await write({ ...at(wallet), functionName: 'createPod' })
  await write({ ...at(wallet), functionName: 'checkpoint', args: [wallet, 0n, amount] })
}

async function depositedOf(wallet: Address, blockNumber?: bigint) {
  const [strategies, shares] = await bench.client.readContract(
    ask({ functionName: 'getDepositedShares', args: [wallet], ...(blockNumber !== undefined && { blockNumber }) }),
  )
  return strategies.map((strategy, i) => ({ strategy, shares: shares[i] ?? 0n }))
}

const queue = (wallet: Address, parts: readonly { strategy: Address; shares: bigint }[]) =>
  write({
    ...at(wallet),
    functionName: 'queueWithdrawals',
    args: [
      [
        {
          strategies: parts.map(({ strategy }) => strategy),
          depositShares: parts.map(({ shares }) => shares),
          withdrawer: zeroAddress,
        },
      ],
    ],
  })

/** By the strategy's own answer. A pod pays whole gwei. */
async function worthOf(strategy: Address, shares: bigint, blockNumber: bigint): Promise<bigint> {
  if (strategy === BEACON) return shares - (shares % parseGwei('1'))
  const read = { address: strategy, abi: strategyAbi, functionName: 'sharesToUnderlyingView' } as const
  return bench.client.readContract({ ...read, args: [shares], blockNumber })
}

type Facts = Pick<Position, 'kind' | 'label'> & { unlockAt?: number | undefined }
type Shown = Facts & { pool: string; token: string; amountRaw: bigint }

/** Compares positions with the protocol's views at the block. */
async function check(wallet: Address): Promise<Position[]> {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  const { timestamp } = await bench.client.getBlock({ blockNumber: block })
  const deposited = await depositedOf(wallet, block)
  const strategies = deposited.map(({ strategy }) => strategy)
  const at = { blockNumber: block }
  const [withdrawable] = await bench.client.readContract(
    ask({ functionName: 'getWithdrawableShares', args: [wallet, strategies], ...at }),
  )
  const [withdrawals, due] = await bench.client.readContract(
    ask({ functionName: 'getQueuedWithdrawals', args: [wallet], ...at }),
  )
  const shownAs = async (strategy: Address, shares: bigint, facts: Facts) => ({
    ...{ unlockAt: undefined, ...facts, pool: evmAddress(strategy), token: evmAddress(paidIn.get(strategy) ?? '0x') },
    amountRaw: await worthOf(strategy, shares, block),
  })
  const staked = strategies.map((strategy, i) =>
    shownAs(strategy, withdrawable[i] ?? 0n, { kind: 'staked', label: strategy === BEACON ? 'Pod' : 'Stake' }),
  )
  const queued = withdrawals.flatMap(({ strategies: parts, startBlock }, i) => {
    const first = startBlock + DELAY_BLOCKS + 1
    const left = first - Number(block)
    const facts: Facts = {
      ...{ kind: 'locked', label: left > 0 ? `Withdrawal, pending until block ${first}` : 'Withdrawal, ready' },
      ...{ unlockAt: left > 0 ? Number(timestamp) + left * BLOCK_SECONDS : undefined },
    }
    return parts.map((strategy, j) => shownAs(strategy, due[i]?.[j] ?? 0n, facts))
  })
  const expected: Shown[] = await Promise.all([...staked, ...queued])
  const shown = positions.map(({ kind, label, unlockAt, pool, supplied: [amount] }) => ({
    ...{ kind, label, unlockAt, pool, ...amount },
  }))
  expect(shown).toEqual(expected.filter(({ amountRaw }) => amountRaw > 0n))
  for (const { receipts, supplied, borrowed, rewards } of positions)
    expect([receipts, supplied.length, borrowed, rewards]).toEqual([[], 1, [], []])
  return positions
}

it('reads random stakes, pods and withdrawals, delegated and slashed, through the delay', async () => {
  const { erc20, lido: staking } = bench.chain.actions
  for (let round = 0; round < 3; round += 1) {
    const [wallet, operator] = [random.address(), await newOperator()]
    const all = [uni, steth, eigen.strategy]
    for (const strategy of all) await stake(wallet, strategy, random.amount(10n ** 6n, parseEther('40')))
    await newPod(wallet, random.amount(1n, 40n * 10n ** 9n) * parseGwei('1'))
    await slash(operator, random.pick(all), random.amount(1n, WHOLE / 2n))
    await delegate(wallet, operator)
    // Tokens sent to a strategy, and growth of stETH, belong to its shares.
    await erc20.mint(tokens.uni, uni, random.amount(1n, parseEther('9')))
    await staking.rebase(random.amount(1n, parseEther('5')))
    await check(wallet)
    for (const { strategy, shares } of await depositedOf(wallet)) {
      await queue(wallet, [{ strategy, shares: random.amount(1n, shares) }])
    }
    for (const strategy of [...all, BEACON]) await slash(operator, strategy, random.amount(0n, WHOLE / 3n))
    await write({ ...at(wallet), functionName: 'checkpoint', args: [wallet, parseEther('40'), -parseEther('3')] })
    await stake(wallet, random.pick(all), random.amount(10n ** 6n, parseEther('4')))
    const left = (await depositedOf(wallet)).map(({ strategy, shares }) => ({ strategy, shares: 1n + shares / 3n }))
    await queue(wallet, left)
    expect((await check(wallet)).length).toBeGreaterThanOrEqual(10)
    await bench.client.mine({ blocks: DELAY_BLOCKS - random.index(4) })
    // Too late for completed delays, in time for the others.
    for (const strategy of [...all, BEACON]) await slash(operator, strategy, random.amount(0n, WHOLE / 3n))
    const labels = (await check(wallet)).map(({ label }) => label)
    expect(labels).toContain('Withdrawal, ready')
  }
})

it('a withdrawal is ready in the block in which it can be completed, and pays what is shown', async () => {
  const [wallet, operator] = [random.address(), await newOperator()]
  await stake(wallet, uni, parseEther('7'))
  await delegate(wallet, operator)
  await queue(wallet, await depositedOf(wallet))
  const queuedAt = Number(await bench.client.getBlockNumber())
  await slash(operator, uni, WHOLE / 10n)
  const [pending] = await check(wallet)
  expect(pending?.label).toBe(`Withdrawal, pending until block ${queuedAt + DELAY_BLOCKS + 1}`)
  const [[withdrawal]] = await bench.client.readContract(ask({ functionName: 'getQueuedWithdrawals', args: [wallet] }))
  if (!withdrawal) throw new Error('nothing is queued')
  const complete = { ...at(wallet), functionName: 'completeQueuedWithdrawal' } as const
  const args = [withdrawal, [tokens.uni], true] as const
  // The next transaction would otherwise be in the block before.
  await bench.client.mine({ blocks: queuedAt + DELAY_BLOCKS - 1 - Number(await bench.client.getBlockNumber()) })
  await expect(write({ ...complete, args })).rejects.toThrow()
  expect((await check(wallet)).map(({ label, unlockAt }) => [label.split(',')[1], typeof unlockAt])).toEqual([
    [` pending until block ${queuedAt + DELAY_BLOCKS + 1}`, 'number'],
  ])
  await bench.client.mine({ blocks: 1 })
  const [ready] = await check(wallet)
  expect([ready?.label, ready?.unlockAt]).toEqual(['Withdrawal, ready', undefined])
  await write({ ...complete, args })
  expect(await bench.chain.actions.erc20.balanceOf(tokens.uni, wallet)).toBe(ready?.supplied[0]?.amountRaw)
  expect(await check(wallet)).toEqual([])
})

it('an operator that undelegates a wallet queues all it has: the wallet has nothing else and is still read', async () => {
  const [wallet, operator] = [random.address(), await newOperator()]
  await stake(wallet, uni, parseEther('2'))
  await stake(wallet, steth, parseEther('3'))
  await delegate(wallet, operator)
  await write({ ...at(operator), functionName: 'undelegate', args: [wallet] })
  expect((await check(wallet)).map(({ kind }) => kind)).toEqual(['locked', 'locked'])
})

it('a stake whose operator lost all is worth nothing and shown as nothing', async () => {
  const [wallet, operator] = [random.address(), await newOperator()]
  await stake(wallet, uni, parseEther('2'))
  await stake(wallet, eigen.strategy, parseEther('2'))
  await delegate(wallet, operator)
  await slash(operator, uni, WHOLE)
  expect((await check(wallet)).map(({ pool }) => pool)).toEqual([evmAddress(eigen.strategy)])
})

it('a pod with a deficit of shares is nothing, and never a debt or a failure', async () => {
  const wallet = random.address()
  await newPod(wallet, parseEther('32'))
  await write({ ...at(wallet), functionName: 'setDeficit', args: [wallet, -parseEther('1')] })
  expect(await check(wallet)).toEqual([])
  await stake(wallet, uni, parseEther('1'))
  expect((await check(wallet)).map(({ label }) => label)).toEqual(['Stake'])
})

it('what a pod holds and has not proven is not added to its shares, which count it already', async () => {
  const wallet = random.address()
  await newPod(wallet, parseEther('32'))
  const pod = await bench.client.readContract({
    ...{ address: hub, abi: parseAbi(['function ownerToPod(address owner) view returns (address)']) },
    ...{ functionName: 'ownerToPod', args: [wallet] },
  })
  // The validator has left the beacon chain.
  await bench.chain.actions.native.give(pod, parseEther('32.5'))
  const [position, ...others] = await check(wallet)
  expect([position?.supplied, others]).toEqual([[{ token: NATIVE, amountRaw: parseEther('32') }], []])
})

it('EIGEN is shown as EIGEN, although bEIGEN lies in its strategy', async () => {
  const wallet = random.address()
  await stake(wallet, eigen.strategy, parseEther('5'))
  const [position] = await check(wallet)
  expect(position?.supplied.map(({ token }) => token)).toEqual([evmAddress(eigen.token)])
})

it('a vault of fixed duration reports when withdrawals begin, unless they were released before', async () => {
  const wallet = random.address()
  const vault = await addStrategy(bench.chain, hub, tokens.uni)
  paidIn.set(vault, tokens.uni)
  await stake(wallet, vault, parseEther('5'))
  expect((await bench.read(wallet)).positions.map(({ unlockAt }) => unlockAt)).toEqual([undefined])
  const end = 4_000_000_000
  const call = { from: wallet, address: vault, abi: strategyAbi } as const
  await write({ ...call, functionName: 'lock', args: [end] })
  expect((await bench.read(wallet)).positions.map(({ unlockAt }) => unlockAt)).toEqual([end])
  await write({ ...call, functionName: 'open' })
  expect((await bench.read(wallet)).positions.map(({ unlockAt }) => unlockAt)).toEqual([undefined])
})

it('a strategy of a token that refuses, or burns its gas, is left out and reported, and the others stand', async () => {
  const wallet = random.address()
  // `balanceOf` reverts, or runs without an end.
  for (const code of ['0x5f5ffd', '0x5b5f56'] as const) {
    const token = await bench.chain.deploy(ownArtifact('WrappedBacking'), [tokens.uni])
    const strategy = await addStrategy(bench.chain, hub, token)
    const { erc20 } = bench.chain.actions
    await erc20.mint(tokens.uni, wallet, parseEther('1'))
    await erc20.allow(tokens.uni, wallet, token)
    const wrap = parseAbi(['function wrap(uint256 amount)'])
    await write({ from: wallet, address: token, abi: wrap, functionName: 'wrap', args: [parseEther('1')] })
    await erc20.allow(token, wallet, hub)
    await write({ ...at(wallet), functionName: 'depositIntoStrategy', args: [strategy, token, parseEther('1')] })
    await bench.client.setCode({ address: token, bytecode: code })
  }
  await stake(wallet, uni, parseEther('1'))
  const missing: unknown[] = []
  const { positions } = await bench.read(wallet, { leftOut: (why) => missing.push(why) })
  expect(positions.map(({ pool }) => pool)).toEqual([evmAddress(uni)])
  const strategies = (await depositedOf(wallet)).slice(0, 2).map(({ strategy }) => strategy)
  expect(missing).toEqual(strategies.map((strategy) => new Error(`strategy ${strategy} could not be read`)))
})

it('a wallet that has nothing there costs no second call', async () => {
  const { positions, batches } = await bench.read(random.address())
  expect([positions, batches]).toEqual([[], 1])
})
