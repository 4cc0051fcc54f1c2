// Client CPU of scanning 5,000 tokens, 50 held: packed scan against viem's `multicall`, on one local node in turns.
// Exits 1 below the target ratio.
import { cpus } from 'node:os'
import { createPublicClient, erc20Abi, http } from 'viem'
import { createEvmReader } from '../src/chains/evm/reader/create-evm-reader.ts'
import { createRpcPool } from '../src/chains/rpc/rpc-pool.ts'
import { localChain, MULTICALL3, startLocalNode } from '../test/local-node.ts'
import { placeContracts, testAddress } from '../test/test-tokens.ts'
import { median } from './median.ts'

const TOKENS = 5_000
const HELD = 50
const ROUNDS = 7
const PROMISED_RATIO = 20

const owner = testAddress(1, 1)
const tokens = Array.from({ length: TOKENS }, (_, i) => testAddress(2, i + 1))

/** 5,000 calls exceed a block's usual gas and have two megabytes. */
const node = await startLocalNode('--gas-limit', '1000000000', '--no-request-size-limit')
await placeContracts(
  node,
  tokens.map((address, i) => ({ address, code: 'token', balances: i % (TOKENS / HELD) === 0 ? [[owner, 1n]] : [] })),
)
await node.send('anvil_mine', '0x1')

const pool = createRpcPool({ chain: 'ethereum', urls: [node.url] })
const client = createPublicClient({ transport: http(node.url) })

async function packed(): Promise<number> {
  return (await createEvmReader({ pool, chain: localChain }).scan(owner, tokens)).balances.size
}

async function multicall(): Promise<number> {
  const results = await client.multicall({
    // viem's best case: its default is several requests.
    batchSize: 0,
    multicallAddress: MULTICALL3,
    contracts: tokens.map((address) => ({ address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] }) as const),
  })
  return results.filter(({ result }) => result !== undefined && result > 0n).length
}

async function cpuMs(work: () => Promise<number>): Promise<number> {
  const before = process.cpuUsage()
  const held = await work()
  const { user, system } = process.cpuUsage(before)
  if (held !== HELD) throw new Error(`found ${held} balances instead of ${HELD}`)
  return (user + system) / 1000
}

try {
  await cpuMs(packed)
  await cpuMs(multicall)
  const rounds: { packed: number; multicall: number }[] = []
  for (let i = 0; i < ROUNDS; i += 1) {
    rounds.push({ packed: await cpuMs(packed), multicall: await cpuMs(multicall) })
  }
  const ratio = median(rounds.map((round) => round.multicall / round.packed))
  console.log(`scan of ${TOKENS} tokens, ${HELD} held; ${cpus()[0]?.model} × ${cpus().length}, Node ${process.version}`)
  console.log(`client CPU, median of ${ROUNDS}: packed ${median(rounds.map((round) => round.packed)).toFixed(1)} ms`)
  console.log(`viem multicall ${median(rounds.map((round) => round.multicall)).toFixed(1)} ms`)
  console.log(`ratio ${ratio.toFixed(1)} (promised ${PROMISED_RATIO})`)
  if (ratio < PROMISED_RATIO) process.exitCode = 1
} finally {
  await node.stop()
}
