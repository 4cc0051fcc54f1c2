import { packageArtifact } from '@coffer/devnet'
import { type Address, concat, type Hex, padHex, parseAbi, parseEther, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { lot } from '../../../../../test/booked-costs.ts'
import { contractOf } from '../../../../../test/contract-of.ts'
import { ownBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { NATIVE } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'
import { protocolRows } from '../protocols.ts'

// EntryPoint v0.7 and SimpleAccount of @account-abstraction/contracts.

const ENTRY_POINT = '0x0000000071727de22e5e9d8baf0edac6f37da032'
const BUNDLER = '0x00000000000000000000000000000000b0d1e400'
const OTHER = '0x000000000000000000000000000000000000071e'
const GWEI = 10n ** 9n
const accountAbi = parseAbi([
  'function execute(address to, uint256 value, bytes data)',
  'function withdrawDepositTo(address to, uint256 amount)',
  'event UserOperationEvent(bytes32 indexed hash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
])
const owner = privateKeyToAccount(padHex('0x4337', { size: 32 }))

const rows = protocolRows.filter(({ family, chain }) => family === 'entry_points' && chain === 'ethereum')
const bench = await ownBench(rows)
const artifact = (name: string) => packageArtifact('@account-abstraction/contracts', `artifacts/${name}.json`)
const makers = artifact('SimpleAccountFactory')
const { abi } = artifact('EntryPoint')
const entryPoint = contractOf(bench.chain, await bench.chain.deployTo(ENTRY_POINT, artifact('EntryPoint')), abi)
const factory = contractOf(bench.chain, await bench.chain.deploy(makers, [ENTRY_POINT]), makers.abi)
await bench.discover()
await bench.fund(BUNDLER, parseEther('10'))
let salt = 0n

async function newAccount(): Promise<Address> {
  salt += 1n
  await factory.write(BUNDLER, 'createAccount', owner.address, salt)
  const account = await factory.read<Address>('getAddress', owner.address, salt)
  await bench.fund(account, parseEther('1'))
  return account
}

/** The owner signs the operation. A bundler sends the transaction. */
async function operate(account: Address, callData: Hex): Promise<void> {
  const unsigned = {
    sender: account,
    nonce: await entryPoint.read('getNonce', account, 0n),
    ...({ initCode: '0x', paymasterAndData: '0x', signature: '0x', callData } as const),
    accountGasLimits: concat([toHex(200_000n, { size: 16 }), toHex(200_000n, { size: 16 })]),
    preVerificationGas: 50_000n,
    gasFees: concat([toHex(GWEI, { size: 16 }), toHex(GWEI, { size: 16 })]),
  }
  const raw = await entryPoint.read<Hex>('getUserOpHash', unsigned)
  const signature = await owner.signMessage({ message: { raw } })
  await bench.send(BUNDLER, ENTRY_POINT, entryPoint.data('handleOps', [{ ...unsigned, signature }], BUNDLER))
}

const own = (account: Address) => contractOf(bench.chain, account, accountAbi)
const execute = (to: Address, value: bigint) => own(to).data('execute', to, value, '0x')

/** By the entry point's own event, oldest first. */
async function costsOf(account: Address): Promise<bigint[]> {
  const event = { abi: accountAbi, eventName: 'UserOperationEvent', args: { sender: account } } as const
  const events = await bench.client.getContractEvents({ ...event, address: ENTRY_POINT, fromBlock: 0n })
  return events.map(({ args }) => args.actualGasCost ?? 0n)
}

const { costs: costsIn } = namedHistory(bench, () => ({ coin: NATIVE }))
const depositOf = (account: Address) => entryPoint.read('balanceOf', account)

const coinIn = ({ movements }: WalletTransaction, treatment: string) =>
  movements.filter((one) => one.token === NATIVE && one.treatment === treatment).map(({ amountRaw }) => amountRaw)

it('gas of operations is a fee; what was sent ahead beyond it is a deposit with its cost', async () => {
  const account = await newAccount()
  const found = await bench.played(account, async () => {
    await operate(account, execute(OTHER, parseEther('0.1')))
    await operate(account, execute(OTHER, parseEther('0.2')))
    // More than it has: the operation fails, but costs gas.
    await operate(account, execute(OTHER, parseEther('5')))
  })
  const costs = await costsOf(account)
  expect(found.map(({ type, protocol }) => [type, protocol])).toEqual([
    ['TRANSFEROUT', null],
    ['TRANSFEROUT', null],
    ['FAILED', null],
  ])
  expect(found.map((one) => coinIn(one, 'fee'))).toEqual(costs.map((cost) => [-cost]))
  expect(found.map((one) => coinIn(one, 'send'))).toEqual([[-parseEther('0.1')], [-parseEther('0.2')], []])
  const deposit = await depositOf(account)
  expect(found.flatMap((one) => coinIn(one, 'move')).reduce((sum, raw) => sum + raw, 0n)).toBe(-deposit)
  const { positions } = await bench.read(account)
  expect(positions).toMatchObject([
    { protocol: 'erc4337', kind: 'deposit', pool: ENTRY_POINT, supplied: [{ token: NATIVE, amountRaw: deposit }] },
  ])
  const { held, flagged, income } = costsIn(account, 'coin 3000 had 1 at 2000', found)
  expect(held['coin in a position']).toBe(lot(deposit, 2_000n))
  expect([flagged, income]).toEqual([[], '0'])
})

it('an account that deposits pays from there, and takes the rest out', async () => {
  const account = await newAccount()
  const ahead = parseEther('0.01')
  const found = await bench.played(account, async () => {
    const deposit = entryPoint.data('depositTo', account)
    await operate(account, own(account).data('execute', ENTRY_POINT, ahead, deposit))
    await operate(account, execute(OTHER, 1n))
    await own(account).write(owner.address, 'withdrawDepositTo', account, await depositOf(account))
  })
  const costs = await costsOf(account)
  expect(found.map(({ type, protocol }) => [type, protocol])).toEqual([
    ['INTERACTION', null],
    ['TRANSFEROUT', null],
    ['WITHDRAW', 'erc4337'],
  ])
  expect(found.map((one) => coinIn(one, 'fee'))).toEqual([...costs.map((cost) => [-cost]), []])
  // The second operation is paid from the deposit alone.
  expect(coinIn(found[1] ?? expect.fail('no second'), 'move')).toEqual([costs[1]])
  expect(await depositOf(account)).toBe(0n)
  const { held, flagged } = costsIn(account, 'coin 3000 had 1 at 2000', found)
  expect([Object.keys(held), flagged]).toEqual([['coin'], []])
})
