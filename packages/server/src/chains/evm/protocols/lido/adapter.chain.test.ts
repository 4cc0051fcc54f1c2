import { addresses } from '@coffer/devnet'
import { type Address, erc20Abi, parseAbi, parseEther } from 'viem'
import { afterAll, expect, inject, it } from 'vitest'
import { contractAt } from '../../../../../test/contract-at.ts'
import { openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import { protocolRows } from '../protocols.ts'

const { lido } = addresses.ethereum
const steth = evmAddress(lido.steth)
const wsteth = evmAddress(lido.wsteth)
const wstethAbi = parseAbi(['function getStETHByWstETH(uint256 amount) view returns (uint256)'])

const rows = protocolRows.filter(({ key }) => key === 'lido')
const bench = await openProtocolBench(inject('devnetState'), rows)
afterAll(() => bench.stop())
const { chain, client } = bench
const { native, lido: staking } = chain.actions
const wrapper = contractAt(chain, wsteth, wstethAbi)

async function check(wallet: Address) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  const balanceOf = (token: Address) => contractAt(chain, token, erc20Abi).read('balanceOf', [wallet], block)
  const unwrapped = await wrapper.read('getStETHByWstETH', [await balanceOf(wsteth)], block)
  const expected = [
    { receipt: steth, amountRaw: await balanceOf(steth) },
    { receipt: wsteth, amountRaw: unwrapped },
  ].filter(({ amountRaw }) => amountRaw > 0n)
  expect(positions.map(({ kind, receipts: [receipt], supplied }) => ({ kind, receipt, supplied }))).toEqual(
    expected.map(({ receipt, amountRaw }) => ({ kind: 'staked', receipt, supplied: [{ token: steth, amountRaw }] })),
  )
  return positions
}

it('reads stETH as it is and wstETH in stETH', async () => {
  expect((await check(bench.devnet.wallets.demo.address)).length).toBe(2)
})

it('reads random stakes between one wei and 10^30, through rebases', async () => {
  const random = seededRandom('lido')
  for (const largest of [1n, 10n ** 30n, parseEther('100'), parseEther('1')]) {
    const wallet = random.address()
    const amount = largest === 10n ** 30n ? largest : random.amount(1n, largest)
    await native.give(wallet, amount)
    await staking.submit(wallet, amount)
    if (amount > 10n ** 6n) await staking.wrap(wallet, random.amount(10n ** 3n, amount / 2n))
    await staking.rebase(random.amount(1n, parseEther('50')))
    await check(wallet)
  }
})

it('takes wstETH apart into stETH, and leaves stETH to its own price', async () => {
  const [known] = await bench.discover()
  const reader = bench.openReader()
  const protocolContractOf = (address: string) =>
    known?.protocolContracts.find((protocolContract) => protocolContract.address === address)
  const [staked, wrapped] = [protocolContractOf(steth), protocolContractOf(wsteth)]
  if (!known || !staked || !wrapped) throw new Error('Lido is not listed')
  expect(await known.deployment.decompose(reader, { protocolContract: staked, amountRaw: 5n })).toBeUndefined()
  const amount = parseEther('3.25')
  const { number } = await reader.header()
  expect(await known.deployment.decompose(reader, { protocolContract: wrapped, amountRaw: amount })).toEqual([
    { token: steth, amountRaw: await wrapper.read('getStETHByWstETH', [amount], number) },
  ])
})

const queueAbi = parseAbi([
  'struct Status { uint256 amountOfStETH; uint256 amountOfShares; address owner; uint256 timestamp; bool isFinalized; bool isClaimed; }',
  'function getWithdrawalRequests(address owner) view returns (uint256[] ids)',
  'function getWithdrawalStatus(uint256[] ids) view returns (Status[] statuses)',
  'function getLastCheckpointIndex() view returns (uint256)',
  'function findCheckpointHints(uint256[] ids, uint256 first, uint256 last) view returns (uint256[] hints)',
  'function getClaimableEther(uint256[] ids, uint256[] hints) view returns (uint256[] claimable)',
])
const SHARE_RATE_UNIT = 10n ** 27n

