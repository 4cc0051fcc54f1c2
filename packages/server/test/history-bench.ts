import { addresses, eulerDebtToken, eulerVaults, morphoVaults } from '@coffer/devnet'
import { type Address, erc20Abi, type Hex, parseAbi, toHex } from 'viem'
import { expect } from 'vitest'
import { findChain } from '../src/chains/chain-catalog.ts'
import { chains } from '../src/chains/chain-types.ts'
import { callsOf } from '../src/chains/evm/activity/inner-calls.ts'
import { ledTo } from '../src/chains/evm/collect/read-history.ts'
import { createContractDirectory } from '../src/chains/evm/decode/contract-directory.ts'
import { readTransaction } from '../src/chains/evm/decode/read-transaction.ts'
import { topicOfPrefix } from '../src/chains/evm/logs/logs.ts'
import { protocolRows } from '../src/chains/evm/protocols/protocols.ts'
import type { ProtocolRow } from '../src/chains/protocol-row.ts'
import { type EvmAddress, evmAddress, NATIVE } from '../src/domain/evm-address.ts'
import type { ChainTransaction, NativeTransfer, WalletTransaction } from '../src/domain/transaction.ts'
import { type ProtocolBench, protocolBench } from './protocol-bench.ts'

type Trace = {
  type: string
  error?: string
  action: { from: Address; to?: Address; value?: Hex; callType?: string }
}

const GWEI = 10n ** 9n
const RAY = 10n ** 27n
/** Indices of Compound v3 have 15 digits. */
const COMET_INDEX = 10n ** 15n
/** Whole units, one more or less per event. */
const ROUNDING = 1n

const indexAbi = parseAbi([
  'function scaledBalanceOf(address user) view returns (uint256)',
  'function getReserveNormalizedIncome(address asset) view returns (uint256)',
  'function getReserveNormalizedVariableDebt(address asset) view returns (uint256)',
])
const cometAbi = parseAbi([
  'function userBasic(address account) view returns (int104 principal, uint64, uint64, uint16, uint8)',
  'function accruedIndices() view returns (uint64 supplyIndex, uint64 borrowIndex)',
])

type Chain = ProtocolBench['chain']
type Made = { rows?: readonly ProtocolRow[]; contracts?: readonly Address[]; [deployed: string]: unknown }
type Prepare<T> = (chain: Chain) => Promise<T>

export type HistoryBench = Awaited<ReturnType<typeof ownBench>>

/**
 * For the file that opens it, at its top. Compares transactions with balance changes, by all rows of Ethereum. `prepare`
 * may deploy more, and returns its deployments and contracts to recognise.
 */
export async function historyBench<T extends Made>(prepare?: Prepare<T>) {
  const listed = protocolRows.filter(({ chain }) => chain === 'ethereum')
  const bench = await ownBench(listed)
  const made = await prepare?.(bench.chain)
  listed.push(...(made?.rows ?? []))
  await bench.discover()
  const lent = [...Object.values(morphoVaults()), ...Object.values(eulerVaults())]
  const owed = [eulerVaults().usdc, eulerVaults().weth].map(eulerDebtToken)
  await bench.recognise([addresses.ethereum.local.vault, ...lent, ...owed, ...(made?.contracts ?? [])].map(evmAddress))
  return Object.assign(bench, { made: made as T })
}

