import { addresses, type Devnet, startDevnet } from '@coffer/devnet'
import { type Address, encodeFunctionData, erc20Abi, type Hex, parseAbi, zeroAddress } from 'viem'
import { afterAll, expect, inject } from 'vitest'
import { findChain } from '../src/chains/chain-catalog.ts'
import { chains } from '../src/chains/chain-types.ts'
import { withKnownFacts } from '../src/chains/evm/collect/protocol-contracts.ts'
import { furtherOf, heldOf, probeContracts } from '../src/chains/evm/collect/read-positions.ts'
import { inAndBehind } from '../src/chains/evm/collect/recognise.ts'
import { createMoreKeys, keyName, keysOf, scanSubAccounts } from '../src/chains/evm/collect/wallet-keys.ts'
import { discoverTokens } from '../src/chains/evm/logs/token-discovery.ts'
import type { LeftOut, PositionId, ProtocolContract, ProtocolDeployment } from '../src/chains/evm/protocols/adapter.ts'
import { bindProtocol, protocolLenses } from '../src/chains/evm/protocols/protocols.ts'
import { createEvmReader } from '../src/chains/evm/reader/create-evm-reader.ts'
import type { ProtocolRow } from '../src/chains/protocol-row.ts'
import { createRpcPool } from '../src/chains/rpc/rpc-pool.ts'
import { shareLiquidity } from '../src/chains/shared/share-liquidity.ts'
import { type EvmAddress, evmAddress } from '../src/domain/evm-address.ts'
import { LiquidityBudget } from '../src/domain/liquidity.ts'
import type { Position } from '../src/domain/position.ts'
import { startRpcProxy } from './rpc-proxy.ts'

/** `batches`: `eth_call`s; `requests`: HTTP requests. Waiting times depend on the machine's load and are not measured. */
type WalletReading = { positions: Position[]; block: bigint; batches: number; requests: number }

type Known = { deployment: ProtocolDeployment; protocolContracts: ProtocolContract[] }

export type ProtocolBench = Awaited<ReturnType<typeof openProtocolBench>>

/** For the file that opens it, at its top. */
export async function protocolBench(rows: readonly ProtocolRow[]): Promise<ProtocolBench> {
  const bench = await openProtocolBench(inject('devnetState'), rows)
  afterAll(bench.stop)
  return bench
}

export function throwLeftOut(why: unknown): never {
  throw why
}

function missingChain(): never {
  throw new Error('the catalog has no chain ethereum')
}

/** Vitest ends a worker by this signal. A suite that failed before its first test leaves nodes, which end on `exit`. */
process.once('SIGTERM', () => process.exit())

