import { addresses, ownArtifact } from '@coffer/devnet'
import { type Address, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { unsold } from '../../../../../test/booked-costs.ts'
import { contractOf, deployOwn } from '../../../../../test/contract-of.ts'
import { ownBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import { NotFoundYet } from '../../../../domain/not-found-yet.ts'
import { protocolRows } from '../protocols.ts'

/** They stand for eETH and weETH: shares of pooled coin, and their wrapper. */
const { steth: eeth, wsteth: weeth } = addresses.ethereum.lido
/** The catalog's address of weETH. The test sets its rate. */
const RATED: Address = '0xcd5fe23c85820f7b72d0926fc9b05b43e359b7ee'

const random = seededRandom('ether.fi')
const rows = protocolRows.filter(
  ({ key, family, chain }) => `${key} ${family} ${chain}` === 'etherfi rate_tokens ethereum',
)
const bench = await ownBench(rows)
const { chain, client } = bench
const { lido, erc20, native } = chain.actions
const queue = await deployOwn(chain, 'WithdrawRequests', [eeth, weeth])
const rated = contractOf(
  chain,
  await chain.deployTo(RATED, ownArtifact('RatedToken'), ['weETH', 18, 18, eeth]),
  'RatedToken',
)
const [liquidityPool, contract] = [queue.address, evmAddress(queue.address)]
const queued = { liquidityPool, withdrawRequestNft: liquidityPool, withdrawAdapter: liquidityPool }
rows.push({
  ...{ family: 'ether_fi', key: 'etherfi_stake', name: 'ether.fi', chain: 'ethereum' },
  deployment: { eEth: eeth, weEth: weeth, ...queued },
})
await bench.discover()

async function stake(wallet: Address, amount: bigint): Promise<void> {
  await lido.submit(wallet, amount)
  await erc20.allow(eeth, wallet, queue.address)
}

const lastId = async () => BigInt(await queue.read('nextRequestId')) - 1n

/** Returns the request ID. */
async function request(wallet: Address, amount: bigint, recipient = wallet): Promise<bigint> {
  await queue.write(wallet, 'requestWithdraw', recipient, amount)
  return lastId()
}

const finalize = (id: bigint, isLegacy = false) => queue.write(random.address(), 'finalizeRequests', id, isLegacy)

type Request = { amountOfEEth: bigint; shareOfEEth: bigint; isValid: boolean }

/** By the queue's own views at the block. Undefined for another owner's or a burnt request. */
async function expectedOf(wallet: Address, id: bigint, block: bigint) {
  const { read } = queue.at(block)
  const owner = await read<Address>('ownerOf', id).catch(() => undefined)
  if (owner === undefined || evmAddress(owner) !== evmAddress(wallet)) return []
  const { amountOfEEth, shareOfEEth, isValid } = await read<Request>('getRequest', id)
  const isFinalized = await read<boolean>('isFinalized', id)
  const worth = await (isFinalized ? read('getClaimableAmount', id) : read('amountForShare', shareOfEEth))
  const waits = isFinalized ? 'ready' : 'pending'
  const [amountRaw] = [worth, amountOfEEth].toSorted((one, other) => (one < other ? -1 : 1))
  return { id, label: `Withdrawal, ${isValid ? waits : 'suspended'}`, token: NATIVE, amountRaw }
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
  expect(queued.map(({ pool, receipts }) => [pool, receipts])).toEqual(queued.map(() => [contract, [contract]]))
  const staked = positions.filter(({ kind }) => kind === 'staked')
  const balance = await erc20.balanceOf(eeth, wallet)
  expect(staked.flatMap(({ supplied }) => supplied)).toEqual(
    balance > 0n ? [{ token: NATIVE, amountRaw: balance }] : [],
  )
  return queued
}

it('reads random stakes and requests that wait, are finalised at several rates, change hands and are claimed', async () => {
  for (let round = 0; round < 3; round += 1) {
    const [wallet, other] = [random.address(), random.address()]
    await stake(wallet, parseEther('50'))
    const ids: bigint[] = []
    while (ids.length < 4) ids.push(await request(wallet, random.amount(10n ** 6n, parseEther('9'))))
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
    await queue.write(wallet, 'transferFrom', wallet, other, fourth)
    await native.give(queue.address, parseEther('9'))
    const [claimable] = await check(wallet, ids)
    const before = await client.getBalance({ address: wallet })
    await queue.write(random.address(), 'claimWithdraw', first)
    expect((await client.getBalance({ address: wallet })) - before).toBe(claimable?.supplied[0]?.amountRaw)
    expect(await check(wallet, ids)).toHaveLength(2)
    expect(await check(other, ids)).toHaveLength(1)
  }
})

it('a request that is suspended says so, whether or not its rate is fixed', async () => {
  const wallet = random.address()
  await stake(wallet, parseEther('4'))
  const id = await request(wallet, parseEther('1'))
  await queue.write(random.address(), 'invalidateRequest', id)
  expect((await check(wallet, [id])).map(({ label }) => label)).toEqual(['Withdrawal, suspended'])
  await finalize(id)
  expect((await check(wallet, [id])).map(({ label }) => label)).toEqual(['Withdrawal, suspended'])
  await queue.write(random.address(), 'validateRequest', id)
  expect((await check(wallet, [id])).map(({ label }) => label)).toEqual(['Withdrawal, ready'])
})

it('says that a request is missing whose log was not found yet, and shows the others', async () => {
  const wallet = random.address()
  await stake(wallet, parseEther('4'))
  const [known] = [await request(wallet, parseEther('1')), await request(wallet, parseEther('2'))]
  const { positions, missing } = await bench.readPartly(wallet, { keys: [{ contract, key: known }] })
  expect(positions.map(({ tokenId }) => tokenId)).toEqual([undefined, known])
  expect(missing).toEqual([`${new NotFoundYet('the wallet has 2 requests, and its logs have named 1 of them')}`])
})

it('requests of others in a log are not the wallet’s, and a wallet without requests causes no read of them', async () => {
  const [wallet, other] = [random.address(), random.address()]
  await stake(other, parseEther('4'))
  const id = await request(other, parseEther('1'))
  expect(await bench.read(wallet, { keys: [{ contract, key: id }] })).toMatchObject({ positions: [], batches: 1 })
  const own = await request(other, parseEther('1'), wallet)
  const both = [id, own].map((key) => ({ contract, key }))
  expect((await bench.read(wallet, { keys: both })).positions.map(({ tokenId }) => tokenId)).toEqual([own])
})

async function newOwner(): Promise<Address> {
  const wallet = random.address()
  await stake(wallet, parseEther('20'))
  await lido.wrap(wallet, parseEther('5'))
  await erc20.allow(weeth, wallet, queue.address)
  return wallet
}

async function finalizeAll(): Promise<bigint> {
  const last = await lastId()
  await finalize(last)
  await native.give(queue.address, parseEther('50'))
  return last
}

const { costs, summary } = namedHistory(bench, () => ({ coin: NATIVE, eeth, weeth, nft: queue.address, rated: RATED }))

it('a request turns eETH into an NFT, and a claim that any wallet may send the NFT into coin', async () => {
  const wallet = await newOwner()
  let id = 0n
  const found = await bench.played(wallet, async () => {
    await request(wallet, parseEther('3'))
    id = await finalizeAll()
    await queue.write(random.address(), 'claimWithdraw', id)
  })
  expect(summary(found)).toEqual([
    ['UNSTAKE', 'etherfi_stake', `move +nft ${id}`, 'move -eeth'],
    ['WITHDRAW', 'etherfi_stake', 'move +coin', `move -nft ${id}`],
  ])
  // 12 * 1,800 and 3 * 1,800.
  expect(costs(wallet, 'eeth 2000 had 15 at 1800, coin 2000', found)).toEqual({
    held: { eeth: '12 at 21600', coin: '3 at 5400' },
    ...unsold('27000'),
  })
})

it('weETH goes in by the adapter, and comes back as coin', async () => {
  const wallet = await newOwner()
  let id = 0n
  const found = await bench.played(wallet, async () => {
    await queue.write(wallet, 'requestWithdrawWrapped', parseEther('2'), wallet)
    id = await finalizeAll()
    await queue.write(wallet, 'claimWithdraw', id)
  })
  expect(summary(found)).toEqual([
    ['UNSTAKE', 'etherfi_stake', `move +nft ${id}`, 'move -weeth'],
    ['WITHDRAW', 'etherfi_stake', 'move +coin', `move -nft ${id}`],
  ])
})

it('eETH is wrapped, and comes back with what it has grown by', async () => {
  const [wallet, other] = [await newOwner(), await newOwner()]
  await erc20.allow(eeth, wallet, RATED)
  await erc20.transfer(eeth, other, RATED, parseEther('5'))
  await rated.write(other, 'set', parseEther('1.2'), false)
  const wrapped = await bench.played(wallet, () => rated.write(wallet, 'deposit', parseEther('6')))
  await rated.write(other, 'set', parseEther('1.3'), false)
  const unwrapped = await bench.played(wallet, () => rated.write(wallet, 'redeem', parseEther('2')))
  const found = [...wrapped, ...unwrapped]
  expect(summary(found)).toEqual([
    ['STAKE', 'etherfi', 'move +rated', 'move -eeth'],
    ['UNSTAKE', 'etherfi', 'move +eeth', 'move -rated'],
  ])
  // Two of five stood for 2.4 eETH of 1,800 USD. Of the returned 2.6, 0.2 are income.
  expect(costs(wallet, 'eeth 2000 had 15 at 1800, rated 2400', found)).toEqual({
    held: { eeth: '11.6 at 20920', rated: '3 at 6480' },
    ...unsold('27400', '400'),
  })
})

it('a request in the name of another is sent to it, whose NFT comes from outside', async () => {
  const [payer, owner] = [await newOwner(), random.address()]
  const before = await client.getBlockNumber()
  await request(payer, parseEther('3'), owner)
  const [sent] = await bench.readSince(payer, before)
  expect([sent?.type, sent?.movements.map(({ counterparty }) => counterparty)]).toEqual([
    'TRANSFEROUT',
    [evmAddress(owner)],
  ])
  const [got] = await bench.readSince(owner, before)
  expect(got?.movements.map(({ treatment, amountRaw }) => [treatment, amountRaw])).toEqual([['acquire', 1n]])
})

it('takes eETH apart into as much coin', async () => {
  expect(await bench.decompose('etherfi_stake', eeth, 7n)).toEqual([{ token: NATIVE, amountRaw: 7n }])
})
