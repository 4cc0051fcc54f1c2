import { encodeAbiParameters, toHex } from 'viem'
import { describe, expect, it, test } from 'vitest'
import {
  DRAFT_FEE,
  type DraftLog,
  draftAddress,
  draftLog,
  draftNative,
  draftNftTransfer,
  draftRouter,
  draftTransaction,
  draftTransfer,
  draftWallet,
} from '../../../../test/draft-transaction.ts'
import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { ChainTransaction } from '../../../domain/transaction.ts'
import { createHistoryBook } from './book.ts'
import { readTransaction } from './read-transaction.ts'

const address = draftAddress
const wallet = draftWallet
const other = address(2)
const router = draftRouter
const usdc = address(4)
const dai = address(5)
const weth = address(6)
const bait = address(7)
const nft = address(8)

const book = createHistoryBook({
  chain: {
    key: 'ethereum',
    wrappedNative: weth,
    nativeErc20s: [address(0x471e)],
    secondFaces: { [address(0xface)]: usdc },
  },
  rows: [],
  bridges: [{ key: 'span', name: 'Span', contracts: { ethereum: [address(0xb1)], base: [address(0xb2)] } }],
  isListed: () => false,
  isSpam: (token) => token === bait,
})

const transferNft = (from: EvmAddress, to: EvmAddress, id: bigint) => draftNftTransfer(nft, from, to, id)
const approvalOf = (amountRaw: bigint) =>
  draftLog(usdc, 'Approval(address,address,uint256)', [wallet, router], [amountRaw])
const approval = approvalOf(5n)

const byOther = { from: other }
const read = (tx: ChainTransaction) => readTransaction(tx, wallet, book)
const lines = (tx: ChainTransaction) =>
  read(tx).movements.map(({ token, tokenId, amountRaw, counterparty, leg, treatment }) =>
    [token, tokenId, amountRaw, counterparty, leg, treatment].filter((field) => field !== null),
  )
const fee = (leg: number) => [NATIVE, -DRAFT_FEE, leg, 'fee']

