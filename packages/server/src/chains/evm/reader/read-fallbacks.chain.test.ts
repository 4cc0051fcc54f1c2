import fc from 'fast-check'
import { parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { localChain, MULTICALL3 } from '../../../../test/local-node.ts'
import { nodeBehindProxy } from '../../../../test/node-behind-proxy.ts'
import type { Fault, RpcCall, Rule } from '../../../../test/rpc-proxy.ts'
import { type CodeName, codes, placeContracts, testAddress, word } from '../../../../test/test-tokens.ts'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import type { Chain } from '../../chain.ts'
import type { Fallback } from '../../rpc/capabilities.ts'
import { createRpcPool } from '../../rpc/rpc-pool.ts'
import { createEvmReader } from './create-evm-reader.ts'
import { ContractRevert, type Lens } from './evm-reader.ts'

const abi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function next(uint256 salt) returns (uint256)',
])

const isCall = ({ method }: RpcCall) => method === 'eth_call'
const hasOverride = ({ method, params }: RpcCall) => method === 'eth_call' && params.length > 2
const target = ({ params }: RpcCall) => (params[0] as { to?: string } | undefined)?.to
const refuse = (when: Rule['when'], fault: Fault): Rule => ({ ...(when && { when }), fault })

const noOverride = refuse(hasOverride, { error: { code: -32602, message: 'too many arguments, want at most 2' } })
const overrideIgnored = refuse(hasOverride, { params: ([call, block]) => [call, block] })
const noCreation = refuse((call) => isCall(call) && !target(call), {
  error: { code: -32602, message: 'missing required field to' },
})
const noMulticall = refuse((call) => isCall(call) && target(call) === MULTICALL3, {
  answer: (envelope) => ({ ...envelope, result: '0x' }),
})

/** Each fallback, by the refusals that lead to it. */
const ways: [Fallback, string, Rule[]][] = [
  ['override', 'a node that takes everything', []],
  ['creation', 'a node that refuses a third parameter', [noOverride]],
  ['creation', 'a node that ignores a third parameter', [overrideIgnored]],
  ['multicall3', 'a node that wants a target too', [noOverride, noCreation]],
  ['single', 'a node without Multicall3 too', [noOverride, noCreation, noMulticall]],
]

const owners = [testAddress(1, 1), testAddress(1, 2)] as const
const kinds = ['token', 'token', 'reverting', 'burning', 'invalid', 'silent', 'short', 'long', null] as const
const HELD = 24
const contracts = Array.from({ length: kinds.length * HELD }, (_, i) => ({
  ...{ address: testAddress(2, i + 1), code: kinds[i % kinds.length] ?? null },
}))
/** Seeded balances by (contract, owner), from one unit to the maximum. */
const amounts = [0n, 1n, 10n ** 30n, 2n ** 256n - 1n]
const isReadable = (i: number) => ['token', 'long'].includes(contracts[i]?.code ?? '')
const isUnknown = (i: number) => contracts[i]?.code && !isReadable(i)
const amountAt = (contract: number, owner: number): bigint =>
  isReadable(contract) ? (amounts[(contract + owner) % amounts.length] ?? 0n) : 0n

const counter = testAddress(3, 1)
const lens: Lens<typeof abi> = { name: 'sum', abi, runtimeCode: codes.counter as `0x${string}` }

const { node, proxy } = await nodeBehindProxy()
await placeContracts(node, [
  ...contracts.map((contract, i) => ({
    ...contract,
    balances: owners.flatMap((owner, k): [EvmAddress, bigint][] =>
      amountAt(i, k) > 0n ? [[owner, amountAt(i, k)]] : [],
    ),
  })),
  { address: counter, code: 'counter' },
])
await node.sendAll([
  ['anvil_setStorageAt', counter, word(0), word(41)],
  ['anvil_setBalance', owners[0], word(7)],
  ['anvil_mine', '0x3'],
])

function poolFor(rules: Rule[]) {
  proxy.reset()
  proxy.add(...rules)
  return createRpcPool({ chain: 'ethereum', urls: [proxy.url] })
}

