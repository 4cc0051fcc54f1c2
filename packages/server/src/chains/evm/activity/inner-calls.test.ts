import {
  type Abi,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  parseAbi,
  parseAbiParameters,
  size,
  toHex,
} from 'viem'
import { entryPoint06Abi, entryPoint07Abi } from 'viem/account-abstraction'
import { expect, test } from 'vitest'
import { draftAddress } from '../../../../test/draft-transaction.ts'
import type { Hex } from '../rpc-values.ts'
import { callsOf } from './inner-calls.ts'

const owner = draftAddress(1)
const account = draftAddress(2)
const vault = draftAddress(3)
const token = draftAddress(4)
const helper = draftAddress(5)
/** Calls a function by its declaration, e.g. `deposit(uint256)`. */
const call = (declaration: string, ...args: unknown[]): Hex =>
  encodeFunctionData({ abi: parseAbi([`function ${declaration}`] as readonly string[]), args } as never)
const SAFE = 'execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)'

const deposit = call('deposit(uint256)', 9n)
const approve = call('approve(address,uint256)', vault, 9n)
const safe = (to: Hex, data: Hex, kind = 0) => call(SAFE, to, 0n, data, kind, 0n, 0n, 0n, to, to, '0x')
const multiSend = (data: Hex) => call('multiSend(bytes)', data)
const packed = (to: Hex, data: Hex) =>
  encodePacked(['uint8', 'address', 'uint256', 'uint256', 'bytes'], [0, to, 0n, BigInt(size(data)), data])
const both = concat([packed(token, approve), packed(vault, deposit)])
const tuples = [
  [token, 0n, approve],
  [vault, 0n, deposit],
] as const
const batch = encodeAbiParameters(parseAbiParameters('(address,uint256,bytes)[]'), [tuples])
const single = encodePacked(['address', 'uint256', 'bytes'], [vault, 0n, deposit])
const zero = toHex(0n, { size: 32 })
const byMode = (mode: bigint, data: Hex) => call('execute(bytes32,bytes)', toHex(mode, { size: 32 }), data)
const gas06 = { callGasLimit: 0n, verificationGasLimit: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n }
const gas07 = { accountGasLimits: zero, gasFees: zero }

/** An entry point's operations of two accounts. */
function handleOps(abi: Abi, gas: object): Hex {
  const fields = { nonce: 0n, initCode: '0x', preVerificationGas: 0n, paymasterAndData: '0x', signature: '0x', ...gas }
  const own = call('executeUserOp(address,uint256,bytes,uint8)', vault, 0n, deposit, 0)
  const operations = [
    { ...fields, sender: helper, callData: deposit },
    { ...fields, sender: account, callData: own },
  ]
  return encodeFunctionData({ abi, functionName: 'handleOps', args: [operations, owner] })
}

/** Selector and target of each inner call. */
const calls = (by: Hex, to: Hex, input: Hex) =>
  callsOf(owner, to, input).flatMap((call) => (call.by === by ? [[call.to, call.selector]] : []))
const approval = [token, '0x095ea7b3']
const deposited = [vault, '0xb6b55f25']
const operated = [[account, '0x7bb37428'], deposited]

test.each<[name: string, to: Hex, input: Hex, by: Hex, inner: unknown[]]>([
  ['a call', vault, deposit, owner, [deposited]],
  ['a transfer of coins', vault, '0x', owner, [[vault, '0x']]],
  ['a Safe', account, safe(vault, deposit), account, [deposited]],
  ['a Safe’s batch', account, safe(helper, multiSend(both), 1), account, [[helper, '0x8d80ff0a'], approval, deposited]],
  ['DSProxy', account, call('execute(address,bytes)', vault, deposit), owner, [[account, '0x1cff79cd'], deposited]],
  [
    'a multicall',
    ...([vault, call('multicall(bytes[])', [deposit, deposit]), owner] as const),
    [[vault, '0xac9650d8'], deposited, deposited],
  ],
  [
    'a multicall with a deadline',
    ...([vault, call('multicall(uint256,bytes[])', 1n, [deposit]), owner] as const),
    [[vault, '0x5ae401dc'], deposited],
  ],
  ['an account’s call', account, call('execute(address,uint256,bytes)', vault, 0n, deposit), account, [deposited]],
  [
    'an account’s batch',
    ...([account, call('executeBatch(address[],bytes[])', [token, vault], [approve, deposit]), account] as const),
    [approval, deposited],
  ],
  [
    'an account’s batch of calls with values',
    ...([account, call('executeBatch((address,uint256,bytes)[])', tuples), account] as const),
    [approval, deposited],
  ],
  ['ERC-7821’s batch', account, byMode(1n << 248n, batch), account, [approval, deposited]],
  ['ERC-7579’s single call', account, byMode(0n, single), account, [deposited]],
  ['an operation of an entry point, version 0.6', helper, handleOps(entryPoint06Abi, gas06), account, operated],
  ['an operation of an entry point, version 0.7', helper, handleOps(entryPoint07Abi, gas07), account, operated],
])('finds what was called in %s', (_, to, input, by, inner) => {
  expect(calls(by, to, input)).toEqual(inner)
})

test('finds nothing inside of what is cut off, and in a contract’s creation', () => {
  const whole = safe(vault, deposit)
  expect(callsOf(owner, account, `${whole.slice(0, 100)}` as Hex)).toEqual([
    { by: owner, to: account, selector: '0x6a761202' },
  ])
  expect(callsOf(owner, null, whole)).toEqual([])
  const endless = concat([packed(vault, deposit), toHex(0, { size: 53 }), toHex(2n ** 256n - 1n)])
  const sent = safe(helper, multiSend(endless), 1)
  expect(calls(account, account, sent).slice(0, 2)).toEqual([[helper, '0x8d80ff0a'], deposited])
})

test('looks at a limited number of calls, however they are nested', () => {
  let bomb = deposit
  for (let depth = 0; depth < 8; depth += 1) bomb = call('multicall(bytes[])', [bomb, bomb, bomb])
  expect(callsOf(owner, vault, bomb)).toHaveLength(64)
})
