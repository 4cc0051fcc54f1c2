import { hash } from 'node:crypto'
import { type Hex, keccak256, stringToHex, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { findActivity } from '../../../../test/find-activity.ts'
import { UNHURRIED } from '../../../../test/hangs.ts'
import { nodeBehindProxy } from '../../../../test/node-behind-proxy.ts'
import { testAddress } from '../../../../test/test-tokens.ts'
import { evmAddress } from '../../../domain/evm-address.ts'
import { isRecord } from '../../rpc/json-rpc.ts'
import { createRpcPool } from '../../rpc/rpc-pool.ts'

const GWEI = 10n ** 9n
const GAS = 21_000n * 2n * GWEI
const STAKE = 10n ** 18n
const receiver = testAddress(7, 3)

const { node, proxy } = await nodeBehindProxy()

const balanceOf = async (wallet: Hex, block: bigint) =>
  BigInt(await node.send<Hex>('eth_getBalance', wallet, toHex(block)))

const accountOf = (name: string) => privateKeyToAccount(keccak256(stringToHex(name)))
type Account = ReturnType<typeof accountOf>
type Signed = Parameters<Account['signTransaction']>[0]

/** Sends a wallet's only transaction. Returns its block. */
async function sent(account: Account, fields: Partial<Signed> = {}): Promise<bigint> {
  await node.send('anvil_setBalance', account.address, toHex(STAKE))
  await node.send('anvil_mine', '0x1')
  const chainId = Number(await node.send<Hex>('eth_chainId'))
  const prices = { maxFeePerGas: 2n * GWEI, maxPriorityFeePerGas: 2n * GWEI }
  const transaction = { chainId, nonce: 0, to: receiver, value: 5n, gas: 21_000n, ...prices, ...fields }
  const raw = await account.signTransaction(transaction as Signed)
  const { blockNumber } = await node.send<{ blockNumber: Hex }>('eth_sendRawTransactionSync', raw)
  return BigInt(blockNumber)
}

/** Paid in addition to the value, by the transaction that was read and by balances. */
async function feesOf({ address }: Account, block: bigint) {
  await node.send('anvil_mine', '0x1')
  const wallet = evmAddress(address)
  const pool = createRpcPool({ chain: 'ethereum', urls: [proxy.url], limits: UNHURRIED })
  const found = await findActivity({ pool, wallets: [wallet], range: { fromBlock: block, toBlock: block } })
  expect(found.native.get(wallet)).toMatchObject({ state: 'complete', unexplained: [] })
  const [transaction] = found.perWallet.get(wallet) ?? []
  const paid = (await balanceOf(wallet, block - 1n)) - (await balanceOf(wallet, block)) - 5n
  return { read: transaction?.feeRaw, paid }
}

/** Commitment to a blob of zeros, and its proof. */
const ZERO_POINT: Hex = `0xc0${'00'.repeat(47)}`

test('the balance pays for blobs', async () => {
  const account = accountOf('blobs')
  const versioned: Hex = `0x01${hash('sha256', Buffer.from(ZERO_POINT.slice(2), 'hex')).slice(2)}`
  const block = await sent(account, {
    type: 'eip4844',
    maxFeePerBlobGas: GWEI,
    blobVersionedHashes: [versioned],
    sidecars: [{ blob: toHex(new Uint8Array(131_072)), commitment: ZERO_POINT, proof: ZERO_POINT }],
  } as Partial<Signed>)
  // The first blob costs 1 wei per gas.
  expect(await feesOf(account, block)).toEqual({ read: GAS + 131_072n, paid: GAS + 131_072n })
})

type Fields = Readonly<Record<string, string>>

/** Adds fields to transactions and receipts, as the chains' own nodes have them. */
function addFields(fields: Fields): void {
  const dressed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(dressed)
    if (!isRecord(value)) return value
    if ('transactions' in value) return { ...value, transactions: dressed(value['transactions']) }
    return 'gasUsed' in value || 'input' in value ? { ...value, ...fields } : value
  }
  proxy.add({
    when: ({ method }) => /^eth_get(Transaction|Block)/.test(method),
    fault: { answer: ({ result, ...rest }) => ({ ...rest, result: dressed(result) }) },
  })
}

const operator = { operatorFeeScalar: '0x4c4b40', operatorFeeConstant: '0x309' }
const mantle = { l1Fee: '0x3e8', tokenRatio: '0xbb8' }

test.each<[string, Fields, bigint]>([
  ['data', { l1Fee: '0x3e8' }, 1_000n],
  ['data that gas includes', mantle, 0n],
  ['data since gas excludes it', { ...mantle, l1BaseFeeScalar: '0x0' }, 1_000n],
  // 21,000 × 5,000,000 / 10^6 + 777
  ['the operator', operator, 105_777n],
  ['a token instead of gas', { feeCurrency: `0x${'22'.repeat(20)}` }, -GAS],
])('the balance pays for %s', async (name, fields, beyondGas) => {
  const account = accountOf(name)
  const block = await sent(account)
  await node.send('anvil_setBalance', account.address, toHex(STAKE - 5n - GAS - beyondGas))
  addFields(fields)
  expect(await feesOf(account, block)).toEqual({ read: GAS + beyondGas, paid: GAS + beyondGas })
})
