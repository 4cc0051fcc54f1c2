import { type Anvil, createDevChain, deployDepositContract, depositContractAbi, startAnvil } from '@coffer/devnet'
import { type phase0, ssz } from '@lodestar/types'
import { toHex } from '@lodestar/utils'
import { type Address, decodeAbiParameters, encodeFunctionData, type Hex, parseAbiParameters } from 'viem'
import { depositDataOf } from '../chain/deposit-data.ts'
import { bytesOf } from '../chain/seeded.ts'
import type { Transaction } from '../slot-plan.ts'
import type { BlockOrder, ExecutionBlock, ExecutionLayer, ExecutionParts, LoggedDeposit } from './execution-layer.ts'
import { startExecutionProxy } from './execution-proxy.ts'
import { createJsonRpc, type JsonRpc, quantity } from './json-rpc.ts'

const DEFAULT_BASE_FEE_WEI = 1_000_000_000n
const DEFAULT_TIP_WEI = 1_000_000_000n
const WEI_PER_GWEI = 1_000_000_000n
const GAS_LIMIT = 60_000_000
const GAS = 300_000
const KEPT_STATES = 256
const DEPOSITS_PER_BLOCK = 100
/** More than all possible deposits. */
const FUNDS_WEI = 10n ** 27n
const DEPOSITOR = '0xde90517e00000000000000000000000000000d0e'
/** Leaves time for the contract and the first deposits before genesis. */
const SECONDS_BEFORE_GENESIS = 10_000

type Block = {
  hash: Hex
  number: Hex
  gasLimit: Hex
  gasUsed: Hex
  baseFeePerGas: Hex
  stateRoot: Hex
  receiptsRoot: Hex
  logsBloom: Hex
  transactions: Hex[]
}
type Log = { data: Hex }

const littleEndian = (hex: Hex): bigint => Buffer.from(bytesOf(hex)).readBigUInt64LE()

const LOGGED = parseAbiParameters('bytes pubkey, bytes credentials, bytes amount, bytes signature, bytes index')

const depositOf = ({ data }: Log): LoggedDeposit => {
  const [pubkey, credentials, amount, signature, index] = decodeAbiParameters(LOGGED, data)
  return {
    data: {
      pubkey: bytesOf(pubkey),
      withdrawalCredentials: bytesOf(credentials),
      amount: Number(littleEndian(amount)),
      signature: bytesOf(signature),
    },
    index: Number(littleEndian(index)),
  }
}

const depositTransaction = (contract: string, data: phase0.DepositData): Transaction => ({
  from: DEPOSITOR,
  to: contract,
  valueWei: BigInt(data.amount) * WEI_PER_GWEI,
  tipWei: 0n,
  data: encodeFunctionData({
    abi: depositContractAbi,
    functionName: 'deposit',
    args: [
      toHex(data.pubkey) as Hex,
      toHex(data.withdrawalCredentials) as Hex,
      toHex(data.signature) as Hex,
      toHex(ssz.phase0.DepositData.hashTreeRoot(data)) as Hex,
    ],
  }),
})

const createSender = (ask: JsonRpc) => {
  const funded = new Set<string>()
  const fund = async (address: string) => {
    if (funded.has(address)) return
    funded.add(address)
    await ask(['anvil_setBalance', address, quantity(FUNDS_WEI)])
  }
  return async (transactions: readonly Transaction[], baseFeeWei: bigint): Promise<void> => {
    for (const { from, to, valueWei = 0n, tipWei = DEFAULT_TIP_WEI, data } of transactions) {
      await fund(from)
      const fees = { maxFeePerGas: quantity(baseFeeWei + tipWei), maxPriorityFeePerGas: quantity(tipWei) }
      const call = {
        from,
        ...(to && { to }),
        value: quantity(valueWei),
        ...(data && { data }),
        gas: quantity(GAS),
        ...fees,
      }
      await ask(['eth_sendTransaction', call])
    }
  }
}

