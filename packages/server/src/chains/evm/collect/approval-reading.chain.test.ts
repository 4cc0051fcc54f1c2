import { startDevnet } from '@coffer/devnet'
import { erc20Abi, maxUint256, parseAbi } from 'viem'
import { expect, inject, test } from 'vitest'
import { eventLogger, type LoggedEvent } from '../../../../test/event-logger.ts'
import { nodeAt } from '../../../../test/local-node.ts'
import { started } from '../../../../test/started.ts'
import { testAddress } from '../../../../test/test-tokens.ts'
import { createRpcPool } from '../../rpc/rpc-pool.ts'
import { findApprovals } from './approval-reading.ts'

const owner = testAddress(0xa1, 1)
const spender = testAddress(0xa1, 2)
const other = testAddress(0xa1, 3)
const logger = testAddress(0xa1, 4)
const transferFrom = parseAbi(['function transferFrom(address from, address to, uint256 value) returns (bool)'])

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const pool = createRpcPool({ chain: 'ethereum', urls: [devnet.chains.ethereum.url] })

/** Spender and amount of approvals found in the blocks of `work`. */
async function foundAfter(work: () => Promise<unknown>): Promise<{ spender: string; amount: bigint }[]> {
  const { client } = devnet.chains.ethereum
  const before = await client.getBlockNumber()
  await work()
  const range = { fromBlock: before + 1n, toBlock: await client.getBlockNumber() }
  const { approvals, covered, missing } = await findApprovals(pool, owner, range)
  expect({ covered, missing }).toEqual({ covered: [range], missing: [] })
  return approvals.map(({ spender, amountRaw }) => ({ spender, amount: amountRaw }))
}

test('a token that logs the allowance at every use: the allowance that the owner set stays, used ones do not', async () => {
  const { actions, addresses, write } = devnet.chains.ethereum
  const { usdc: address } = addresses.tokens
  const approve = (amount: bigint) =>
    write({ from: owner, address, abi: erc20Abi, functionName: 'approve', args: [spender, amount] })
  const use = (amount: bigint) =>
    write({ from: spender, address, abi: transferFrom, functionName: 'transferFrom', args: [owner, other, amount] })
  await actions.erc20.mint(address, owner, 1_000n)
  const found = await foundAfter(async () => {
    await approve(100n)
    await use(30n)
    await use(70n)
    await approve(maxUint256)
    await use(5n)
    await approve(0n)
    // A third party without an allowance moves nothing.
    await write({ from: other, address, abi: transferFrom, functionName: 'transferFrom', args: [owner, other, 0n] })
  })
  const events = { address, abi: erc20Abi, eventName: 'Approval', args: { owner }, fromBlock: 0n } as const
  expect(await devnet.chains.ethereum.client.getContractEvents(events)).toHaveLength(7)
  expect(found).toEqual([100n, maxUint256, 0n].map((amount) => ({ spender, amount })))
})

test('of a token that does not, everything stays', async () => {
  const { actions, addresses, write } = devnet.chains.ethereum
  const { weth: address } = addresses.tokens
  await actions.erc20.mint(address, owner, 1_000n)
  const found = await foundAfter(async () => {
    await write({ from: owner, address, abi: erc20Abi, functionName: 'approve', args: [spender, 50n] })
    const args = [owner, other, 20n] as const
    await write({ from: spender, address, abi: transferFrom, functionName: 'transferFrom', args })
    await write({ from: owner, address, abi: erc20Abi, functionName: 'approve', args: [spender, 0n] })
  })
  expect(found).toEqual([50n, 0n].map((amount) => ({ spender, amount })))
})

test('equal logs are distinguished by the previous allowance', async () => {
  const { log, deploy } = eventLogger(nodeAt(devnet.chains.ethereum.url), logger)
  await deploy()
  const approval = (amount: bigint, to = spender): LoggedEvent => ({ event: 'approval', owner, other: to, amount })
  const transfer = (amount: bigint): LoggedEvent => ({ event: 'transfer', owner, other, amount })
  const found = await foundAfter(async () => {
    // Permit and use in one transaction: the first log is the owner's, the echo has the rest.
    await log(approval(70n), approval(0n), transfer(70n))
    // The same with a token that logs no echo.
    await log(approval(40n), transfer(40n))
    // An echo of an old allowance before its transfer; then one after it.
    await log(approval(100n))
    await log(approval(90n), transfer(10n))
    await log(transfer(15n), approval(75n))
    // A transfer and an approval in one batch: no allowance was used.
    await log(transfer(15n), approval(75n))
    // With a transfer, to a spender without an earlier allowance.
    await log(transfer(1n), approval(5n, other))
    // Another owner's. An ERC-721 log would have four topics and no amount in the data.
    await log({ event: 'approval', owner: other, other: spender, amount: 9n })
  })
  const ofSpender = [70n, 40n, 100n, 75n].map((amount) => ({ spender, amount }))
  expect(found).toEqual([...ofSpender, { spender: other, amount: 5n }])
})

test('a node that does not answer leaves the range unsearched', async () => {
  const gone = createRpcPool({ chain: 'ethereum', urls: ['http://127.0.0.1:9'], limits: { backoffMs: 1 } })
  const range = { fromBlock: 0n, toBlock: 5n }
  const { failure, ...found } = await findApprovals(gone, owner, range)
  expect(found).toEqual({ approvals: [], covered: [], missing: [range] })
  expect(failure?.reason).toBe('unavailable')
})
