import {
  type Abi,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  createTestClient,
  defineChain,
  encodeDeployData,
  encodeFunctionData,
  formatTransactionReceipt,
  getAddress,
  type Hex,
  http,
  publicActions,
  type RpcTransactionReceipt,
  type TransactionReceipt,
} from 'viem'
import type { Anvil } from './anvil.ts'
import type { Artifact } from './artifact.ts'
import { accounts } from './wallets.ts'

const GAS = 15_000_000n
const FIRST_CONTRACT_NONCE = 1
const WEEK_SECONDS = 7 * 86_400

type Node = Pick<Anvil, 'url' | 'chainId'>

const createClient = (anvil: Node) =>
  createTestClient({
    mode: 'anvil',
    chain: defineChain({
      id: anvil.chainId,
      name: `local ${anvil.chainId}`,
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [anvil.url] } },
    }),
    transport: http(anvil.url, { timeout: 60_000 }),
    cacheTime: 0,
  }).extend(publicActions)

type Changing = 'nonpayable' | 'payable'

type Write<abi extends Abi, name extends ContractFunctionName<abi, Changing>> = {
  from: Address
  address: Address
  abi: abi
  functionName: name
  args?: ContractFunctionArgs<abi, Changing, name>
  value?: bigint
}

const encode = (abi: Abi, functionName: string, args: readonly unknown[] = []): Hex =>
  encodeFunctionData({ abi, functionName, args: [...args] })

type Send = { from: Address; to?: Address; data?: Hex; value?: bigint }

/**
 * Every address may send without a key and gas costs nothing. A transaction has its own block when its promise
 * resolves. A revert throws with the contract's reason.
 */
export type DevChain = ReturnType<typeof createDevChain>

export const createDevChain = (anvil: Node) => {
  const client = createClient(anvil)
  const request = client.request as (call: { method: string; params: unknown[] }) => Promise<unknown>

  /** By sender: anvil gives concurrent transactions of one sender the same nonce. */
  const turns = new Map<Address, Promise<unknown>>()
  const inTurn = (from: Address, transact: () => Promise<unknown>) => {
    const turn = (turns.get(from) ?? Promise.resolve()).then(transact, transact)
    turns.set(from, turn)
    return turn
  }

  const send = async ({ from, to, data, value }: Send): Promise<TransactionReceipt> => {
    const transaction = {
      from,
      ...(to && { to }),
      ...(data && { data }),
      value: `0x${(value ?? 0n).toString(16)}`,
      gas: `0x${GAS.toString(16)}`,
      gasPrice: '0x0',
    }
    const mined = await inTurn(from, () => request({ method: 'eth_sendTransactionSync', params: [transaction] }))
    const receipt = formatTransactionReceipt(mined as RpcTransactionReceipt)
    if (receipt.status === 'success') return receipt
    await client.call({ account: from, to, data, value, gas: GAS })
    throw new Error(`transaction ${receipt.transactionHash} to ${to} reverted; the same call afterwards did not`)
  }

  const write = <const abi extends Abi, name extends ContractFunctionName<abi, Changing>>(
    call: Write<abi, name>,
  ): Promise<TransactionReceipt> => {
    const data = encode(call.abi, call.functionName, call.args as readonly unknown[] | undefined)
    return send({ from: call.from, to: call.address, data, ...(call.value !== undefined && { value: call.value }) })
  }

  const deploy = async (artifact: Artifact, args: readonly unknown[] = []): Promise<Address> => {
    const data = encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode, args: [...args] })
    const { contractAddress } = await send({ from: accounts.deployer, data })
    if (!contractAddress) throw new Error('a deployment left no contract')
    return getAddress(contractAddress)
  }

  /**
   * Runs the real constructor at a chosen address: sets the creation code, calls it for the runtime code, then runs it
   * in a transaction for the storage.
   */
  const deployTo = async (address: Address, artifact: Artifact, args: readonly unknown[] = []): Promise<Address> => {
    const data = encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode, args: [...args] })
    await client.setCode({ address, bytecode: data })
    const { data: runtime } = await client.call({ account: accounts.deployer, to: address, gas: GAS })
    if (!runtime) throw new Error(`the constructor for ${address} returned no code`)
    await send({ from: accounts.deployer, to: address })
    await client.setCode({ address, bytecode: runtime })
    await client.setNonce({ address, nonce: FIRST_CONTRACT_NONCE })
    return address
  }

  /** The deployer owns everything here. */
  const admin = (address: Address, artifact: Artifact, functionName: string, args: readonly unknown[] = []) =>
    send({
      from: accounts.deployer,
      to: address,
      data: encode(artifact.abi, functionName, args),
    })

  /** A node forgets this when it stops. */
  const impersonate = () => request({ method: 'anvil_autoImpersonateAccount', params: [true] })

  return {
    url: anvil.url,
    chainId: anvil.chainId,
    client,
    send,
    write,
    deploy,
    deployTo,
    admin,
    impersonate,
    ...clockOf(client),
  }
}

function clockOf(client: ReturnType<typeof createClient>) {
  const travel = async (seconds: number): Promise<void> => {
    const { timestamp } = await client.getBlock()
    await client.setNextBlockTimestamp({ timestamp: timestamp + BigInt(seconds) })
    await client.mine({ blocks: 1 })
  }

  /** Weeks as contracts count them. Their payments end with the week. */
  const startWeek = async (): Promise<void> => {
    const { timestamp } = await client.getBlock()
    await travel(WEEK_SECONDS - (Number(timestamp) % WEEK_SECONDS))
  }

  return { travel, startWeek }
}