const createMiner = (ask: JsonRpc, contract: string) => {
  const send = createSender(ask)
  return async (
    transactions: readonly Transaction[],
    given: { timestamp: number; feeRecipient: string; baseFeeWei: bigint },
  ): Promise<ExecutionBlock> => {
    const { timestamp, feeRecipient, baseFeeWei } = given
    await ask(
      ['evm_setAutomine', false],
      ['anvil_setNextBlockBaseFeePerGas', quantity(baseFeeWei)],
      ['anvil_setCoinbase', feeRecipient],
    )
    await send(transactions, baseFeeWei)
    await ask(['evm_mine', { timestamp }])
    await ask(['evm_setAutomine', true], ['anvil_setNextBlockBaseFeePerGas', quantity(0)])
    const [block] = (await ask(['eth_getBlockByNumber', 'latest', false])) as [Block]
    const included = block.transactions
    if (included.length !== transactions.length) throw new Error(`a block left out transactions: ${included.length}`)
    const raw = included.map((hash) => ['eth_getRawTransactionByHash', hash] as const)
    const [logs, ...encoded] =
      included.length > 0 ? await ask(['eth_getLogs', { blockHash: block.hash, address: contract }], ...raw) : [[]]
    return {
      hash: bytesOf(block.hash),
      number: Number(block.number),
      gasLimit: Number(block.gasLimit),
      gasUsed: Number(block.gasUsed),
      baseFeeWei: BigInt(block.baseFeePerGas),
      stateRoot: bytesOf(block.stateRoot),
      receiptsRoot: bytesOf(block.receiptsRoot),
      logsBloom: bytesOf(block.logsBloom),
      transactions: (encoded as Hex[]).map(bytesOf),
      deposits: (logs as Log[]).map(depositOf),
    }
  }
}

type Miner = ReturnType<typeof createMiner>

/** In blocks before genesis, a second apart. */
const depositGenesis = async (mine: Miner, contract: string, { genesisDeposits, genesisTime }: ExecutionParts) => {
  const given = { feeRecipient: DEPOSITOR, baseFeeWei: DEFAULT_BASE_FEE_WEI }
  const chunks = Math.ceil(genesisDeposits.length / DEPOSITS_PER_BLOCK)
  for (let chunk = 0; chunk < chunks; chunk++) {
    const some = genesisDeposits.slice(chunk * DEPOSITS_PER_BLOCK, (chunk + 1) * DEPOSITS_PER_BLOCK)
    const transactions = some.map((data) => depositTransaction(contract, data))
    await mine(transactions, { ...given, timestamp: genesisTime - 1 - chunks + chunk })
  }
  return mine([], { ...given, timestamp: genesisTime - 1 })
}

const nodeOf = async ({ config, genesisTime, node }: ExecutionParts): Promise<Omit<Anvil, 'pid'>> => {
  if (node) return { ...node, stop: async () => undefined }
  return startAnvil({
    chainId: config.DEPOSIT_CHAIN_ID,
    timestamp: genesisTime - SECONDS_BEFORE_GENESIS,
    keptStates: KEPT_STATES,
    args: ['--order', 'fifo', '--gas-limit', String(GAS_LIMIT)],
  })
}

/** Mines one block per beacon block at the slot's time. Deposits are read back from the contract's logs. */
export const startAnvilExecution = async (parts: ExecutionParts): Promise<ExecutionLayer> => {
  const { config } = parts
  const contract = toHex(config.DEPOSIT_CONTRACT_ADDRESS)
  const node = await nodeOf(parts)
  const ask = createJsonRpc(node.url)
  // Keeps hashes deterministic: automatic blocks are a second apart.
  await ask(['anvil_setBlockTimestampInterval', 1], ['anvil_autoImpersonateAccount', true])
  await deployDepositContract(createDevChain(node), contract as Address)
  await ask(['anvil_removeBlockTimestampInterval'])
  const mine = createMiner(ask, contract)
  const genesis = await depositGenesis(mine, contract, parts)
  const proxy = await startExecutionProxy(node.url)
  return {
    genesis,
    url: proxy.url,
    setFinal: proxy.setFinal,
    mine: async ({ timestamp, feeRecipient, plan, withdrawals }: BlockOrder) => {
      const deposits = (plan.deposits ?? []).map((deposit) =>
        depositTransaction(contract, depositDataOf(config, deposit)),
      )
      const block = await mine([...deposits, ...(plan.transactions ?? [])], {
        timestamp,
        feeRecipient,
        baseFeeWei: plan.baseFeeWei ?? DEFAULT_BASE_FEE_WEI,
      })
      proxy.addWithdrawals(
        toHex(block.hash),
        withdrawals.map(({ index, validatorIndex, address, amount }) => ({
          index,
          validatorIndex,
          address: toHex(address),
          amountGwei: amount,
        })),
      )
      return block
    },
    stop: async () => {
      proxy.close()
      await node.stop()
    },
  }
}