describe('a transaction', () => {
  it.each<[name: string, tx: ChainTransaction, type: string, movements: unknown[][]]>([
    [
      'that sends native coin',
      draftTransaction([], { to: other, nativeTransfers: [draftNative(wallet, other, 9n)] }),
      'TRANSFEROUT',
      [[NATIVE, -9n, other, 0, 'send'], fee(1)],
    ],
    [
      'that brings native coin',
      draftTransaction([], { ...byOther, to: wallet, nativeTransfers: [draftNative(other, wallet, 9n)] }),
      'TRANSFERIN',
      [[NATIVE, 9n, other, 0, 'acquire']],
    ],
    [
      'that sends a token',
      draftTransaction([draftTransfer(usdc, wallet, other, 9n)]),
      'TRANSFEROUT',
      [[usdc, -9n, other, 0, 'send'], fee(1)],
    ],
    [
      'of somebody else that takes a token',
      draftTransaction([draftTransfer(usdc, wallet, other, 9n)], byOther),
      'TRANSFEROUT',
      [[usdc, -9n, other, 0, 'send']],
    ],
    [
      'that swaps a token for native coin',
      draftTransaction([draftTransfer(usdc, wallet, router, 9n)], {
        nativeTransfers: [draftNative(router, wallet, 4n)],
      }),
      'SWAP',
      [[usdc, -9n, router, 0, 'swap'], [NATIVE, 4n, router, 0, 'swap'], fee(1)],
    ],
    [
      'that swaps native coin, some of which comes back',
      draftTransaction([draftTransfer(usdc, router, wallet, 9n)], {
        nativeTransfers: [draftNative(wallet, router, 10n), draftNative(router, wallet, 3n)],
      }),
      'SWAP',
      [[NATIVE, -7n, router, 0, 'swap'], [usdc, 9n, router, 0, 'swap'], fee(1)],
    ],
    [
      'in which somebody else fills what the wallet ordered',
      draftTransaction([draftTransfer(usdc, wallet, router, 9n), draftTransfer(dai, router, wallet, 8n)], byOther),
      'SWAP',
      [
        [usdc, -9n, router, 0, 'swap'],
        [dai, 8n, router, 0, 'swap'],
      ],
    ],
    [
      'that wraps: the coin tells it by Deposit alone',
      draftTransaction([draftLog(weth, 'Deposit(address,uint256)', [wallet], [9n])], {
        nativeTransfers: [draftNative(wallet, weth, 9n)],
      }),
      'WRAP',
      [[NATIVE, -9n, weth, 0, 'move'], [weth, 9n, NATIVE, 0, 'move'], fee(1)],
    ],
    [
      'that wraps: the coin tells it twice',
      draftTransaction(
        [draftLog(weth, 'Deposit(address,uint256)', [wallet], [9n]), draftTransfer(weth, NATIVE, wallet, 9n)],
        {
          nativeTransfers: [draftNative(wallet, weth, 9n)],
        },
      ),
      'WRAP',
      [[NATIVE, -9n, weth, 0, 'move'], [weth, 9n, NATIVE, 0, 'move'], fee(1)],
    ],
    [
      'that unwraps, on a node that tells of no calls inside',
      draftTransaction([draftLog(weth, 'Withdrawal(address,uint256)', [wallet], [9n])]),
      'UNWRAP',
      [[weth, -9n, NATIVE, 0, 'move'], [NATIVE, 9n, weth, 0, 'move'], fee(1)],
    ],
    ['that approves', draftTransaction([approval]), 'APPROVAL', [fee(0)]],
    [
      'that approves and pays',
      draftTransaction([approval, draftTransfer(usdc, wallet, other, 9n)]),
      'TRANSFEROUT',
      [[usdc, -9n, other, 0, 'send'], fee(1)],
    ],
    ['that fails', draftTransaction([], { succeeded: false }), 'FAILED', [fee(0)]],
    ['that fails for somebody else', draftTransaction([], { ...byOther, succeeded: false }), 'FAILED', []],
    ['that does nothing', draftTransaction([]), 'INTERACTION', [fee(0)]],
    ['that costs nothing', draftTransaction([], { feeRaw: 0n }), 'INTERACTION', []],
    ['to the wallet itself', draftTransaction([], { to: wallet }), 'SELFTRANSFER', [fee(0)]],
    [
      'that sends a token to the wallet itself',
      draftTransaction([draftTransfer(usdc, wallet, wallet, 9n)]),
      'SELFTRANSFER',
      [[usdc, -9n, wallet, 0, 'move'], [usdc, 9n, wallet, 0, 'move'], fee(1)],
    ],
    [
      'that sends an NFT',
      draftTransaction([transferNft(wallet, other, 44n)]),
      'TRANSFEROUT',
      [[nft, 44n, -1n, other, 0, 'send'], fee(1)],
    ],
    [
      'that mints an NFT for a payment',
      draftTransaction([transferNft(NATIVE, wallet, 44n)], { nativeTransfers: [draftNative(wallet, nft, 2n)] }),
      'MINT',
      [[NATIVE, -2n, nft, 0, 'swap'], [nft, 44n, 1n, NATIVE, 0, 'swap'], fee(1)],
    ],
    [
      'that mints an NFT for nothing',
      draftTransaction([transferNft(NATIVE, wallet, 44n)]),
      'MINT',
      [[nft, 44n, 1n, NATIVE, 0, 'acquire'], fee(1)],
    ],
    [
      'that brings bait',
      draftTransaction([draftTransfer(bait, other, wallet, 9n)], byOther),
      'SPAM',
      [[bait, 9n, other, 0, 'spam']],
    ],
    [
      'that claims to take bait from the wallet',
      draftTransaction([draftTransfer(bait, wallet, other, 9n)], byOther),
      'SPAM',
      [[bait, -9n, other, 0, 'spam']],
    ],
    [
      'that swaps for what is taken for bait',
      draftTransaction([draftTransfer(usdc, wallet, router, 9n), draftTransfer(bait, router, wallet, 9n)]),
      'SWAP',
      [[usdc, -9n, router, 0, 'swap'], [bait, 9n, router, 0, 'swap'], fee(1)],
    ],
    ['that poisons', draftTransaction([draftTransfer(usdc, wallet, other, 0n)], byOther), 'SPAM', []],
    [
      'that poisons with a token that tells allowances anew',
      draftTransaction([draftTransfer(usdc, wallet, other, 0n), approvalOf(0n)], byOther),
      'SPAM',
      [],
    ],
    [
      'that approves by a signature and poisons',
      draftTransaction([approvalOf(5n), draftTransfer(usdc, wallet, other, 0n), approvalOf(0n)], byOther),
      'APPROVAL',
      [],
    ],
    ['that revokes by a signature', draftTransaction([approvalOf(0n)], byOther), 'APPROVAL', []],
    [
      'that sends nothing of a token',
      draftTransaction([draftTransfer(usdc, wallet, other, 0n)]),
      'INTERACTION',
      [fee(0)],
    ],
    [
      'into a bridge',
      draftTransaction([draftTransfer(usdc, wallet, address(0xb1), 9n)]),
      'BRIDGEOUT',
      [[usdc, -9n, address(0xb1), 0, 'bridge'], fee(1)],
    ],
    [
      'that shows the native coin as a token',
      draftTransaction([draftTransfer(address(0x471e), wallet, other, 9n)], {
        nativeTransfers: [draftNative(wallet, other, 9n)],
      }),
      'TRANSFEROUT',
      [[NATIVE, -9n, other, 0, 'send'], fee(1)],
    ],
    [
      'that a token and its second face both log',
      draftTransaction([draftTransfer(address(0xface), wallet, other, 9n), draftTransfer(usdc, wallet, other, 9n)]),
      'TRANSFEROUT',
      [[usdc, -9n, other, 0, 'send'], fee(1)],
    ],
    [
      'of before a token had its own contract',
      draftTransaction([draftTransfer(address(0xface), wallet, other, 9n)]),
      'TRANSFEROUT',
      [[usdc, -9n, other, 0, 'send'], fee(1)],
    ],
  ])('%s', (_, tx, type, movements) => {
    expect(read(tx).type).toBe(type)
    expect(lines(tx)).toEqual(movements)
  })

  it('keeps what the chain says of it', () => {
    const { logs: _, nativeTransfers: __, calls: ___, feeInToken: ____, ...facts } = draftTransaction([approval])
    expect(read(draftTransaction([approval]))).toMatchObject(facts)
  })
})

