import { depositContractAbi } from '@coffer/devnet'
import { type Address, createPublicClient, type Hex, http } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BeaconDevnet, startBeaconDevnet } from '../beacon-devnet.ts'

const ETH = 1_000_000_000
const GENESIS_TIME = 1_700_000_000
const PROPOSER: Address = '0x00000000000000000000000000000000000000a1'
const BUILDER: Address = '0x00000000000000000000000000000000000000b2'
const SENDER: Address = '0x00000000000000000000000000000000000000c3'
const GWEI = 1_000_000_000n
const TRANSFER_GAS = 21_000n

type Payload = {
  block_hash: Hex
  block_number: string
  timestamp: string
  fee_recipient: string
  transactions: Hex[]
  withdrawals: { index: string; validator_index: string; address: string; amount: string }[]
}
type Body = {
  execution_payload: Payload
  eth1_data: { deposit_root: Hex; deposit_count: string }
  deposits: unknown[]
  execution_requests?: { deposits: { index: string; amount: string }[] }
}

let running: BeaconDevnet[] = []

const start = async (fork: 'deneb' | 'fulu') => {
  const presetValues = { EPOCHS_PER_ETH1_VOTING_PERIOD: 1 }
  const options = { fork, presetValues, validators: 64, genesisTime: GENESIS_TIME, execution: true }
  const devnet = await startBeaconDevnet(options)
  running.push(devnet)
  return devnet
}

const bodyAt = async ({ beacon }: BeaconDevnet, slot: number): Promise<Body | null> => {
  const response = await fetch(`${beacon}/eth/v2/beacon/blocks/${slot}`)
  if (response.status === 404) return null
  return ((await response.json()) as { data: { message: { body: Body } } }).data.message.body
}

const clientOf = ({ execution }: BeaconDevnet) => createPublicClient({ transport: http(execution), cacheTime: 0 })

const contractOf = async ({ beacon }: BeaconDevnet): Promise<Address> => {
  const response = await fetch(`${beacon}/eth/v1/config/deposit_contract`)
  return ((await response.json()) as { data: { address: Address } }).data.address
}

let devnet: BeaconDevnet
let beforeElectra: BeaconDevnet

beforeAll(async () => {
  ;[devnet, beforeElectra] = await Promise.all([start('fulu'), start('deneb')])
  const deposits = [
    { key: 64, amountGwei: 32 * ETH },
    { key: 3, amountGwei: ETH },
  ]
  const paying = {
    feeRecipient: BUILDER,
    transactions: [
      { from: SENDER, to: BUILDER, valueWei: 5n, tipWei: 3n * GWEI },
      { from: SENDER, to: PROPOSER, valueWei: 7n, tipWei: 2n * GWEI },
      { from: BUILDER, to: PROPOSER, valueWei: 10n ** 17n, tipWei: 0n },
    ],
  }
  const scenario = [
    { from: 3, missed: true },
    { from: 10, deposits },
    { from: 20, ...paying },
  ]
  await Promise.all([devnet.play(scenario, 60), beforeElectra.play(scenario, 60)])
})

afterAll(async () => {
  await Promise.all(running.map((one) => one.stop()))
  running = []
})

it('has an execution block for every beacon block, of the same hash, time and withdrawals', async () => {
  const client = clientOf(devnet)
  let found = 0
  for (let slot = 1; slot <= 60; slot++) {
    const body = await bodyAt(devnet, slot)
    if (!body) continue
    found++
    const { block_hash, block_number, timestamp, fee_recipient, withdrawals } = body.execution_payload
    const block = await client.getBlock({ blockHash: block_hash })
    expect(block.number).toBe(BigInt(block_number))
    expect(block.timestamp).toBe(BigInt(GENESIS_TIME + slot * 12))
    expect(Number(timestamp)).toBe(GENESIS_TIME + slot * 12)
    expect(block.miner.toLowerCase()).toBe(fee_recipient.toLowerCase())
    expect(block.withdrawals).toEqual(
      withdrawals.map(({ index, validator_index, address, amount }) => ({
        index: `0x${BigInt(index).toString(16)}`,
        validatorIndex: `0x${BigInt(validator_index).toString(16)}`,
        address: address.toLowerCase(),
        amount: `0x${BigInt(amount).toString(16)}`,
      })),
    )
    expect(await client.getBlock({ blockNumber: BigInt(block_number) })).toEqual(block)
  }
  expect(found).toBe(59)
})

