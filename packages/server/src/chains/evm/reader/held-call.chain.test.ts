import { parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { localChain } from '../../../../test/local-node.ts'
import { nodeBehindProxy } from '../../../../test/node-behind-proxy.ts'
import { placeContracts, testAddress } from '../../../../test/test-tokens.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { createRpcPool } from '../../rpc/rpc-pool.ts'
import { createBatchQueue } from './batch-queue.ts'
import { createEvmReader } from './create-evm-reader.ts'
import { ContractRevert, type EvmReader, type PlannedCall } from './evm-reader.ts'
import { createSharedReaders } from './shared-readers.ts'

/** Returns an owner's balance of a token if it is even, and reverts otherwise. */
const evenLens = {
  name: 'Even',
  abi: parseAbi(['function even(address token, address owner) view returns (uint256)']),
  // balanceOf(owner) at the token, then `success & !(balance & 1)`: the balance, or a revert.
  runtimeCode:
    '0x6370a0823160e01b60005260243560045260206000602460006004355afa6000516001161516602e5760006000fd5b60206000f3',
} as const

const LISTED = 60
const listed = Array.from({ length: LISTED }, (_, i) => testAddress(41, i + 1))
const owners = [testAddress(42, 1), testAddress(42, 2), testAddress(42, 3)] as const
const [one, other, collector] = owners
/** The listed tokens that the read may call. */
const among: ReadonlySet<EvmAddress> = new Set(listed.filter((_, i) => i % 10 !== 6))

/** The first owner has every fifth token, the second every fourth, the third all. Some revert or burn their gas. */
const steps = new Map([
  [one, 5],
  [other, 4],
  [collector, 1],
])
const codeOf = (i: number) => (({ 7: 'reverting', 8: 'burning' }) as const)[i % 30] ?? 'token'

function balanceOf(owner: EvmAddress, i: number): bigint {
  return codeOf(i) === 'token' && i % (steps.get(owner) ?? 1) === 0 ? BigInt(1_000 + i) : 0n
}

/** Expected lens results: even balances. The lens is also called for others, and reverts. */
function saidOf(owner: EvmAddress): [EvmAddress, bigint][] {
  return listed.flatMap((token, i) => {
    const raw = balanceOf(owner, i)
    return raw > 0n && raw % 2n === 0n && among.has(token) ? [[token, raw]] : []
  })
}

const { node, proxy } = await nodeBehindProxy()
const balancesOf = (i: number) => owners.map((owner): [EvmAddress, bigint] => [owner, balanceOf(owner, i)])
await placeContracts(
  node,
  listed.map((address, i) => ({ address, code: codeOf(i), balances: balancesOf(i) })),
)
await node.sendAll([['anvil_mine', '0x10']])

const limits = { timeoutMs: 10_000, totalMs: 40_000, backoffMs: 1 }
const openPool = () => createRpcPool({ chain: 'ethereum', urls: [proxy.url], limits })
const openAlone = (plan: readonly PlannedCall[]) =>
  createEvmReader({ pool: openPool(), chain: localChain, plan, lenses: [evenLens] })

/** Results of the lens for the tokens, if the read calls it at all. */
async function read(
  reader: EvmReader,
  owner: EvmAddress,
  tokens: readonly EvmAddress[] = saidOf(owner).map(([token]) => token),
  expected = among,
) {
  reader.expectHeld(expected)
  const scan = await reader.scan(owner, listed)
  const said = reader.heldLens(evenLens, (token, holder) => ({ functionName: 'even', args: [token, holder] }) as const)
  const asked = tokens.flatMap((token) => {
    const answer = said(token, owner)
    return answer ? [answer.then((raw) => [token, raw] as const)] : []
  })
  return { scan, answers: await Promise.all(asked), plan: reader.plan() }
}

const calls = () => proxy.calls().filter(({ method }) => method === 'eth_call')
const planned = expect.objectContaining({ lens: 'Even', held: { tokenAt: 4, ownerAt: 36 } })

test('what was asked about held tokens is planned as one call, and comes with the next scan', async () => {
  const first = await read(openAlone([]), one)
  expect(first).toMatchObject({ answers: saidOf(one), plan: [planned] })
  expect(calls()).toHaveLength(2)
  proxy.reset()
  // Another wallet: the plan does not name it.
  expect(await read(openAlone(first.plan), other)).toMatchObject({ answers: saidOf(other), plan: first.plan })
  expect(calls()).toHaveLength(1)
})

test('a call that was refused along with the scan is made alone, and planned so', async () => {
  const { plan } = await read(openAlone([]), one)
  const odd = listed.filter((token, i) => balanceOf(one, i) % 2n === 1n && among.has(token)).slice(0, 1)
  const reader = openAlone(plan)
  await expect(read(reader, one, odd)).rejects.toThrow(ContractRevert)
  expect(reader.plan()).toEqual([planned, expect.not.objectContaining({ held: expect.anything() })])
})

test('readers that share a scan each have their own answers, about all tokens that one of them expects', async () => {
  const { plan } = await read(openAlone([]), one)
  const pool = openPool()
  const announce = createSharedReaders({
    createBatchQueue: () => createBatchQueue({ pool, chain: localChain }),
    openReader: (_, plan, _at, batches) =>
      createEvmReader({ pool, chain: localChain, plan, batches, lenses: [evenLens] }),
  })
  proxy.reset()
  const ofOne = new Set(saidOf(one).map(([token]) => token))
  const ofOther = new Set(saidOf(other).map(([token]) => token))
  const [a, b] = [announce('ethereum'), announce('ethereum')]
  const found = await Promise.all([
    read(a.open(plan), one, [...ofOne], ofOne),
    read(b.open(plan), other, [...ofOther], ofOther),
  ])
  expect(found.map(({ answers }) => answers)).toEqual([saidOf(one), saidOf(other)])
  expect(calls()).toHaveLength(1)
})

test('an owner of very many is asked about in other ways', async () => {
  const { plan } = await read(openAlone([]), one)
  expect(saidOf(collector).length).toBeGreaterThan(16)
  expect(await read(openAlone(plan), collector)).toMatchObject({ answers: [], plan: [] })
})

test('a node that puts no code in place answers in two calls, one that grants little gas in one', async () => {
  const { plan } = await read(openAlone([]), one)
  const refusals = [
    [(params: unknown[]) => params.length > 2, 'too many arguments', 2],
    [(params: unknown[]) => Number((params[0] as { gas: string }).gas) > 7_000_000, 'gas limit is too high', 1],
  ] as const
  for (const [isRefused, message, expected] of refusals) {
    const pool = openPool()
    const open = () => createEvmReader({ pool, chain: localChain, plan, lenses: [evenLens] })
    proxy.reset()
    proxy.add({
      when: ({ method, params }) => method === 'eth_call' && isRefused(params),
      fault: { error: { code: -32_000, message } },
    })
    // The first read finds the node's limits.
    await read(open(), one)
    const before = calls().length
    const { scan, answers } = await read(open(), one)
    expect([...scan.balances.values()]).toEqual(listed.flatMap((_, i) => balanceOf(one, i) || []))
    expect(answers).toEqual(saidOf(one))
    expect(calls().length - before).toBe(expected)
  }
})
