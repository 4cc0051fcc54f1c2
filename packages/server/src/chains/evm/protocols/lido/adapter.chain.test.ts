import { addresses } from '@coffer/devnet'
import { type Address, erc20Abi, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { contractOf } from '../../../../../test/contract-of.ts'
import { protocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import { protocolRows } from '../protocols.ts'

const { lido } = addresses.ethereum
const steth = evmAddress(lido.steth)
const wsteth = evmAddress(lido.wsteth)

const rows = protocolRows.filter(({ key }) => key === 'lido')
const bench = await protocolBench(rows)
const { chain, client } = bench
const { native, lido: staking } = chain.actions
const wrapper = contractOf(chain, wsteth, 'WrappedStakedEther')

async function check(wallet: Address) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  const balanceOf = (token: Address) => contractOf(chain, token, erc20Abi).at(block).read('balanceOf', wallet)
  const unwrapped = await wrapper.at(block).read('getStETHByWstETH', await balanceOf(wsteth))
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
  expect(await bench.decompose('lido', steth, 5n)).toBeUndefined()
  const amount = parseEther('3.25')
  const amountRaw = await wrapper.read('getStETHByWstETH', amount)
  expect(await bench.decompose('lido', wsteth, amount)).toEqual([{ token: steth, amountRaw }])
})

const SHARE_RATE_UNIT = 10n ** 27n

/** Compares requests with the queue's own views at the block. */
async function checkRequests(wallet: Address) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  const { read } = contractOf(chain, lido.withdrawalQueue, 'WithdrawalQueue').at(block)
  const ids = await read<bigint[]>('getWithdrawalRequests', wallet)
  const statuses = await read<{ isFinalized: boolean; amountOfStETH: bigint }[]>('getWithdrawalStatus', ids)
  const last = await read('getLastCheckpointIndex')
  const expected = await Promise.all(
    ids.map(async (id, i) => {
      const { isFinalized, amountOfStETH } = statuses[i] ?? { isFinalized: false, amountOfStETH: 0n }
      if (!isFinalized) return { id, label: 'Withdrawal, pending', token: steth, amountRaw: amountOfStETH }
      const hints = await read('findCheckpointHints', [id], 1n, last)
      const [amountRaw] = await read<bigint[]>('getClaimableEther', [id], hints)
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
  const { positions, missing } = await bench.readPartly(wallet)
  const [stake, ...queued] = positions
  expect(stake?.label).toBe('stETH')
  expect(queued).toHaveLength(1024)
  expect(queued[0]?.supplied).toEqual([{ token: steth, amountRaw: parseEther('1') }])
  expect(queued.at(-1)?.supplied).toEqual([{ token: steth, amountRaw: parseEther('0.5') }])
  expect(missing).toEqual(['Error: the wallet has 1042 position NFTs, too many to read all of them'])
})

it('leaves out a queue that refuses, and keeps stETH', async () => {
  const wallet = seededRandom('lido refusal').address()
  await staking.submit(wallet, parseEther('3'))
  await staking.request(wallet, [parseEther('1')])
  const address = evmAddress(lido.withdrawalQueue)
  const code = await client.getCode({ address })
  // Answers one to balance calls only.
  await client.setCode({ address, bytecode: '0x5f3560e01c6370a08231146011575f5ffd5b60015f5260205ff3' })
  const { positions, refused } = await bench.readPartly(wallet)
  expect([positions.map(({ label }) => label), refused]).toEqual([['stETH'], [address]])
  await client.setCode({ address, bytecode: code ?? '0x' })
})
