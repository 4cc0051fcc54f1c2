import {
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
const abi = parseAbi([
  'function deposit(uint256)',
  'function approve(address,uint256)',
  'function execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)',
  'function executeUserOp(address,uint256,bytes,uint8)',
  'function multiSend(bytes)',
  'function execute(address,uint256,bytes)',
  'function execute(bytes32,bytes)',
  'function executeBatch(address[],bytes[])',
  'function executeBatch((address,uint256,bytes)[])',
  'function multicall(bytes[])',
  'function multicall(uint256,bytes[])',
])

const proxyAbi = parseAbi(['function execute(address,bytes)'])

const deposit = encodeFunctionData({ abi, functionName: 'deposit', args: [9n] })
const approve = encodeFunctionData({ abi, functionName: 'approve', args: [vault, 9n] })
const safe = (to: Hex, data: Hex, kind = 0) =>
  encodeFunctionData({ abi, functionName: 'execTransaction', args: [to, 0n, data, kind, 0n, 0n, 0n, to, to, '0x'] })
const packed = (to: Hex, data: Hex) =>
  encodePacked(['uint8', 'address', 'uint256', 'uint256', 'bytes'], [0, to, 0n, BigInt(size(data)), data])
const both = concat([packed(token, approve), packed(vault, deposit)])
const batch = encodeAbiParameters(parseAbiParameters('(address,uint256,bytes)[]'), [
  [
    [token, 0n, approve],
    [vault, 0n, deposit],
  ],
])
const operation = {
  nonce: 0n,
  initCode: '0x',
  preVerificationGas: 0n,
  paymasterAndData: '0x',
  signature: '0x',
} as const
const other = { ...operation, sender: helper, callData: deposit }

/** Selector and target of each inner call. */
const calls = (by: Hex, to: Hex, input: Hex) =>
  callsOf(owner, to, input).flatMap((call) => (call.by === by ? [[call.to, call.selector]] : []))
const approval = [token, '0x095ea7b3']
const deposited = [vault, '0xb6b55f25']

test.each<[name: string, to: Hex, input: Hex, by: Hex, inner: unknown[]]>([
  ['a call', vault, deposit, owner, [deposited]],
  ['a transfer of coins', vault, '0x', owner, [[vault, '0x']]],
  ['a Safe', account, safe(vault, deposit), account, [deposited]],
  [
    'a Safe’s batch',
    account,
    safe(helper, encodeFunctionData({ abi, functionName: 'multiSend', args: [both] }), 1),
    account,
    [[helper, '0x8d80ff0a'], approval, deposited],
  ],
  [
    'DSProxy',
    account,
    encodeFunctionData({ abi: proxyAbi, functionName: 'execute', args: [vault, deposit] }),
    owner,
    [[account, '0x1cff79cd'], deposited],
  ],
  [
    'a multicall',
    vault,
    encodeFunctionData({ abi, functionName: 'multicall', args: [[deposit, deposit]] }),
    owner,
    [[vault, '0xac9650d8'], deposited, deposited],
  ],
  [
    'a multicall with a deadline',
    vault,
    encodeFunctionData({ abi, functionName: 'multicall', args: [1n, [deposit]] }),
    owner,
    [[vault, '0x5ae401dc'], deposited],
  ],
  [
    'an account’s call',
    account,
    encodeFunctionData({ abi, functionName: 'execute', args: [vault, 0n, deposit] }),
    account,
    [deposited],
  ],
  [
    'an account’s batch',
    account,
    encodeFunctionData({
      abi,
      functionName: 'executeBatch',
      args: [
        [token, vault],
        [approve, deposit],
      ],
    }),
    account,
    [approval, deposited],
  ],
  [
    'an account’s batch of calls with values',
    account,
    encodeFunctionData({
      abi,
      functionName: 'executeBatch',
      args: [
        [
          [token, 0n, approve],
          [vault, 0n, deposit],
        ],
      ],
    }),
    account,
    [approval, deposited],
  ],
  [
    'ERC-7821’s batch',
    account,
    encodeFunctionData({ abi, functionName: 'execute', args: [toHex(1n << 248n, { size: 32 }), batch] }),
    account,
    [approval, deposited],
  ],
  [
    'ERC-7579’s single call',
    account,
    encodeFunctionData({
      abi,
      functionName: 'execute',
      args: [toHex(0n, { size: 32 }), encodePacked(['address', 'uint256', 'bytes'], [vault, 0n, deposit])],
    }),
    account,
    [deposited],
  ],
  [
    'an operation of an entry point, version 0.6',
    helper,
    encodeFunctionData({
      abi: entryPoint06Abi,
      functionName: 'handleOps',
      args: [
        [other, { ...operation, sender: account, callData: safeOperation() }].map((one) => ({
          ...one,
          ...{ callGasLimit: 0n, verificationGasLimit: 0n, maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
        })),
        owner,
      ],
    }),
    account,
    [[account, '0x7bb37428'], deposited],
  ],
  [
    'an operation of an entry point, version 0.7',
    helper,
    encodeFunctionData({
      abi: entryPoint07Abi,
      functionName: 'handleOps',
      args: [
        [other, { ...operation, sender: account, callData: safeOperation() }].map((one) => ({
          ...one,
          ...{ accountGasLimits: toHex(0n, { size: 32 }), gasFees: toHex(0n, { size: 32 }) },
        })),
        owner,
      ],
    }),
    account,
    [[account, '0x7bb37428'], deposited],
  ],
])('finds what was called in %s', (_, to, input, by, inner) => {
  expect(calls(by, to, input)).toEqual(inner)
})

function safeOperation(): Hex {
  return encodeFunctionData({ abi, functionName: 'executeUserOp', args: [vault, 0n, deposit, 0] })
}

test('finds nothing inside of what is cut off, and in a contract’s creation', () => {
  const whole = safe(vault, deposit)
  expect(callsOf(owner, account, `${whole.slice(0, 100)}` as Hex)).toEqual([
    { by: owner, to: account, selector: '0x6a761202' },
  ])
  expect(callsOf(owner, null, whole)).toEqual([])
  const endless = concat([packed(vault, deposit), toHex(0, { size: 53 }), toHex(2n ** 256n - 1n)])
  const send = encodeFunctionData({ abi, functionName: 'multiSend', args: [endless] })
  expect(calls(account, account, safe(helper, send, 1)).slice(0, 2)).toEqual([[helper, '0x8d80ff0a'], deposited])
})

test('looks at a limited number of calls, however they are nested', () => {
  const multicall = (list: Hex[]) => encodeFunctionData({ abi, functionName: 'multicall', args: [list] })
  let bomb = deposit
  for (let depth = 0; depth < 8; depth += 1) bomb = multicall([bomb, bomb, bomb])
  expect(callsOf(owner, vault, bomb)).toHaveLength(64)
})
