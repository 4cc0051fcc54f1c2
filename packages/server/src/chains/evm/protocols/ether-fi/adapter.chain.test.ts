import { addresses, ownArtifact } from '@coffer/devnet'
import { type Address, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import { NotFoundYet } from '../../../../domain/not-found-yet.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

/** They stand for eETH and weETH: shares of pooled coin, and their wrapper. */
const { steth: eeth, wsteth: weeth } = addresses.ethereum.lido
const queueAbi = parseAbi([
  'struct Request { uint96 amountOfEEth; uint96 shareOfEEth; bool isValid; uint32 feeGwei; }',
  'function requestWithdraw(address recipient, uint256 amount) returns (uint256)',
  'function finalizeRequests(uint256 id, bool isLegacy) payable',
  'function invalidateRequest(uint256 id)',
  'function validateRequest(uint256 id)',
  'function claimWithdraw(uint256 id)',
  'function transferFrom(address from, address to, uint256 id)',
  'function nextRequestId() view returns (uint32)',
  'function ownerOf(uint256 id) view returns (address)',
  'function getRequest(uint256 id) view returns (Request)',
  'function isFinalized(uint256 id) view returns (bool)',
  'function getClaimableAmount(uint256 id) view returns (uint256)',
  'function amountForShare(uint256 share) view returns (uint256)',
])

const rows: ProtocolRow[] = []
const random = seededRandom('ether.fi')
let bench: Awaited<ReturnType<typeof openProtocolBench>>
let queue: Address

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
  queue = await bench.chain.deploy(ownArtifact('WithdrawRequests'), [eeth, weeth])
  rows.push({
    ...{ family: 'ether_fi', key: 'etherfi_stake', name: 'ether.fi', chain: 'ethereum' },
    deployment: {
      ...{ eEth: eeth, weEth: weeth, liquidityPool: queue, withdrawRequestNft: queue, withdrawAdapter: queue },
    },
  })
})
afterAll(() => bench?.stop())

const at = (from: Address) => ({ from, address: queue, abi: queueAbi }) as const
const queueAt = (blockNumber?: bigint) =>
  ({ address: queue, abi: queueAbi, ...(blockNumber !== undefined && { blockNumber }) }) as const

async function stake(wallet: Address, amount: bigint): Promise<void> {
  const { lido, erc20 } = bench.chain.actions
  await lido.submit(wallet, amount)
  await erc20.allow(eeth, wallet, queue)
}

/** Returns the request ID. */
async function request(wallet: Address, amount: bigint, recipient = wallet): Promise<bigint> {
  await bench.chain.write({ ...at(wallet), functionName: 'requestWithdraw', args: [recipient, amount] })
  return BigInt(await bench.client.readContract({ ...queueAt(), functionName: 'nextRequestId' })) - 1n
}

const finalize = (id: bigint, isLegacy = false) =>
  bench.chain.write({ ...at(random.address()), functionName: 'finalizeRequests', args: [id, isLegacy] })

/** By the queue's own views at the block. Undefined for another owner's or a burnt request. */
async function expectedOf(wallet: Address, id: bigint, block: bigint) {
  const view = { ...queueAt(block), args: [id] } as const
  const owner = await bench.client.readContract({ ...view, functionName: 'ownerOf' }).catch(() => undefined)
  if (owner === undefined || evmAddress(owner) !== evmAddress(wallet)) return []
  const request = await bench.client.readContract({ ...view, functionName: 'getRequest' })
  const isFinalized = await bench.client.readContract({ ...view, functionName: 'isFinalized' })
  const worth = isFinalized
    ? await bench.client.readContract({ ...view, functionName: 'getClaimableAmount' })
    : await bench.client.readContract({ ...view, functionName: 'amountForShare', args: [request.shareOfEEth] })
  const waits = isFinalized ? 'ready' : 'pending'
  const amountRaw = [worth, request.amountOfEEth].toSorted((a, b) => (a < b ? -1 : 1))[0]
  return { id, label: `Withdrawal, ${request.isValid ? waits : 'suspended'}`, token: NATIVE, amountRaw }
}

/** `ids`: all requests that the wallet ever had. */
async function check(wallet: Address, ids: readonly bigint[]) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  const expected = await Promise.all(ids.map((id) => expectedOf(wallet, id, block)))
  const queued = positions.filter(({ kind }) => kind === 'locked')
  expect(queued.map(({ tokenId, label, supplied: [amount] }) => ({ id: tokenId, label, ...amount }))).toEqual(
    expected.flat(),
  )
  expect(queued.map(({ pool, receipts }) => [pool, receipts])).toEqual(
    queued.map(() => [evmAddress(queue), [evmAddress(queue)]]),
  )
  const staked = positions.filter(({ kind }) => kind === 'staked')
  const balance = await bench.chain.actions.erc20.balanceOf(eeth, wallet)
  expect(staked.flatMap(({ supplied }) => supplied)).toEqual(
    balance > 0n ? [{ token: NATIVE, amountRaw: balance }] : [],
  )
  return queued
}

