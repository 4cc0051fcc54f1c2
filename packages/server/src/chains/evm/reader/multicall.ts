import { decodeFunctionResult, encodeFunctionData, multicall3Abi } from 'viem'
import type { EvmAddress } from '../../../domain/evm-address.ts'
import { createGate } from '../../../lib/concurrency.ts'
import { pagesOf } from '../../../lib/pages.ts'
import { OtherBlock, RpcRefusal } from '../../rpc/json-rpc.ts'
import { requestEach } from '../../rpc/request-each.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import { type Hex, parseData } from '../rpc-values.ts'
import { assertSameBlock, blockTag, NotAnswered, type SeenBlock } from './batch.ts'

/** Selectors of Multicall3 (github.com/mds1/multicall3). */
export const BLOCK_NUMBER: Hex = '0x42cbb15c'
const BLOCK_TIMESTAMP: Hex = '0x0f28c97d'
const LAST_BLOCK_HASH: Hex = '0x27e86d6e'
const BLOCK_DIFFICULTY: Hex = '0x72425d9d'
export const ETH_BALANCE: Hex = '0x4d2301cc'

/** 224 bytes each; low enough for nodes that support no better way. */
const CALLS_PER_AGGREGATE = 500
/** Up to this number, failed calls are retried alone: one may have burnt the gas of the others. */
const FEW = 8
const AT_ONCE = 4

type Aggregator = { endpoint: RpcEndpoint; multicall3: EvmAddress; at: bigint | null; block: SeenBlock | null }

export async function aggregate(
  endpoint: RpcEndpoint,
  multicall3: EvmAddress,
  calls: readonly PlainCall[],
  at: bigint | null,
): Promise<{ block: SeenBlock; answers: PlainAnswer[] }> {
  const run: Aggregator = { endpoint, multicall3, at, block: null }
  const answers: PlainAnswer[] = new Array(calls.length)
  const [first = [], ...others] = pagesOf([...calls.keys()], CALLS_PER_AGGREGATE)
  // The first batch determines the block of all others.
  await aggregateRange(run, calls, first, answers)
  const gate = createGate(AT_ONCE)
  await Promise.all(others.map((page) => gate(() => aggregateRange(run, calls, page, answers))))
  if (!run.block) throw new NotAnswered('Multicall3 did not say its block')
  return { block: run.block, answers }
}

async function aggregateRange(
  run: Aggregator,
  calls: readonly PlainCall[],
  indices: readonly number[],
  answers: PlainAnswer[],
): Promise<void> {
  const got = await aggregateOnce(run, calls, indices)
  const failed: number[] = []
  for (const [i, index] of indices.entries()) {
    const answer = got?.[i]
    if (answer?.passed) answers[index] = answer
    else failed.push(index)
  }
  const at = run.block?.number ?? run.at
  if (failed.length <= FEW) {
    const chosen = failed.flatMap((index) => calls[index] ?? [])
    const alone = await callEach(run.endpoint, chosen, at)
    for (const [i, index] of failed.entries()) answers[index] = alone[i] ?? { passed: false, data: '0x' }
    return
  }
  const half = Math.ceil(failed.length / 2)
  await aggregateRange(run, calls, failed.slice(0, half), answers)
  await aggregateRange(run, calls, failed.slice(half), answers)
}

async function aggregateOnce(
  run: Aggregator,
  calls: readonly PlainCall[],
  indices: readonly number[],
): Promise<PlainAnswer[] | undefined> {
  const own = [BLOCK_NUMBER, BLOCK_TIMESTAMP, LAST_BLOCK_HASH, BLOCK_DIFFICULTY]
  const chosen = indices.flatMap((index) => calls[index] ?? [])
  const batch = [...own.map((data) => ({ to: run.multicall3, data })), ...chosen]
  const gas = `0x${run.endpoint.capabilities.gasCeiling.toString(16)}`
  const at = run.block?.number ?? run.at
  try {
    const answers = await run.endpoint.request({
      method: 'eth_call',
      params: [{ to: run.multicall3, data: encodeAggregate(batch), gas }, blockTag(at)],
      parse: (result) => decodeAggregate(parseData(result), batch.length),
      timeoutMs: run.endpoint.limits.scanTimeoutMs,
    })
    const block = blockOf(answers.slice(0, own.length))
    if (at !== null && block.number !== at) throw new OtherBlock(at)
    if (run.block) assertSameBlock(run.block, block)
    run.block = block
    return answers.slice(own.length)
  } catch (error) {
    const isTooMuch = error instanceof RpcRefusal && (error.kind === 'gas' || error.kind === 'reverted')
    if (!isTooMuch || indices.length === 0) throw error
    // Smaller batches need a block to run at.
    if (!run.block) await aggregateOnce(run, calls, [])
    return undefined
  }
}

function blockOf(answers: readonly PlainAnswer[]): SeenBlock {
  const [number, timestamp, parentHash, prevRandao] = answers.map(({ data }) => (data.length === 66 ? data : undefined))
  if (!number || !timestamp || !parentHash || !prevRandao) throw new NotAnswered('Multicall3 did not say its block')
  return { number: BigInt(number), timestamp: Number(BigInt(timestamp)), parentHash, prevRandao }
}

/** All failures are allowed. */
function encodeAggregate(calls: readonly { to: EvmAddress; data: Hex }[]): Hex {
  const args = [calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))] as const
  return encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args })
}

function decodeAggregate(data: Hex, count: number): PlainAnswer[] {
  const answers = attemptDecoding(data)
  if (answers.length !== count) throw new NotAnswered('Multicall3 answered for another number of calls')
  return answers.map(({ success, returnData }) => ({ passed: success, data: returnData }))
}

function attemptDecoding(data: Hex) {
  try {
    return decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data })
  } catch {
    throw new NotAnswered('this is not an answer of Multicall3')
  }
}

/** `gas`: without the cost of the transaction. */
export type PlainCall = { to: EvmAddress; data: Hex; gas: number }
export type PlainAnswer = { passed: boolean; data: Hex }

/** Each input byte adds 16. */
const TRANSACTION_GAS = 21_000

/** A revert or running out of gas is an answer; any other refusal rejects. */
export async function callEach(
  endpoint: RpcEndpoint,
  calls: readonly PlainCall[],
  at: bigint | null,
): Promise<PlainAnswer[]> {
  const requests = calls.map(({ to, data, gas }) => {
    const withInput = gas + TRANSACTION_GAS + (data.length / 2) * 16
    return {
      method: 'eth_call',
      params: [{ to, data, gas: `0x${withInput.toString(16)}` }, blockTag(at)],
      parse: parseData,
    }
  })
  const answers = await requestEach(endpoint, requests)
  return answers.map((answer) => {
    if (typeof answer === 'string') return { passed: true, data: answer }
    if (answer.kind === 'reverted' || answer.kind === 'gas') return { passed: false, data: '0x' }
    throw answer
  })
}