/** Reads as the service does, through a counting proxy. */
export async function openProtocolBench(state: string, rows: readonly ProtocolRow[]) {
  const devnet: Devnet = await startDevnet({ state })
  const chain = devnet.chains.ethereum
  const { client } = chain
  const facts = findChain('ethereum', chains) ?? missingChain()
  const proxy = await startRpcProxy(chain.url)
  const pool = createRpcPool({ chain: 'ethereum', urls: [proxy.url] })
  const openReader = (at?: bigint) =>
    createEvmReader({ pool, chain: facts, lenses: protocolLenses, ...(at !== undefined && { at }) })
  let known: Known[] = []

  async function discover(): Promise<Known[]> {
    const reader = openReader()
    const deployments = rows.map(bindProtocol)
    known = await Promise.all(
      deployments.map(async (deployment) => {
        const protocolContracts = await deployment.adapter.discover({ reader, deployment: deployment.deployment })
        return { deployment, protocolContracts }
      }),
    )
    return known
  }

  /**
   * Finds each position ID once, as the background search stores it: by logs and what these lead to. Recognises
   * contracts that logs name.
   */
  async function findKeys(wallet: Address): Promise<PositionId[]> {
    const logs = known.flatMap(({ deployment }) => deployment.keyLogs)
    if (logs.length === 0) return []
    const owner = evmAddress(wallet)
    const search = { pool, fromBlock: 0n, toBlock: await client.getBlockNumber() }
    const { keys, contracts } = (await discoverTokens(search, [owner], logs)).namedFor(owner)
    const moreKeys = createMoreKeys(
      known.map(({ deployment }) => deployment),
      () => openReader(),
    )
    const more = await moreKeys(facts, owner, keys)
    const listed = new Set(known.flatMap((entry) => entry.protocolContracts.map(({ address }) => address)))
    await recognise([...new Set([...contracts, ...more.contracts])].filter((one) => !listed.has(one)))
    return [...new Map([...keys, ...more.keys].map((found) => [keyName(found), found])).values()]
  }

  /**
   * One batch scans, one reads: as for a new wallet with searched logs. `keys`: all found by default. `leftOut`:
   * receives omissions.
   */
  async function read(
    wallet: Address,
    { keys: named, leftOut = throwLeftOut }: { keys?: readonly PositionId[]; leftOut?: LeftOut } = {},
  ): Promise<WalletReading> {
    if (known.length === 0) await discover()
    const keys = named ?? (await findKeys(wallet))
    proxy.reset()
    const reader = openReader()
    const owner = evmAddress(wallet)
    const protocolContracts = known.flatMap(({ deployment, protocolContracts }) =>
      deployment.adapter.probedOnly ? [] : protocolContracts,
    )
    const found = { keys: [...keys], cut: new Set<EvmAddress>() }
    const [scan, probed, scans] = await Promise.all([
      reader.scan(owner, [...new Set(protocolContracts.map(({ address }) => address))]),
      probeContracts(known, reader, owner),
      scanSubAccounts(known, reader, owner, found),
    ])
    const failed = [...scan.failed, ...probed.failed.keys()]
    if (failed.length > 0) throw new Error(`balances unreadable: ${failed}`)
    const drafts = await Promise.all(
      known.map(({ deployment, protocolContracts: own }) => {
        const further = furtherOf(deployment, own, scans, leftOut)
        const held = own.flatMap((protocolContract) => heldOf(protocolContract, { scan, probed }))
        const { keys: ofRow } = keysOf(deployment, found)
        if (held.length === 0 && ofRow.length === 0 && !deployment.adapter.readsEveryWallet) return []
        return deployment.positions(reader, owner, { held, protocolContracts: own, keys: ofRow, further, leftOut })
      }),
    )
    const { number } = await reader.header()
    const { positions, gaps } = shareLiquidity({ positions: drafts.flat(), gaps: [] }, new LiquidityBudget())
    for (const { protocol } of gaps) leftOut(new Error(`${protocol} could not pay all that was supplied`))
    return {
      positions,
      block: number,
      batches: proxy.calls().filter(({ method }) => method === 'eth_call').length,
      requests: proxy.requests(),
    }
  }

  async function readPartly(wallet: Address, options: { keys?: readonly PositionId[] } = {}) {
    const missing: string[] = []
    const reading = await read(wallet, { ...options, leftOut: (why) => missing.push(String(why)) })
    return { ...reading, missing }
  }

  /** A wallet that was never there costs the first batch alone. */
  async function expectNothing(): Promise<void> {
    const { positions, batches } = await read(devnet.wallets.empty.address)
    expect([positions, batches]).toEqual([[], 1])
  }

  /** Income of the wallet by its own calls at the block. The zero address is the native coin. */
  async function incomeBy(
    wallet: Address,
    calls: readonly Call[],
    tokens: readonly Address[],
    blockNumber: bigint,
    mayFail = false,
  ) {
    const paid = [...new Set(tokens)]
    const looks = paid.map((token) => balanceCall(token, wallet))
    const played = [...looks, ...calls, ...looks].map((call) => ({ ...call, account: wallet }))
    const [block] = await client.simulateBlocks({ blocks: [{ calls: played }], blockNumber })
    const answers = block?.calls ?? []
    for (const { error } of answers) if (error && !mayFail) throw error
    const balances = (from: number) => answers.slice(from, from + paid.length).map(({ data }) => BigInt(data))
    const [before, after] = [balances(0), balances(paid.length + calls.length)]
    return expectedAmounts(...paid.map((token, i) => [token, (after[i] ?? 0n) - (before[i] ?? 0n)] as const))
  }

  /** Later reads scan the recognised contracts. */
  async function recognise(tokens: readonly EvmAddress[]): Promise<ProtocolContract[]> {
    if (known.length === 0) await discover()
    const reader = openReader()
    const found = new Map<string, ProtocolContract>()
    await inAndBehind(tokens, async (contracts) => {
      const recognised = await Promise.all(
        known.map(async (entry) => {
          const { adapter, deployment } = entry.deployment
          const answer = await adapter.recognise?.({ reader, deployment, tokens: contracts, isListed })
          const own = withKnownFacts(entry.protocolContracts, answer ?? [])
          const all = [...entry.protocolContracts, ...own]
          entry.protocolContracts = [
            ...new Map(all.map((protocolContract) => [protocolContract.address, protocolContract])).values(),
          ]
          for (const protocolContract of own)
            found.set(`${entry.deployment.id} ${protocolContract.address}`, protocolContract)
          return own
        }),
      )
      return recognised.flat()
    })
    return [...found.values()]
  }

  const isListed = (token: EvmAddress) =>
    Object.values(chain.addresses.tokens).some((listed) => evmAddress(listed) === token)

  /** Blocks keep the time of the last one. */
  async function atTheTimeOfTheRead<T>(play: () => Promise<T>): Promise<T> {
    await chain.client.setBlockTimestampInterval({ interval: 0 })
    try {
      return await play()
    } finally {
      await chain.client.setBlockTimestampInterval({ interval: 1 })
    }
  }

  async function stop(): Promise<void> {
    await proxy.stop()
    await devnet.stop()
  }

  return {
    ...{ devnet, chain, client, openReader, discover, recognise, findKeys },
    ...{ read, readPartly, expectNothing, incomeBy, atTheTimeOfTheRead, stop },
  }
}

export type Call = { to: Address; data: Hex }

const coinAbi = parseAbi(['function getEthBalance(address owner) view returns (uint256)'])

function balanceCall(token: Address, wallet: Address): Call {
  if (token !== zeroAddress) {
    return { to: token, data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [wallet] }) }
  }
  const data = encodeFunctionData({ abi: coinAbi, functionName: 'getEthBalance', args: [wallet] })
  return { to: addresses.ethereum.multicall3, data }
}

/** By token in lower case. */
export function amountsOf(amounts: Position['supplied'] = []): Record<string, bigint> {
  const sums: Record<string, bigint> = {}
  for (const { token, amountRaw } of amounts) sums[token] = (sums[token] ?? 0n) + amountRaw
  return sums
}

/** Zeros are left out. */
export function expectedAmounts(...pairs: readonly (readonly [Address, bigint])[]): Record<string, bigint> {
  return amountsOf(
    pairs
      .filter(([, amountRaw]) => amountRaw > 0n)
      .map(([token, amountRaw]) => ({ token: evmAddress(token), amountRaw })),
  )
}
