import { encodeAbiParameters, pad, toEventSelector, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { type EvmAddress, NATIVE } from '../../domain/evm-address.ts'
import type { ChainTransaction, ReceiptLog } from '../../domain/transaction.ts'
import { createHistoryBook } from './book.ts'
import { readTransaction } from './read-transaction.ts'

type DraftLog = Omit<ReceiptLog, 'logIndex'>

const address = (n: number): EvmAddress => pad(toHex(n), { size: 20 })
const wallet = address(1)
const other = address(2)
const router = address(3)
const usdc = address(4)
const dai = address(5)
const weth = address(6)
const bait = address(7)
const nft = address(8)
const FEE = 21_000n

const book = createHistoryBook({
  chain: { key: 'ethereum', wrappedNative: weth, nativeErc20s: [address(0x471e)] },
  rows: [],
  bridges: [{ key: 'span', name: 'Span', contracts: { ethereum: [address(0xb1)], base: [address(0xb2)] } }],
  isSpam: (token) => token === bait,
})

const topic = (value: EvmAddress | bigint) => (typeof value === 'bigint' ? toHex(value, { size: 32 }) : pad(value))
const log = (
  token: EvmAddress,
  event: string,
  indexed: readonly (EvmAddress | bigint)[],
  data: readonly bigint[],
): DraftLog => ({
  address: token,
  topics: [toEventSelector(`event ${event}`), ...indexed.map(topic)],
  data: `0x${data.map((value) => toHex(value, { size: 32 }).slice(2)).join('')}`,
})
const transfer = (token: EvmAddress, from: EvmAddress, to: EvmAddress, amount: bigint) =>
  log(token, 'Transfer(address,address,uint256)', [from, to], [amount])
const transferNft = (from: EvmAddress, to: EvmAddress, id: bigint) =>
  log(nft, 'Transfer(address,address,uint256)', [from, to, id], [])
const approval = log(usdc, 'Approval(address,address,uint256)', [wallet, router], [5n])

function transaction(logs: readonly DraftLog[], facts: Partial<Omit<ChainTransaction, 'logs'>> = {}): ChainTransaction {
  return {
    hash: pad('0x01'),
    block: 7n,
    blockHash: pad('0x02'),
    index: 0,
    time: 1_700_000_000,
    from: wallet,
    to: router,
    selector: '0x12345678',
    succeeded: true,
    feeRaw: FEE,
    logs: logs.map((one, logIndex) => ({ ...one, logIndex })),
    nativeTransfers: [],
    ...facts,
  }
}

const native = (from: EvmAddress, to: EvmAddress, amountRaw: bigint) => ({ from, to, amountRaw })
const byOther = { from: other }
const read = (tx: ChainTransaction) => readTransaction(tx, wallet, book)
const lines = (tx: ChainTransaction) =>
  read(tx).movements.map(({ token, tokenId, amountRaw, counterparty, leg, treatment }) =>
    [token, tokenId, amountRaw, counterparty, leg, treatment].filter((field) => field !== null),
  )
const fee = (leg: number) => [NATIVE, -FEE, leg, 'fee']

describe('a transaction', () => {
  it.each<[name: string, tx: ChainTransaction, type: string, movements: unknown[][]]>([
    [
      'that sends native coin',
      transaction([], { to: other, nativeTransfers: [native(wallet, other, 9n)] }),
      'TRANSFEROUT',
      [[NATIVE, -9n, other, 0, 'send'], fee(1)],
    ],
    [
      'that brings native coin',
      transaction([], { ...byOther, to: wallet, nativeTransfers: [native(other, wallet, 9n)] }),
      'TRANSFERIN',
      [[NATIVE, 9n, other, 0, 'acquire']],
    ],
    [
      'that sends a token',
      transaction([transfer(usdc, wallet, other, 9n)]),
      'TRANSFEROUT',
      [[usdc, -9n, other, 0, 'send'], fee(1)],
    ],
    [
      'of somebody else that takes a token',
      transaction([transfer(usdc, wallet, other, 9n)], byOther),
      'TRANSFEROUT',
      [[usdc, -9n, other, 0, 'send']],
    ],
    [
      'that swaps a token for native coin',
      transaction([transfer(usdc, wallet, router, 9n)], { nativeTransfers: [native(router, wallet, 4n)] }),
      'SWAP',
      [[usdc, -9n, router, 0, 'swap'], [NATIVE, 4n, router, 0, 'swap'], fee(1)],
    ],
    [
      'that swaps native coin, some of which comes back',
      transaction([transfer(usdc, router, wallet, 9n)], {
        nativeTransfers: [native(wallet, router, 10n), native(router, wallet, 3n)],
      }),
      'SWAP',
      [[NATIVE, -7n, router, 0, 'swap'], [usdc, 9n, router, 0, 'swap'], fee(1)],
    ],
    [
      'in which somebody else fills what the wallet ordered',
      transaction([transfer(usdc, wallet, router, 9n), transfer(dai, router, wallet, 8n)], byOther),
      'SWAP',
      [
        [usdc, -9n, router, 0, 'swap'],
        [dai, 8n, router, 0, 'swap'],
      ],
    ],
    [
      'that wraps: the coin tells it by Deposit alone',
      transaction([log(weth, 'Deposit(address,uint256)', [wallet], [9n])], {
        nativeTransfers: [native(wallet, weth, 9n)],
      }),
      'WRAP',
      [[NATIVE, -9n, weth, 0, 'move'], [weth, 9n, NATIVE, 0, 'move'], fee(1)],
    ],
    [
      'that wraps: the coin tells it twice',
      transaction([log(weth, 'Deposit(address,uint256)', [wallet], [9n]), transfer(weth, NATIVE, wallet, 9n)], {
        nativeTransfers: [native(wallet, weth, 9n)],
      }),
      'WRAP',
      [[NATIVE, -9n, weth, 0, 'move'], [weth, 9n, NATIVE, 0, 'move'], fee(1)],
    ],
    [
      'that unwraps, on a node that tells of no calls inside',
      transaction([log(weth, 'Withdrawal(address,uint256)', [wallet], [9n])]),
      'UNWRAP',
      [[weth, -9n, NATIVE, 0, 'move'], [NATIVE, 9n, weth, 0, 'move'], fee(1)],
    ],
    ['that approves', transaction([approval]), 'APPROVAL', [fee(0)]],
    [
      'that approves and pays',
      transaction([approval, transfer(usdc, wallet, other, 9n)]),
      'TRANSFEROUT',
      [[usdc, -9n, other, 0, 'send'], fee(1)],
    ],
    ['that fails', transaction([], { succeeded: false }), 'FAILED', [fee(0)]],
    ['that fails for somebody else', transaction([], { ...byOther, succeeded: false }), 'FAILED', []],
    ['that does nothing', transaction([]), 'INTERACTION', [fee(0)]],
    ['that costs nothing', transaction([], { feeRaw: 0n }), 'INTERACTION', []],
    ['to the wallet itself', transaction([], { to: wallet }), 'SELFTRANSFER', [fee(0)]],
    [
      'that sends a token to the wallet itself',
      transaction([transfer(usdc, wallet, wallet, 9n)]),
      'SELFTRANSFER',
      [[usdc, -9n, wallet, 0, 'move'], [usdc, 9n, wallet, 0, 'move'], fee(1)],
    ],
    [
      'that sends an NFT',
      transaction([transferNft(wallet, other, 44n)]),
      'TRANSFEROUT',
      [[nft, 44n, -1n, other, 0, 'send'], fee(1)],
    ],
    [
      'that mints an NFT for a payment',
      transaction([transferNft(NATIVE, wallet, 44n)], { nativeTransfers: [native(wallet, nft, 2n)] }),
      'MINT',
      [[NATIVE, -2n, nft, 0, 'swap'], [nft, 44n, 1n, NATIVE, 0, 'swap'], fee(1)],
    ],
    [
      'that mints an NFT for nothing',
      transaction([transferNft(NATIVE, wallet, 44n)]),
      'MINT',
      [[nft, 44n, 1n, NATIVE, 0, 'acquire'], fee(1)],
    ],
    [
      'that brings bait',
      transaction([transfer(bait, other, wallet, 9n)], byOther),
      'SPAM',
      [[bait, 9n, other, 0, 'spam']],
    ],
    [
      'that claims to take bait from the wallet',
      transaction([transfer(bait, wallet, other, 9n)], byOther),
      'SPAM',
      [[bait, -9n, other, 0, 'spam']],
    ],
    [
      'that swaps for what is taken for bait',
      transaction([transfer(usdc, wallet, router, 9n), transfer(bait, router, wallet, 9n)]),
      'SWAP',
      [[usdc, -9n, router, 0, 'swap'], [bait, 9n, router, 0, 'swap'], fee(1)],
    ],
    ['that poisons', transaction([transfer(usdc, wallet, other, 0n)], byOther), 'SPAM', []],
    ['that sends nothing of a token', transaction([transfer(usdc, wallet, other, 0n)]), 'INTERACTION', [fee(0)]],
    [
      'into a bridge',
      transaction([transfer(usdc, wallet, address(0xb1), 9n)]),
      'BRIDGEOUT',
      [[usdc, -9n, address(0xb1), 0, 'bridge'], fee(1)],
    ],
    [
      'that shows the native coin as a token',
      transaction([transfer(address(0x471e), wallet, other, 9n)], { nativeTransfers: [native(wallet, other, 9n)] }),
      'TRANSFEROUT',
      [[NATIVE, -9n, other, 0, 'send'], fee(1)],
    ],
  ])('%s', (_, tx, type, movements) => {
    expect(read(tx).type).toBe(type)
    expect(lines(tx)).toEqual(movements)
  })

  it('keeps what the chain says of it', () => {
    const { logs: _, nativeTransfers: __, ...facts } = transaction([approval])
    expect(read(transaction([approval]))).toMatchObject(facts)
  })
})

describe('ERC-1155', () => {
  const single = (from: EvmAddress, to: EvmAddress, id: bigint, amount: bigint) =>
    log(nft, 'TransferSingle(address,address,address,uint256,uint256)', [router, from, to], [id, amount])
  const batch = (from: EvmAddress, to: EvmAddress, ids: bigint[], amounts: bigint[]): DraftLog => ({
    ...log(nft, 'TransferBatch(address,address,address,uint256[],uint256[])', [router, from, to], []),
    data: encodeAbiParameters([{ type: 'uint256[]' }, { type: 'uint256[]' }], [ids, amounts]),
  })

  it('counts every id of a batch', () => {
    expect(lines(transaction([single(wallet, other, 5n, 2n), batch(wallet, other, [6n, 7n], [3n, 4n])]))).toEqual([
      [nft, 5n, -2n, other, 0, 'send'],
      [nft, 6n, -3n, other, 1, 'send'],
      [nft, 7n, -4n, other, 2, 'send'],
      fee(3),
    ])
  })

  it.each<[name: string, draft: DraftLog]>([
    ['without data', { ...batch(wallet, other, [6n], [3n]), data: '0x' }],
    ['with an offset beyond its end', { ...batch(wallet, other, [6n], [3n]), data: toHex(2n ** 200n, { size: 64 }) }],
    [
      'with a length beyond its end',
      log(
        nft,
        'TransferBatch(address,address,address,uint256[],uint256[])',
        [router, wallet, other],
        [64n, 64n, 2n ** 255n],
      ),
    ],
    ['with lists of two lengths', batch(wallet, other, [6n, 7n], [3n])],
    ['without topics', { ...batch(wallet, other, [6n], [3n]), topics: [] }],
    ['with half a word', { ...transfer(nft, wallet, other, 3n), data: '0x0003' }],
    [
      'without recipient',
      { ...transfer(nft, wallet, other, 3n), topics: transfer(nft, wallet, other, 3n).topics.slice(0, 2) },
    ],
  ])('and a log %s says nothing', (_, draft) => {
    expect(lines(transaction([draft]))).toEqual([fee(0)])
  })
})

describe('a distribution', () => {
  const drops = (count: number) =>
    Array.from({ length: count }, (_, i) => transfer(usdc, other, i === 0 ? wallet : address(1_000 + i), 9n))

  it('of equal amounts to ten wallets that asked for nothing is an airdrop', () => {
    const tx = transaction(drops(10), byOther)
    expect(read(tx).type).toBe('AIRDROP')
    expect(lines(tx)).toEqual([[usdc, 9n, other, 0, 'income']])
  })

  it('to nine is nine transfers', () => {
    expect(read(transaction(drops(9), byOther)).type).toBe('TRANSFERIN')
  })
})