describe.each(ways)('%s: %s', (fallback, _, rules) => {
  test('scans and reads return the stored values, regardless of the other calls in their batch', async () => {
    const pool = poolFor(rules)
    const picks = fc.uniqueArray(fc.nat(contracts.length - 1), { minLength: 0, maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(picks, fc.nat(1), async (chosen, ownerIndex) => {
        const owner = owners[ownerIndex] ?? owners[0]
        const tokens = chosen.map((i) => contracts[i]?.address ?? counter)
        const reader = createEvmReader({ pool, chain: localChain })
        const read = (address: EvmAddress) => reader.tryRead({ address, abi, functionName: 'balanceOf', args: [owner] })
        const next = (salt: bigint) => reader.read({ address: counter, abi, functionName: 'next', args: [salt] })
        const [scan, counts, reads] = await Promise.all([
          reader.scan(owner, tokens),
          Promise.all([next(1n), next(2n), next(3n)]),
          Promise.all(tokens.slice(0, 12).map(read)),
        ])
        const held = chosen.filter((i) => amountAt(i, ownerIndex) > 0n)
        expect(new Map(scan.balances)).toEqual(
          new Map(held.map((i) => [contracts[i]?.address, amountAt(i, ownerIndex)])),
        )
        const unknown = chosen.filter(isUnknown)
        expect(new Set(scan.failed)).toEqual(new Set(unknown.map((i) => contracts[i]?.address)))
        expect(scan.nativeRaw).toBe(ownerIndex === 0 ? 7n : 0n)
        expect(counts).toEqual([42n, 42n, 42n])
        expect(reads).toEqual(chosen.slice(0, 12).map((i) => (isReadable(i) ? amountAt(i, ownerIndex) : undefined)))
      }),
      { numRuns: 8 },
    )
    expect(pool.capabilities()[0]).toMatchObject({ fallback, batchSize: 50 })
  })

  test('the header is the block as the node lists it', async () => {
    const pool = poolFor(rules)
    const listed = await node.send<{ number: string; hash: string; parentHash: string; timestamp: string }>(
      'eth_getBlockByNumber',
      'latest',
      false,
    )
    expect(await createEvmReader({ pool, chain: localChain }).header()).toEqual({
      number: BigInt(listed.number),
      timestamp: Number(listed.timestamp),
      parentHash: listed.parentHash,
      hash: listed.hash,
    })
  })

  test('a lens runs where code can travel and is refused as such elsewhere', async () => {
    const reader = createEvmReader({ pool: poolFor(rules), chain: localChain })
    const answer = reader.lens(lens, { functionName: 'next', args: [1n] })
    if (fallback === 'override' || fallback === 'creation') expect(await answer).toBe(1n)
    else await expect(answer).rejects.toMatchObject({ name: 'UpstreamError', reason: 'not-allowed' })
  })

  test('a refusal of the contract is not a failure of the node', async () => {
    const reader = createEvmReader({ pool: poolFor(rules), chain: localChain })
    const read = (code: CodeName | null) => {
      const address = contracts.find((contract) => contract.code === code)?.address ?? counter
      return reader.read({ address, abi, functionName: 'balanceOf', args: [owners[0]] })
    }
    for (const code of ['reverting', 'burning', 'silent', 'short', null] as const) {
      await expect(read(code), String(code)).rejects.toThrow(ContractRevert)
    }
  })
})

test('a chain without Multicall3 goes from creation to single calls', async () => {
  const pool = poolFor([noOverride, noCreation])
  const chain: Chain = { ...localChain, multicall3: null }
  const scan = await createEvmReader({ pool, chain }).scan(owners[0], [contracts[1]?.address ?? counter])
  expect([...scan.balances.values()]).toEqual([1n])
  expect(pool.capabilities()[0]?.fallback).toBe('single')
})

test('single calls continue where batches are refused', async () => {
  const body = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batching is off"}}'
  const noBatch = refuse((call) => proxy.isBatch(call), { raw: { status: 200, body } })
  const pool = poolFor([noOverride, noCreation, noMulticall, noBatch])
  const tokens = contracts.map(({ address }) => address)
  const scan = await createEvmReader({ pool, chain: localChain }).scan(owners[0], tokens)
  expect(scan.balances.size).toBe(contracts.filter((_, i) => amountAt(i, 0) > 0n).length)
  expect(pool.capabilities()[0]?.batchSize).toBe(1)
})

test('an ill node is not taken for one that lacks something', async () => {
  const pool = poolFor([refuse(isCall, { error: { code: -32603, message: 'internal error' } })])
  const scan = createEvmReader({ pool, chain: localChain }).scan(owners[0], [contracts[1]?.address ?? counter])
  await expect(scan).rejects.toThrow(UpstreamError)
  expect(pool.capabilities()[0]?.fallback).toBe('override')
})

const gasOf = ({ params }: RpcCall) => BigInt((params[0] as { gas?: string }).gas ?? 0)
const onlyForOne: [string, (call: RpcCall) => boolean, Fault][] = [
  ['overrides', hasOverride, { error: { code: -32602, message: 'invalid params' } }],
  [
    'all but single calls',
    (call) => hasOverride(call) || target(call) === undefined,
    { error: { code: -32602, message: 'invalid params' } },
  ],
  ['much gas', (call) => gasOf(call) > 10_000_000n, { error: { code: -32603, message: 'internal error' } }],
]
test.each(onlyForOne)(
  '%s refused for one token: other reads keep the best way and all of its gas',
  async (_, when, fault) => {
    const [, held, other] = contracts.map(({ address }) => address)
    const [token, poisoned] = [held ?? counter, other ?? counter]
    const names = (call: RpcCall) =>
      isCall(call) && when(call) && JSON.stringify(call.params).includes(poisoned.slice(2))
    const pool = poolFor([refuse(names, fault)])
    const before = pool.capabilities()[0]?.gasCeiling
    const refused = await createEvmReader({ pool, chain: localChain }).scan(owners[0], [token, poisoned])
    expect([...refused.balances.values()]).toEqual([1n])
    expect(proxy.calls().some(names)).toBe(true)
    expect(pool.capabilities()[0]).toMatchObject({ fallback: 'override', gasCeiling: before })
    expect(await createEvmReader({ pool, chain: localChain }).lens(lens, { functionName: 'next', args: [1n] })).toBe(1n)
  },
)

test('gas refused in words of no known client: one call of little gas, and that is kept', async () => {
  const tooMuch = (call: RpcCall) => isCall(call) && gasOf(call) > 10_000_000n
  const error = { code: -32000, message: 'request exceeds allowed execution budget' }
  const pool = poolFor([refuse(tooMuch, { error })])
  const token = contracts[1]?.address ?? counter
  const scan = await createEvmReader({ pool, chain: localChain }).scan(owners[0], [token])
  expect([...scan.balances.values()]).toEqual([1n])
  expect(pool.capabilities()[0]?.gasCeiling).toBeLessThanOrEqual(10_000_000)
  poolFor([refuse(tooMuch, { error })])
  await createEvmReader({ pool, chain: localChain }).scan(owners[0], [token])
  expect(proxy.calls().filter(tooMuch)).toEqual([])
})

test('a gateway that takes only short requests: requests are halved until it accepts them, and the length is kept', async () => {
  const isLong = (call: RpcCall) => isCall(call) && JSON.stringify(call.params).length > 12_000
  const html = { raw: { status: 413, body: '<html>413 Request Entity Too Large</html>' } }
  const pool = poolFor([refuse(isLong, html)])
  const tokens = contracts.map(({ address }) => address)
  const many = [...tokens, ...Array.from({ length: 600 }, (_, i) => testAddress(9, i))]
  const scan = await createEvmReader({ pool, chain: localChain }).scan(owners[0], many)
  expect(scan.balances.size).toBe(contracts.filter((_, i) => amountAt(i, 0) > 0n).length)
  expect(pool.capabilities()[0]).toMatchObject({ batchSize: 50, inputBytes: expect.any(Number) })
  poolFor([refuse(isLong, html)])
  await createEvmReader({ pool, chain: localChain }).scan(owners[0], many)
  expect(proxy.calls().filter(isLong)).toEqual([])
})
