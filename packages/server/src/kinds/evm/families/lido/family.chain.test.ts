import { addresses } from '@coffer/devnet'
import { type Address, erc20Abi, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import { protocolRows } from '../families.ts'

const { lido } = addresses.ethereum
const steth = evmAddress(lido.steth)
const wsteth = evmAddress(lido.wsteth)
const wstethAbi = parseAbi(['function getStETHByWstETH(uint256 amount) view returns (uint256)'])

let bench: Awaited<ReturnType<typeof openProtocolBench>>

beforeAll(async () => {
  bench = await openProtocolBench(
    inject('devnetState'),
    protocolRows.filter(({ key }) => key === 'lido'),
  )
})
afterAll(() => bench?.stop())

async function check(wallet: Address) {
  const { positions, block, waves } = await bench.read(wallet)
  expect(waves).toBeLessThanOrEqual(2)
  const balanceOf = (address: Address) =>
    bench.client.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [wallet], blockNumber: block })
  const wrapped = { address: wsteth, abi: wstethAbi, functionName: 'getStETHByWstETH' } as const
  const unwrapped = await bench.client.readContract({ ...wrapped, args: [await balanceOf(wsteth)], blockNumber: block })
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
  const { native, lido: staking } = bench.chain.actions
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
  const instrumentOf = (address: string) => known?.instruments.find((instrument) => instrument.address === address)
  const [staked, wrapped] = [instrumentOf(steth), instrumentOf(wsteth)]
  if (!known || !staked || !wrapped) throw new Error('Lido is not listed')
  expect(await known.adapter.decompose(reader, { instrument: staked, amountRaw: 5n, heldRaw: 5n })).toBeUndefined()
  const amount = parseEther('3.25')
  const { number: blockNumber } = await reader.header()
  const rate = { address: wsteth, abi: wstethAbi, functionName: 'getStETHByWstETH', args: [amount] } as const
  expect(await known.adapter.decompose(reader, { instrument: wrapped, amountRaw: amount, heldRaw: amount })).toEqual([
    { token: steth, amountRaw: await bench.client.readContract({ ...rate, blockNumber }) },
  ])
})
