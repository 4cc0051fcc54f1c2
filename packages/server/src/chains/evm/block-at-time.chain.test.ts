import { expect, test } from 'vitest'
import { startLocalNode } from '../../../test/local-node.ts'
import { nodeBehindProxy } from '../../../test/node-behind-proxy.ts'
import { seededRandom } from '../../../test/random.ts'
import { createRpcPool } from '../rpc/rpc-pool.ts'
import { findBlockAtTime, findLastBlocks, findOldestState } from './blocks.ts'

const flags = ['--slots-in-an-epoch', '1', '--timestamp', '1700000000']
const { node, proxy } = await nodeBehindProxy(() => startLocalNode(...flags))
/** By block number. */
const times: number[] = []

const random = seededRandom('block at time')
// A changing pace, and an hour without a block.
const steps = [
  ...Array.from({ length: 300 }, () => 1 + random.index(24)),
  3_600,
  ...Array.from({ length: 100 }, () => 1 + random.index(24)),
  ...Array.from({ length: 200 }, () => 1 + random.index(2)),
]
let time = Number((await node.send<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)).timestamp)
for (const step of steps) {
  time += step
  await node.send('evm_setNextBlockTimestamp', time)
  await node.send('evm_mine')
}
const head = Number(await node.send('eth_blockNumber'))
for (let number = 0; number <= head; number += 1) {
  const block = await node.send<{ timestamp: string }>('eth_getBlockByNumber', `0x${number.toString(16)}`, false)
  times.push(Number(block.timestamp))
}

const pool = () => createRpcPool({ chain: 'ethereum', urls: [proxy.url] })
const finalNumber = () => times.length - 1 - 2

test('finds the first block of any time, in few requests', async () => {
  const asked: number[] = []
  for (let number = 1; number <= finalNumber(); number += 7) {
    for (const timestamp of [times[number] ?? 0, (times[number - 1] ?? 0) + 1]) {
      proxy.reset()
      const { block } = await findBlockAtTime(pool(), timestamp)
      expect(Number(block?.number)).toBe(times.findIndex((time) => time >= timestamp))
      asked.push(proxy.requests())
    }
  }
  asked.sort((a, b) => a - b)
  expect(asked[Math.floor(asked.length / 2)]).toBeLessThanOrEqual(12)
  expect(Math.max(...asked)).toBeLessThanOrEqual(40)
})

test('is the first of all blocks for a time before the chain', async () => {
  expect((await findBlockAtTime(pool(), 1)).block?.number).toBe(0n)
})

test('finds the last block at or before any time, up to the newest, and no block before the chain', async () => {
  proxy.reset()
  for (let number = 1; number <= head; number += number > finalNumber() - 10 ? 1 : 61) {
    const next = times[number + 1] ?? Number.POSITIVE_INFINITY
    const time = times[number] ?? 0
    for (const timestamp of [time, Math.min(next - 1, time + 5_000)]) {
      expect(await lastBlock(timestamp)).toMatchObject({ number: BigInt(number), timestamp: time })
    }
  }
  const [first = 0] = times
  // The second block may have the first one's time.
  expect((await lastBlock(first))?.number).toBe(BigInt(times.lastIndexOf(first)))
  const early = await findLastBlocks(pool(), [first - 1])
  expect(early.final.number).toBe(BigInt(finalNumber()))
  expect([...early.blocks]).toEqual([[first - 1, undefined]])
})

const lastBlock = async (time: number) => (await findLastBlocks(pool(), [time])).blocks.get(time)

test('finds the last blocks of many times together, in few requests', async () => {
  proxy.reset()
  const [first = 0, last = 0] = [times[0], times[head]]
  const asked = Array.from({ length: 365 }, (_, i) => first - 100 + Math.floor(((last - first + 200) * i) / 364))
  const { blocks } = await findLastBlocks(pool(), asked)
  const numberAt = (time: number) => times.findLastIndex((of, number) => number <= head && of <= time)
  expect(asked.map((time) => Number(blocks.get(time)?.number ?? -1))).toEqual(asked.map(numberAt))
  expect(proxy.requests()).toBeLessThanOrEqual(60)
})

test('finds the oldest state that an endpoint has, and none if nodes ignore the block or fail', async () => {
  const oldest = 417n
  const isOld = ({ method, params }: { method: string; params: unknown[] }) =>
    method === 'eth_getBalance' && BigInt(String(params[1])) < oldest
  proxy.reset()
  proxy.add({ when: isOld, fault: { error: { code: -32000, message: 'missing trie node' } } })
  expect(await findOldestState(pool(), 3n)).toBe(oldest)
  // Head, both ends, and one request per bit.
  expect(proxy.requests()).toBeLessThanOrEqual(3 + Math.ceil(Math.log2(head)))
  expect(await findOldestState(pool(), oldest)).toBeUndefined()
  proxy.add({ when: ({ method }) => method === 'eth_getBalance', fault: { raw: { status: 500, body: '' } } })
  expect(await findOldestState(pool(), 3n)).toBeUndefined()
  proxy.reset()
})

test('has no block for a time whose first block is not final, with or without the tag', async () => {
  const [final = 0, next = 0] = [times[finalNumber()], times[finalNumber() + 1]]
  expect((await findBlockAtTime(pool(), final)).block).toBeDefined()
  const early = await findBlockAtTime(pool(), next)
  expect(early).toEqual({
    final: expect.objectContaining({ timestamp: final }),
    early: expect.objectContaining({ timestamp: next }),
  })
  const head = times.at(-1) ?? 0
  expect(await findBlockAtTime(pool(), head + 1)).toEqual({ final: expect.objectContaining({ timestamp: final }) })
  proxy.reset()
  const isTag = ({ params }: { params: unknown[] }) => params[0] === 'finalized'
  proxy.add({ when: isTag, fault: { error: { code: -32602, message: 'invalid argument 0: unknown tag' } } })
  const assumed = times.length - 1 - 64
  expect((await findBlockAtTime(pool(), times[assumed] ?? 0)).block?.timestamp).toBe(times[assumed])
  expect((await findBlockAtTime(pool(), (times[assumed] ?? 0) + 3)).block).toBeUndefined()
  proxy.reset()
})

test('rejects when the node fails', async () => {
  proxy.add({ fault: { raw: { status: 500, body: '' } } })
  await expect(findBlockAtTime(pool(), 1_700_000_500)).rejects.toThrow('HTTP 500')
  proxy.reset()
})