/** For the file that opens it, at its top. `listed`: the only rows, which the suite may add until it discovers them. */
export async function ownBench(listed: readonly ProtocolRow[]) {
  const bench = await protocolBench(listed)
  // Makes interest between blocks independent of the machine's speed.
  await bench.client.setBlockTimestampInterval({ interval: 1 })
  const { chain, client } = bench
  const request = client.request as (call: { method: string; params: unknown[] }) => Promise<unknown>
  const facts = findChain('ethereum', chains)
  if (!facts) throw new Error('the catalog has no chain ethereum')
  let rows: Awaited<ReturnType<typeof bench.discover>> = []
  const createDirectory = () =>
    createContractDirectory({ chain: facts, rows, bridges: [], isListed: () => true, isSpam: () => false })
  let directory = createDirectory()
  let nextWallet = 0xc1_ff_00_00
  const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`

  async function discover() {
    rows = await bench.discover()
    directory = createDirectory()
    return rows
  }

  async function recognise(contracts: readonly EvmAddress[]) {
    const found = await bench.recognise(contracts)
    directory = createDirectory()
    return found
  }

  /** Pays for gas; may fail. */
  async function send(from: Address, to: Address, data: Hex, value = 0n): Promise<void> {
    const transaction = { from, to, data, value: toHex(value), gas: toHex(3_000_000n), gasPrice: toHex(GWEI) }
    await request({ method: 'eth_sendTransactionSync', params: [transaction] })
  }

  /** Uses no transaction. Its own block lets the balance be read before what follows. */
  async function fund(wallet: Address, amount: bigint): Promise<void> {
    await chain.actions.native.give(wallet, amount)
    await client.mine({ blocks: 1 })
  }

  async function learnFrom(tx: ChainTransaction): Promise<void> {
    const led = ledTo(rows, [tx])
    if (led.length > 0) await recognise(led)
  }

  /** Every token's movements must equal the change of its balance. */
  async function readSince(wallet: Address, before: bigint): Promise<WalletTransaction[]> {
    const owner = evmAddress(wallet)
    const after = await client.getBlockNumber()
    const read: WalletTransaction[] = []
    for (let number = before + 1n; number <= after; number += 1n) {
      const { transactions } = await client.getBlock({ blockNumber: number })
      for (const hash of transactions) {
        const tx = await chainTransaction(hash)
        if (!concerns(tx, owner)) continue
        await learnFrom(tx)
        const found = readTransaction(tx, owner, directory)
        await expectBalances(tx, found, owner)
        read.push(found)
      }
    }
    return read
  }

  async function played(wallet: Address, play: () => Promise<unknown>): Promise<WalletTransaction[]> {
    const before = await client.getBlockNumber()
    await play()
    return readSince(wallet, before)
  }

  async function chainTransaction(hash: Hex): Promise<ChainTransaction> {
    const [tx, receipt] = await Promise.all([client.getTransaction({ hash }), client.getTransactionReceipt({ hash })])
    const { timestamp } = await client.getBlock({ blockNumber: receipt.blockNumber })
    return {
      hash,
      block: receipt.blockNumber,
      blockHash: receipt.blockHash,
      index: receipt.transactionIndex,
      time: Number(timestamp),
      from: evmAddress(receipt.from),
      to: receipt.to && evmAddress(receipt.to),
      selector: tx.input.slice(0, 10) as Hex,
      calls: callsOf(evmAddress(receipt.from), receipt.to && evmAddress(receipt.to), tx.input),
      succeeded: receipt.status === 'success',
      feeRaw: receipt.gasUsed * receipt.effectiveGasPrice,
      feeInToken: false,
      logs: receipt.logs.map((log) => ({ ...log, address: evmAddress(log.address) })),
      nativeTransfers: receipt.status === 'success' ? await tracedTransfers(hash) : [],
    }
  }

  async function tracedTransfers(hash: Hex): Promise<NativeTransfer[]> {
    const traces = (await request({ method: 'trace_transaction', params: [hash] })) as Trace[]
    return traces.flatMap(({ type, error, action: { from, to, value, callType } }) => {
      const amountRaw = BigInt(value ?? 0)
      if (type !== 'call' || error || callType === 'delegatecall' || !to || amountRaw === 0n) return []
      return [{ from: evmAddress(from), to: evmAddress(to), amountRaw }]
    })
  }

  /** Undefined for non-tokens. */
  async function balanceOf(token: EvmAddress, wallet: EvmAddress, blockNumber: bigint): Promise<bigint | undefined> {
    if (token === NATIVE) return client.getBalance({ address: wallet, blockNumber })
    const call = { address: token, abi: erc20Abi, functionName: 'balanceOf', args: [wallet], blockNumber } as const
    return client.readContract(call).catch(() => undefined)
  }

  async function expectBalances(tx: ChainTransaction, found: WalletTransaction, wallet: EvmAddress): Promise<void> {
    const tokens = tx.logs.map(({ address }) => address).filter((address) => !isSilent(address))
    for (const token of new Set([NATIVE, ...tokens])) {
      const before = await balanceOf(token, wallet, tx.block - 1n)
      const after = await balanceOf(token, wallet, tx.block)
      if (before === undefined || after === undefined) continue
      const missing = after - before - sumOf(found, token) - (await interestOf(token, wallet, tx.block))
      const most = directory.isRebasing(token) ? ROUNDING * BigInt(tx.logs.length) : 0n
      expect(missing < 0n ? -missing : missing, `${found.type} ${tx.hash}: ${token}`).toBeLessThanOrEqual(most)
    }
  }

  /** Matches contracts that answer `balanceOf` for something else than a token: their logs are no movements. */
  function isSilent(address: EvmAddress): boolean {
    const known = directory.protocolContractOf(address)
    return known !== undefined && known.deployment.history.purposes[known.protocolContract.role] === undefined
  }

  /** Growth of the scaled balance since the previous block, by the pool's own index. */
  async function interestOf(token: EvmAddress, wallet: EvmAddress, block: bigint): Promise<bigint> {
    const known = directory.protocolContractOf(token)
    if (known?.deployment.adapter.name === 'compound_v3') return cometInterestOf(token, wallet, block)
    const pool = known?.protocolContract.data?.['pool']
    const [asset] = known?.protocolContract.underlyings ?? []
    if (!known || !pool || !asset || !directory.isRebasing(token)) return 0n
    const functionName =
      known.protocolContract.role === 'supply' ? 'getReserveNormalizedIncome' : 'getReserveNormalizedVariableDebt'
    const index = (blockNumber: bigint) =>
      client.readContract({ address: pool as Address, abi: indexAbi, functionName, args: [asset], blockNumber })
    const scaled = await client.readContract({
      ...{ address: token, abi: indexAbi, functionName: 'scaledBalanceOf', args: [wallet], blockNumber: block - 1n },
    } as const)
    return (scaled * (await index(block))) / RAY - (scaled * (await index(block - 1n))) / RAY
  }

  async function cometInterestOf(comet: EvmAddress, wallet: EvmAddress, block: bigint): Promise<bigint> {
    const read = { address: comet, abi: cometAbi } as const
    const indexAt = async (blockNumber: bigint) =>
      (await client.readContract({ ...read, functionName: 'accruedIndices', blockNumber }))[0]
    const basic = { ...read, functionName: 'userBasic', args: [wallet], blockNumber: block - 1n } as const
    const [principal] = await client.readContract(basic)
    if (principal <= 0n) return 0n
    return (principal * (await indexAt(block))) / COMET_INDEX - (principal * (await indexAt(block - 1n))) / COMET_INDEX
  }

  return {
    ...bench,
    get directory() {
      return directory
    },
    ...{ discover, recognise, newWallet, send, fund, played, readSince },
  }
}

/** Matches wallets named by address or sub-account, and the sender. */
function concerns(tx: ChainTransaction, wallet: EvmAddress): boolean {
  const word = wallet.slice(2)
  const prefix = topicOfPrefix(wallet)
  const named = tx.logs.some(
    ({ topics, data }) => [...topics, data].some((text) => text.includes(word)) || topics.includes(prefix),
  )
  return named || tx.from === wallet || tx.nativeTransfers.some(({ from, to }) => from === wallet || to === wallet)
}

const sumOf = ({ movements }: WalletTransaction, token: EvmAddress) =>
  movements.filter((movement) => movement.token === token).reduce((sum, { amountRaw }) => sum + amountRaw, 0n)

type Named = Readonly<Record<string, Address>>

const nameIn = (named: Named) => {
  const names = new Map(Object.entries(named).map(([name, address]) => [`${evmAddress(address)}`, name]))
  return (token: string) => names.get(token) ?? token
}

function signOf(amountRaw: bigint): string {
  if (amountRaw === 0n) return ''
  return amountRaw < 0n ? '-' : '+'
}

/** By transaction: type, protocol; leg, treatment, sign, token and ID of each movement. */
export function legsOf(transactions: readonly WalletTransaction[], named: Named) {
  const nameOf = nameIn(named)
  return transactions.map(({ type, protocol, movements }) => [
    ...[type, protocol],
    ...movements
      .map(({ token, tokenId, amountRaw, leg, treatment }) => {
        const id = tokenId === null ? '' : ` ${tokenId}`
        return `${leg} ${treatment} ${signOf(amountRaw)}${nameOf(token)}${id}`
      })
      .toSorted(),
  ])
}

/** By transaction: type and protocol; treatment, amount and token of each movement but fees. */
export function amountsIn(transactions: readonly WalletTransaction[], named: Named): string[][] {
  const nameOf = nameIn(named)
  return transactions.map(({ type, protocol, movements }) => [
    `${type} ${protocol}`,
    ...movements
      .filter(({ treatment }) => treatment !== 'fee')
      .map(({ token, amountRaw, treatment }) => `${treatment} ${amountRaw} ${nameOf(token)}`),
  ])
}
