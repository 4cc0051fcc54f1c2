import { parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { UNHURRIED } from '../../../../test/hangs.ts'
import { localChain } from '../../../../test/local-node.ts'
import { nodeBehindProxy } from '../../../../test/node-behind-proxy.ts'
import type { RpcCall, Rule } from '../../../../test/rpc-proxy.ts'
import { testAddress } from '../../../../test/test-tokens.ts'
import { systemClock } from '../../../lib/clock.ts'
import { lacksBlock, OtherBlock } from '../../rpc/json-rpc.ts'
import { createRpcPool } from '../../rpc/rpc-pool.ts'
import { examineEvm } from '../examine.ts'
import { createEvmReader } from '../reader/create-evm-reader.ts'
import type { EvmReader, PlannedCall } from '../reader/evm-reader.ts'
import { atOneBlock } from './at-one-block.ts'

const abi = parseAbi(['function block() view returns (uint256)'])
/** Returns the number of the block on which it runs. */
const NUMBER_CODE = '0x4360005260206000f3'
const contracts = [1, 2, 3].map((n) => testAddress(7, n))

const { node, proxy } = await nodeBehindProxy()

for (const address of contracts) await node.send('anvil_setCode', address, NUMBER_CODE)
await node.send('anvil_mine', '0x10')

const isCall = ({ method }: RpcCall) => method === 'eth_call'
const newest = ([call, , ...more]: unknown[]) => [call, 'latest', ...more]
/** Runs every call on the newest block. `goesOn`: each call has a new one. */
const ignoringBlocks = (goesOn: boolean): Rule => ({
  when: isCall,
  fault: { params: newest, ...(goesOn && { before: async () => void (await node.send('anvil_mine', '0x1')) }) },
})
const calls = () => proxy.calls().filter(isCall).length

const poolOf = (...urls: string[]) => createRpcPool({ chain: 'ethereum', urls, limits: UNHURRIED })
const opening = (pool = poolOf(proxy.url)) => ({
  open: (plan: readonly PlannedCall[]) => createEvmReader({ pool, chain: localChain, plan }),
  plan: [],
})

const blockAt = (reader: EvmReader, address = testAddress(7, 1)) => reader.read({ address, abi, functionName: 'block' })

/** Three reads. Each waits for the one before it. */
async function threeDeep(reader: EvmReader): Promise<bigint[]> {
  const blocks: bigint[] = []
  for (const address of contracts) blocks.push(await blockAt(reader, address))
  return [...blocks, (await reader.header()).number]
}

test('a read ends in one batch at a node that runs every call on a new block', async () => {
  proxy.add(ignoringBlocks(true))
  const blocks = await atOneBlock(opening(), threeDeep)
  expect(new Set(blocks).size).toBe(1)
  // Two batches, the second on another block; two again, with the second read in the first; then one.
  expect(calls()).toBe(5)
})

test('batches that run on the same block by chance are one read', async () => {
  proxy.add(ignoringBlocks(false))
  expect(new Set(await atOneBlock(opening(), threeDeep)).size).toBe(1)
  expect(calls()).toBe(3)
})

test('another endpoint carries the read on at its block', async () => {
  proxy.add(ignoringBlocks(true))
  expect(new Set(await atOneBlock(opening(poolOf(proxy.url, node.url)), threeDeep)).size).toBe(1)
  expect(calls()).toBe(2)
})

test('a read that never asks the same is given up', async () => {
  proxy.add(ignoringBlocks(true))
  let attempts = 0
  const restless = async (reader: EvmReader) => {
    attempts += 1
    await blockAt(reader)
    const address = testAddress(8, attempts)
    await node.send('anvil_setCode', address, NUMBER_CODE)
    return blockAt(reader, address)
  }
  await expect(atOneBlock(opening(), restless)).rejects.toBeInstanceOf(OtherBlock)
  expect(attempts).toBe(5)
})

test('a part that hides its failure does not make a read of two blocks', async () => {
  proxy.add(ignoringBlocks(true))
  const hiding = async (reader: EvmReader) => {
    const first = await blockAt(reader)
    const second = await blockAt(reader, contracts[1]).catch(() => undefined)
    return [first, second, (await reader.header()).number]
  }
  expect(new Set(await atOneBlock(opening(), hiding)).size).toBe(1)
})

test('such a node has no past state, and is no archive', async () => {
  expect((await examineEvm(poolOf(proxy.url), systemClock)).archive).toBe(true)
  proxy.add(ignoringBlocks(false))
  const past = createEvmReader({ pool: poolOf(proxy.url), chain: localChain, at: 3n })
  expect(lacksBlock(await blockAt(past).catch((error: unknown) => error))).toBe(true)
  expect((await examineEvm(poolOf(proxy.url), systemClock)).archive).toBe(false)
})
