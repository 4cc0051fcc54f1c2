import { addresses, startDevnet } from '@coffer/devnet'
import { type Address, encodeFunctionData, erc20Abi, type Hex, parseAbi, zeroAddress } from 'viem'
import { expect, inject } from 'vitest'
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
import { started } from './started.ts'

/** `batches`: `eth_call`s; `requests`: HTTP requests. Waiting times depend on the machine's load and are not measured. */
type WalletReading = { positions: Position[]; block: bigint; batches: number; requests: number }

type Known = { deployment: ProtocolDeployment; protocolContracts: ProtocolContract[] }

export type ProtocolBench = Awaited<ReturnType<typeof protocolBench>>

export function throwLeftOut(why: unknown): never {
  throw why
}

function missingChain(): never {
  throw new Error('the catalog has no chain ethereum')
}

/** Vitest ends a worker by this signal. A suite that failed before its first test leaves nodes, which end on `exit`. */
process.once('SIGTERM', () => process.exit())

/** For the file that opens it, at its top. Reads as the service does, through a counting proxy. */
export async function protocolBench(rows: readonly ProtocolRow[]) {
  const devnet = await started(startDevnet({ state: inject('devnetState') }))
  const chain = devnet.chains.ethereum
  const { client } = chain
  const { erc20 } = chain.actions
  const facts = findChain('ethereum', chains) ?? missingChain()
  const proxy = await started(startRpcProxy(chain.url))
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

  /** `missing`: reasons of omissions. `refused`: their contracts, if known. */
  async function readPartly(wallet: Address, options: { keys?: readonly PositionId[] } = {}) {
    const missing: string[] = []
    const refused: EvmAddress[] = []
    const leftOut: LeftOut = (why, contract) => {
      missing.push(String(why))
      if (contract) refused.push(contract.address)
    }
    return { ...(await read(wallet, { ...options, leftOut })), missing, refused }
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

  /** Mints tokens, which the spender may take. */
  async function give(wallet: Address, token: Address, amount: bigint, ...spenders: readonly Address[]): Promise<void> {
    await erc20.mint(token, wallet, amount)
    for (const spender of spenders) await erc20.allow(token, wallet, spender)
  }

  /** Increases of the wallet's balances over the play. */
  async function paidBy(wallet: Address, tokens: readonly Address[], play: () => Promise<unknown>) {
    const balances = () => Promise.all(tokens.map((token) => erc20.balanceOf(token, wallet)))
    const before = await balances()
    await play()
    const after = await balances()
    return expectedAmounts(...tokens.map((token, i) => [token, (after[i] ?? 0n) - (before[i] ?? 0n)] as const))
  }

  /** Parts of an amount of a contract that the protocol's row lists or recognised. */
  async function decompose(key: string, contract: Address, amountRaw: bigint, reader = openReader()) {
    const row = known.find(({ deployment }) => deployment.key === key)
    const protocolContract = row?.protocolContracts.find(({ address }) => address === evmAddress(contract))
    if (!row || !protocolContract) throw new Error(`${key} does not list ${contract}`)
    return row.deployment.decompose(reader, { protocolContract, amountRaw })
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

  return {
    ...{ devnet, chain, client, openReader, discover, recognise, findKeys },
    ...{ read, readPartly, expectNothing, incomeBy, atTheTimeOfTheRead, give, paidBy, decompose },
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

export const sidesOf = (position: Position | undefined) => ({
  supplied: amountsOf(position?.supplied),
  borrowed: amountsOf(position?.borrowed),
})

export const positionAt = (positions: readonly Position[], pool: Address) =>
  positions.find((position) => position.pool === evmAddress(pool))
export const suppliedAt = (positions: readonly Position[], pool: Address) =>
  amountsOf(positionAt(positions, pool)?.supplied)
export const rewardsAt = (positions: readonly Position[], pool: Address) =>
  amountsOf(positionAt(positions, pool)?.rewards)