describe('ERC-1155', () => {
  const single = (from: EvmAddress, to: EvmAddress, id: bigint, amount: bigint) =>
    draftLog(nft, 'TransferSingle(address,address,address,uint256,uint256)', [router, from, to], [id, amount])
  const batch = (from: EvmAddress, to: EvmAddress, ids: bigint[], amounts: bigint[]): DraftLog => ({
    ...draftLog(nft, 'TransferBatch(address,address,address,uint256[],uint256[])', [router, from, to], []),
    data: encodeAbiParameters([{ type: 'uint256[]' }, { type: 'uint256[]' }], [ids, amounts]),
  })

  it('counts every id of a batch', () => {
    expect(lines(draftTransaction([single(wallet, other, 5n, 2n), batch(wallet, other, [6n, 7n], [3n, 4n])]))).toEqual([
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
      draftLog(
        nft,
        'TransferBatch(address,address,address,uint256[],uint256[])',
        [router, wallet, other],
        [64n, 64n, 2n ** 255n],
      ),
    ],
    ['with lists of two lengths', batch(wallet, other, [6n, 7n], [3n])],
    ['without topics', { ...batch(wallet, other, [6n], [3n]), topics: [] }],
    ['with half a word', { ...draftTransfer(nft, wallet, other, 3n), data: '0x0003' }],
    [
      'without recipient',
      { ...draftTransfer(nft, wallet, other, 3n), topics: draftTransfer(nft, wallet, other, 3n).topics.slice(0, 2) },
    ],
  ])('and a log %s says nothing', (_, draft) => {
    expect(lines(draftTransaction([draft]))).toEqual([fee(0)])
  })
})

describe('a wallet that is a contract', () => {
  const entryPoint = '0x0000000071727de22e5e9d8baf0edac6f37da032'
  const operation = draftLog(
    entryPoint,
    'UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)',
    [1n, wallet, other],
    [0n, 1n, 5n, 5n],
  )
  const executed = draftLog(wallet, 'ExecutionSuccess(bytes32,uint256)', [], [1n, 0n])

  it.each([
    ['a Safe', executed],
    ['an account of an entry point', operation],
  ])('acts where others send: %s', (_, act) => {
    const mint = [draftNftTransfer(nft, NATIVE, wallet, 44n), act]
    expect(lines(draftTransaction(mint, byOther))).toEqual([[nft, 44n, 1n, NATIVE, 0, 'acquire']])
    expect(read(draftTransaction(mint, byOther)).type).toBe('MINT')
    expect(read(draftTransaction([act], byOther)).type).toBe('INTERACTION')
  })

  it('does not act where another account does', () => {
    const foreign = { ...operation, topics: operation.topics.with(2, `0x${other.slice(2).padStart(64, '0')}`) }
    const pretended = { ...operation, address: other }
    const poison = draftTransfer(usdc, wallet, other, 0n)
    for (const log of [foreign, pretended]) {
      expect(read(draftTransaction([log, poison], byOther)).type).toBe('SPAM')
    }
  })
})

describe('a distribution', () => {
  const drops = (count: number) =>
    Array.from({ length: count }, (_, i) => draftTransfer(usdc, other, i === 0 ? wallet : address(1_000 + i), 9n))

  it('of equal amounts to ten wallets that asked for nothing is an airdrop', () => {
    const tx = draftTransaction(drops(10), byOther)
    expect(read(tx).type).toBe('AIRDROP')
    expect(lines(tx)).toEqual([[usdc, 9n, other, 0, 'income']])
  })

  it('to nine is nine transfers', () => {
    expect(read(draftTransaction(drops(9), byOther)).type).toBe('TRANSFERIN')
  })
})

describe('gas that a token paid', () => {
  const debit = draftTransfer(usdc, wallet, NATIVE, 100n)
  const credits = [draftTransfer(usdc, NATIVE, wallet, 60n), draftTransfer(usdc, NATIVE, other, 40n)]
  const paid = [usdc, -40n, 1, 'fee']
  const inToken = { feeInToken: true, feeRaw: 0n }

  it('is a fee in that token, whatever the transaction did', () => {
    const tx = draftTransaction([debit, draftTransfer(usdc, wallet, other, 9n), ...credits], inToken)
    expect(read(tx).type).toBe('TRANSFEROUT')
    expect(lines(tx)).toEqual([[usdc, -9n, other, 0, 'send'], paid])
  })

  it('is paid by a transaction that failed', () => {
    const tx = draftTransaction([debit, ...credits], { ...inToken, succeeded: false })
    expect(lines(tx)).toEqual([[usdc, -40n, 0, 'fee']])
  })

  it('reaches its recipient as a transfer', () => {
    const ofOther = [draftTransfer(usdc, other, NATIVE, 100n), draftTransfer(usdc, NATIVE, other, 60n)]
    const tx = draftTransaction([...ofOther, draftTransfer(usdc, NATIVE, wallet, 40n)], { ...inToken, ...byOther })
    expect(lines(tx)).toEqual([[usdc, 40n, NATIVE, 0, 'acquire']])
  })
})

describe('units of ERC-404', () => {
  const units = (from: EvmAddress, to: EvmAddress, amount: bigint) =>
    draftLog(nft, 'ERC20Transfer(address,address,uint256)', [from, to], [amount])
  const came = [transferNft(NATIVE, wallet, 1n), transferNft(NATIVE, wallet, 2n), units(other, wallet, 25n)]

  test.each<[name: string, logs: DraftLog[], moved: unknown[]]>([
    ['with their NFTs are one movement', came, [nft, 25n, other, 0, 'acquire']],
    ['before their NFTs are one movement', came.toReversed(), [nft, 25n, other, 0, 'acquire']],
    ['less than an NFT are a movement', [units(other, wallet, 5n)], [nft, 5n, other, 0, 'acquire']],
    ['made for the wallet are a movement', [units(NATIVE, wallet, 30n)], [nft, 30n, NATIVE, 0, 'acquire']],
  ])('that came %s', (_, logs, moved) => {
    expect(lines(draftTransaction(logs, byOther))).toEqual([moved])
  })

  test('that are sent are a movement, with the NFT that ends and without one', () => {
    const whole = [transferNft(wallet, NATIVE, 1n), units(wallet, other, 25n)]
    expect(lines(draftTransaction(whole))).toEqual([[nft, -25n, other, 0, 'send'], fee(1)])
    expect(lines(draftTransaction([units(wallet, other, 5n)]))).toEqual([[nft, -5n, other, 0, 'send'], fee(1)])
  })

  test('an NFT of a contract without units stays an NFT', () => {
    const tx = draftTransaction([transferNft(other, wallet, 3n)], byOther)
    expect(lines(tx)).toEqual([[nft, 3n, 1n, other, 0, 'acquire']])
  })
})