it('reads random stakes and requests that wait, are finalised at several rates, change hands and are claimed', async () => {
  const { lido } = bench.chain.actions
  for (let round = 0; round < 3; round += 1) {
    const [wallet, other] = [random.address(), random.address()]
    await stake(wallet, parseEther('50'))
    const ids = [
      await request(wallet, random.amount(10n ** 6n, parseEther('9'))),
      await request(wallet, random.amount(10n ** 6n, parseEther('9'))),
      await request(wallet, random.amount(10n ** 6n, parseEther('9'))),
      await request(wallet, random.amount(10n ** 6n, parseEther('9'))),
    ]
    const [first = 0n, second = 0n, third = 0n, fourth = 0n] = ids
    expect(await check(wallet, ids)).toHaveLength(4)
    await lido.rebase(random.amount(1n, parseEther('5')))
    await finalize(first)
    // A loss: requests share it until their rate is fixed.
    await lido.rebase(-random.amount(parseEther('6'), parseEther('12')))
    expect((await check(wallet, ids)).map(({ label }) => label.split(' ')[1])).toEqual([
      ...['ready', 'pending', 'pending', 'pending'],
    ])
    await finalize(second, true)
    await finalize(third)
    await lido.rebase(random.amount(1n, parseEther('9')))
    await check(wallet, ids)
    await bench.chain.write({ ...at(wallet), functionName: 'transferFrom', args: [wallet, other, fourth] })
    await bench.chain.actions.native.give(queue, parseEther('9'))
    const [claimable] = await check(wallet, ids)
    const before = await bench.client.getBalance({ address: wallet })
    await bench.chain.write({ ...at(random.address()), functionName: 'claimWithdraw', args: [first] })
    expect((await bench.client.getBalance({ address: wallet })) - before).toBe(claimable?.supplied[0]?.amountRaw)
    expect(await check(wallet, ids)).toHaveLength(2)
    expect(await check(other, ids)).toHaveLength(1)
  }
})

it('a request that is suspended says so, whether or not its rate is fixed', async () => {
  const wallet = random.address()
  await stake(wallet, parseEther('4'))
  const id = await request(wallet, parseEther('1'))
  await bench.chain.write({ ...at(random.address()), functionName: 'invalidateRequest', args: [id] })
  expect((await check(wallet, [id])).map(({ label }) => label)).toEqual(['Withdrawal, suspended'])
  await finalize(id)
  expect((await check(wallet, [id])).map(({ label }) => label)).toEqual(['Withdrawal, suspended'])
  await bench.chain.write({ ...at(random.address()), functionName: 'validateRequest', args: [id] })
  expect((await check(wallet, [id])).map(({ label }) => label)).toEqual(['Withdrawal, ready'])
})

it('says that a request is missing whose log was not found yet, and shows the others', async () => {
  const wallet = random.address()
  await stake(wallet, parseEther('4'))
  const [known] = [await request(wallet, parseEther('1')), await request(wallet, parseEther('2'))]
  const missing: unknown[] = []
  const keys = [{ contract: evmAddress(queue), key: known }]
  const { positions } = await bench.read(wallet, { keys, leftOut: (why) => missing.push(why) })
  expect(positions.map(({ tokenId }) => tokenId)).toEqual([undefined, known])
  expect(missing).toEqual([new NotFoundYet('the wallet has 2 requests, and its logs have named 1 of them')])
})

it('requests of others in a log are not the wallet’s, and a wallet without requests causes no read of them', async () => {
  const [wallet, other] = [random.address(), random.address()]
  await stake(other, parseEther('4'))
  const id = await request(other, parseEther('1'))
  const { positions, batches } = await bench.read(wallet, { keys: [{ contract: evmAddress(queue), key: id }] })
  expect([positions, batches]).toEqual([[], 1])
  const own = await request(other, parseEther('1'), wallet)
  const both = [id, own].map((key) => ({ contract: evmAddress(queue), key }))
  expect((await bench.read(wallet, { keys: both })).positions.map(({ tokenId }) => tokenId)).toEqual([own])
})

it('takes eETH apart into as much coin', async () => {
  const [known] = await bench.discover()
  const protocolContract = known?.protocolContracts.find(({ address }) => address === evmAddress(eeth))
  if (!known || !protocolContract) throw new Error('eETH is not listed')
  const share = { protocolContract, amountRaw: 7n }
  expect(await known.deployment.decompose(bench.openReader(), share)).toEqual([{ token: NATIVE, amountRaw: 7n }])
})