/** Compares requests with the queue's own views at the block. */
async function checkRequests(wallet: Address) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  const { read } = contractAt(chain, lido.withdrawalQueue, queueAbi)
  const ids = await read('getWithdrawalRequests', [wallet], block)
  const statuses = await read('getWithdrawalStatus', [ids], block)
  const last = await read('getLastCheckpointIndex', [], block)
  const expected = await Promise.all(
    ids.map(async (id, i) => {
      const { isFinalized, amountOfStETH } = statuses[i] ?? { isFinalized: false, amountOfStETH: 0n }
      if (!isFinalized) return { id, label: 'Withdrawal, pending', token: steth, amountRaw: amountOfStETH }
      const hints = await read('findCheckpointHints', [[id], 1n, last], block)
      const [amountRaw] = await read('getClaimableEther', [[id], hints], block)
      return { id, label: 'Withdrawal, ready', token: NATIVE, amountRaw }
    }),
  )
  const queued = positions.filter(({ kind }) => kind === 'locked')
  const queue = evmAddress(lido.withdrawalQueue)
  expect(queued.map(({ pool, receipts }) => [pool, receipts])).toEqual(queued.map(() => [queue, [queue]]))
  expect(queued.map(({ tokenId, label, supplied: [amount] }) => ({ id: tokenId, label, ...amount }))).toEqual(expected)
  return expected
}

it('reads requests that wait, are paid at a lower rate, and change hands', async () => {
  const random = seededRandom('lido queue')
  for (let round = 0; round < 3; round += 1) {
    const [wallet, other] = [random.address(), random.address()]
    await staking.submit(wallet, parseEther('50'))
    await staking.wrap(wallet, parseEther('10'))
    await staking.request(wallet, [100n, random.amount(100n, parseEther('5')), parseEther('1')])
    await staking.request(wallet, [random.amount(10n ** 6n, parseEther('5'))], wallet, true)
    expect(await checkRequests(wallet)).toHaveLength(4)
    const last = (await staking.lastRequest()) - 1n
    const rate = random.pick([SHARE_RATE_UNIT, (SHARE_RATE_UNIT * 11n) / 10n, 2n * SHARE_RATE_UNIT])
    await staking.finalize(last, rate, parseEther('0.5'))
    await staking.finalize(last + 1n, rate + 1n, 1n)
    await staking.request(wallet, [parseEther('2')])
    const open = await checkRequests(wallet)
    expect(open.map(({ token }) => token)).toEqual([NATIVE, NATIVE, NATIVE, NATIVE, steth])
    const [first] = await staking.requestsOf(wallet)
    if (first === undefined) throw new Error('no request')
    await staking.passRequest(wallet, other, first)
    // The last entry of the list takes its place.
    expect(await checkRequests(wallet)).toHaveLength(4)
    expect(await checkRequests(other)).toHaveLength(1)
    await staking.claim(other, [first])
    expect(await checkRequests(other)).toEqual([])
  }
})

it('reads both ends of a flood of requests, and says that the rest is missing', async () => {
  const random = seededRandom('lido flood')
  const [wallet, flooder] = [random.address(), random.address()]
  for (const each of [wallet, flooder]) await staking.submit(each, parseEther('3'))
  await staking.request(wallet, [parseEther('1')])
  for (let i = 0; i < 13; i += 1) await staking.request(flooder, Array(80).fill(100n), wallet)
  await staking.request(wallet, [parseEther('0.5')])
  const missing: unknown[] = []
  const { positions } = await bench.read(wallet, { leftOut: (why) => missing.push(why) })
  const [stake, ...queued] = positions
  expect(stake?.label).toBe('stETH')
  expect(queued).toHaveLength(1024)
  expect(queued[0]?.supplied).toEqual([{ token: steth, amountRaw: parseEther('1') }])
  expect(queued.at(-1)?.supplied).toEqual([{ token: steth, amountRaw: parseEther('0.5') }])
  expect(missing).toEqual([new Error('the wallet has 1042 position NFTs, too many to read all of them')])
})

it('leaves out a queue that refuses, and keeps stETH', async () => {
  const wallet = seededRandom('lido refusal').address()
  await staking.submit(wallet, parseEther('3'))
  await staking.request(wallet, [parseEther('1')])
  const code = await client.getCode({ address: lido.withdrawalQueue })
  // Answers one to balance calls only.
  await client.setCode({
    address: lido.withdrawalQueue,
    bytecode: '0x5f3560e01c6370a08231146011575f5ffd5b60015f5260205ff3',
  })
  const missing: unknown[] = []
  const { positions } = await bench.read(wallet, {
    leftOut: (_, protocolContract) => missing.push(protocolContract?.role),
  })
  expect(positions.map(({ label }) => label)).toEqual(['stETH'])
  expect(missing).toEqual(['queue'])
  await client.setCode({ address: lido.withdrawalQueue, bytecode: code ?? '0x' })
})