it('pays out what its payloads say', async () => {
  const client = clientOf(devnet)
  const epochs = await devnet.truth()
  for (const { withdrawals } of epochs.slice(0, 6)) {
    for (const { slot, index, amountGwei } of withdrawals) {
      const body = await bodyAt(devnet, slot)
      const block = await client.getBlock({ blockHash: body?.execution_payload.block_hash ?? '0x' })
      const listed = block.withdrawals?.find((one) => BigInt(one.index) === BigInt(index))
      expect(BigInt(listed?.amount ?? 0)).toBe(amountGwei)
    }
  }
  expect(epochs.flatMap(({ withdrawals }) => withdrawals).length).toBeGreaterThan(100)
})

it('has the transactions of a plan in their order, with the fees and payments they make', async () => {
  const client = clientOf(devnet)
  const body = await bodyAt(devnet, 20)
  const blockHash = body?.execution_payload.block_hash ?? '0x'
  const { transactions, baseFeePerGas, number } = await client.getBlock({ blockHash, includeTransactions: true })
  expect(transactions.map(({ from, to, value }) => [from.toLowerCase(), to?.toLowerCase(), value])).toEqual([
    [SENDER, BUILDER, 5n],
    [SENDER, PROPOSER, 7n],
    [BUILDER, PROPOSER, 10n ** 17n],
  ])
  expect(body?.execution_payload.transactions).toHaveLength(3)
  const receipts = await Promise.all(transactions.map(({ hash }) => client.getTransactionReceipt({ hash })))
  const tips = receipts.map(({ effectiveGasPrice, gasUsed }) => (effectiveGasPrice - (baseFeePerGas ?? 0n)) * gasUsed)
  expect(tips).toEqual([3n * GWEI * TRANSFER_GAS, 2n * GWEI * TRANSFER_GAS, 0n])
  const balance = (blockNumber: bigint) => client.getBalance({ address: PROPOSER, blockNumber })
  expect((await balance(number)) - (await balance(number - 1n))).toBe(10n ** 17n + 7n)
})

it('says which block is final', async () => {
  const client = clientOf(devnet)
  const { finalizedEpoch } = await devnet.head()
  const body = await bodyAt(devnet, finalizedEpoch * 8)
  const { number } = await client.getBlock({ blockTag: 'finalized' })
  expect(number).toBe(BigInt(body?.execution_payload.block_number ?? 0))
})

it('has deposits of real transactions reach the chain as requests from Electra on', async () => {
  const client = clientOf(devnet)
  const logs = await client.getContractEvents({
    address: await contractOf(devnet),
    abi: depositContractAbi,
    eventName: 'DepositEvent',
    fromBlock: 0n,
  })
  expect(logs).toHaveLength(66)
  expect(logs.map(({ topics }) => topics.length)).toEqual(logs.map(() => 1))
  const body = await bodyAt(devnet, 10)
  expect(body?.execution_requests?.deposits.map(({ index, amount }) => [index, amount])).toEqual([
    ['64', '32000000000'],
    ['65', '1000000000'],
  ])
})

it('has them voted for and proved before Electra, against the root that the contract itself answers', async () => {
  const client = clientOf(beforeElectra)
  const address = await contractOf(beforeElectra)
  const root = await client.readContract({ address, abi: depositContractAbi, functionName: 'get_deposit_root' })
  const count = await client.readContract({ address, abi: depositContractAbi, functionName: 'get_deposit_count' })
  const body = await bodyAt(beforeElectra, 60)
  expect(body?.eth1_data).toMatchObject({ deposit_root: root, deposit_count: '66' })
  expect(count).toBe('0x4200000000000000')
  const bodies = await Promise.all(Array.from({ length: 60 }, (_, at) => bodyAt(beforeElectra, at + 1)))
  expect(bodies.flatMap((one) => one?.deposits ?? [])).toHaveLength(2)
  const applied = (await beforeElectra.truth()).flatMap(({ deposits }) => deposits)
  expect(applied.map(({ validatorIndex, amountGwei, by }) => [validatorIndex, amountGwei, by])).toEqual([
    [64, 32n * GWEI, 'block'],
    [3, GWEI, 'block'],
  ])
})
