import { toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import {
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
import { createRemainder } from '../../legs.ts'
import { createHistoryBook } from './book.ts'
import { changesOf } from './changes.ts'
import type { ContractLabel } from './contract-labels.ts'
import { PLAIN, plainLegs, UNREQUESTED } from './naming-rules.ts'
import { purposeLegs, RECEIPT_RULES } from './purpose-legs.ts'
import { sceneOf } from './scene.ts'
import { STILL_RULES, typeOf } from './transaction-type.ts'

const wallet = draftWallet
const contract = draftRouter
const other = draftAddress(4)
const usdc = draftAddress(5)
const dai = draftAddress(6)
const weth = draftAddress(7)
const bait = draftAddress(8)
const nft = draftAddress(9)
const bridge = draftAddress(10)
const lender = draftAddress(11)
const labels = new Map<EvmAddress, ContractLabel>([
  [bridge, { protocol: 'span', role: 'bridge' }],
  [lender, { protocol: 'lender', role: 'lending' }],
])
const book = createHistoryBook({
  chain: { key: 'ethereum', wrappedNative: weth, nativeErc20s: [] },
  rows: [],
  bridges: [],
  labelOf: (address) => labels.get(address),
  isListed: () => true,
  isSpam: (token) => token === bait,
})

const calling = (signature: string) => ({ selector: toFunctionSelector(signature) })
const byOther = { from: other }
const give = (token: EvmAddress, amount: bigint, to = contract) => draftTransfer(token, wallet, to, amount)
const get = (token: EvmAddress, amount: bigint, from = contract) => draftTransfer(token, from, wallet, amount)
const burn = (token: EvmAddress, amount: bigint) => give(token, amount, NATIVE)
const mint = (token: EvmAddress, amount: bigint) => get(token, amount, NATIVE)
const logs = (event: string, amount: bigint) => draftLog(contract, event, [wallet], [amount])
const swapped = [give(usdc, 9n), get(dai, 8n)]
const recipients = Array.from({ length: 9 }, (_, n) => draftTransfer(dai, contract, draftAddress(100 + n), 5n))

/** The expected rule, its transaction, and type and treatments of its legs. */
type Case = [rule: string, logs: DraftLog[], facts: Partial<ChainTransaction>, type: string, treatments: string[]]

const CASES: readonly Case[] = [
  ['transfer to itself', [give(usdc, 9n, wallet)], {}, 'SELFTRANSFER', ['move', 'move']],
  ['bait', [get(bait, 9n)], byOther, 'SPAM', ['spam']],
  [
    'refunded gas of a vote',
    [],
    { ...calling('castRefundableVote(uint256,uint8)'), nativeTransfers: [draftNative(contract, wallet, 3n)] },
    'VOTE',
    ['acquire'],
  ],
  ['bridge, sent', [give(usdc, 9n, bridge)], {}, 'BRIDGEOUT', ['bridge']],
  ['bridge, received', [get(usdc, 9n, bridge)], byOther, 'BRIDGEIN', ['bridge']],
  ['logged reward', [get(dai, 2n), logs('RewardPaid(address,uint256)', 2n)], {}, 'CLAIM', ['income']],
  ['logged deposit', [give(usdc, 9n), logs('Deposited(address,uint256)', 9n)], {}, 'DEPOSIT', ['move']],
  ['logged stake', [give(usdc, 9n), logs('Staked(address,uint256)', 9n)], {}, 'STAKE', ['move']],
  ['logged unstake', [get(usdc, 9n), logs('Unstaked(address,uint256)', 9n)], {}, 'UNSTAKE', ['move']],
  ['logged withdrawal', [get(usdc, 9n), logs('Withdrawal(address,uint256)', 9n)], {}, 'WITHDRAW', ['move']],
  [
    'loan with collateral',
    [give(usdc, 9n), get(dai, 8n)],
    calling('create_loan(uint256,uint256,uint256)'),
    'BORROW',
    ['move', 'borrow'],
  ],
  [
    'repayment with collateral',
    [give(dai, 8n), get(usdc, 9n)],
    calling('repay(uint256)'),
    'REPAYVAULT',
    ['repay', 'move'],
  ],
  ['deposit with change', [give(usdc, 9n), get(dai, 1n)], calling('deposit(uint256)'), 'DEPOSIT', ['move']],
  [
    'NFT wrap',
    [draftNftTransfer(nft, wallet, contract, 7n), draftNftTransfer(contract, NATIVE, wallet, 8n)],
    {},
    'WRAP',
    ['move', 'move'],
  ],
  [
    'NFT unwrap',
    [draftNftTransfer(contract, wallet, NATIVE, 8n), draftNftTransfer(nft, contract, wallet, 7n)],
    {},
    'UNWRAP',
    ['move', 'move'],
  ],
  ['migration', [give(usdc, 9n), get(dai, 8n)], calling('migrate(uint256)'), 'SWAP', ['move', 'move']],
  ['named share', [give(usdc, 9n), mint(dai, 8n)], calling('stake(uint256)'), 'STAKE', ['move', 'move']],
  ['share for share', [burn(usdc, 9n), mint(dai, 8n)], {}, 'SWAP', ['move', 'move']],
  ['minted share', [give(usdc, 9n), mint(dai, 8n)], {}, 'DEPOSIT', ['move', 'move']],
  [
    'named withdrawal of a share',
    [burn(dai, 8n), get(usdc, 9n)],
    calling('unstake(uint256)'),
    'UNSTAKE',
    ['move', 'move'],
  ],
  ['burned share', [burn(dai, 8n), get(usdc, 9n)], {}, 'WITHDRAW', ['move', 'move']],
  ['named return', [give(dai, 8n), get(usdc, 9n)], calling('unstake(uint256)'), 'UNSTAKE', ['move', 'move']],
  ['mint for a price', [give(usdc, 9n), draftNftTransfer(nft, NATIVE, wallet, 7n)], {}, 'MINT', ['swap', 'swap']],
  ['trade', swapped, {}, 'SWAP', ['swap', 'swap']],
  ['claim', [get(dai, 2n)], calling('claim()'), 'CLAIM', ['income']],
  ['loan', [get(dai, 2n)], calling('borrow(uint256)'), 'BORROW', ['borrow']],
  [
    'reward of another action',
    [get(usdc, 9n), logs('Withdrawal(address,uint256)', 9n), get(dai, 2n)],
    {},
    'CLAIM',
    ['income'],
  ],
  ['withdrawal', [get(dai, 2n)], calling('withdraw(uint256)'), 'WITHDRAW', ['move']],
  ['trading gain', [give(usdc, 9n), get(usdc, 12n, other)], {}, 'SWAP', ['income']],
  ['airdrop', [get(dai, 5n), ...recipients], byOther, 'AIRDROP', ['income']],
  ['free mint', [mint(dai, 2n)], {}, 'MINT', ['acquire']],
  ['received transfer', [get(dai, 2n), get(usdc, 3n)], byOther, 'TRANSFERIN', ['acquire', 'acquire']],
  [
    'expense of another action',
    [get(dai, 2n)],
    { ...calling('claim()'), nativeTransfers: [draftNative(wallet, contract, 1n)] },
    'EXPENSE',
    ['send'],
  ],
  ['repayment', [give(dai, 8n)], calling('repay(uint256)'), 'REPAYVAULT', ['repay']],
  ['deposit', [give(dai, 8n)], calling('deposit(uint256)'), 'DEPOSIT', ['move']],
  ['withdrawal request', [give(dai, 8n)], calling('requestWithdraw(uint256)'), 'UNSTAKE', ['move']],
  ['named payment', [give(dai, 8n)], calling('donate(uint256)'), 'DONATION', ['send']],
  ['sent transfer', [give(dai, 8n), give(usdc, 3n)], {}, 'TRANSFEROUT', ['send', 'send']],
]

test.each(CASES)('%s', (name, drafted, facts, type, treatments) => {
  const tx = draftTransaction(drafted, facts)
  const legs = plainLegs(sceneOf(tx, wallet, book), createRemainder(changesOf(tx, wallet, book)), [])
  const ours = legs.filter(({ rule }) => rule === name)
  expect({ rules: legs.map(({ rule }) => rule), types: [...new Set(ours.map((leg) => leg.type))] }).toEqual({
    rules: expect.arrayContaining([name]),
    types: [type],
  })
  expect(ours.flatMap(({ parts }) => parts.map(({ treatment }) => treatment))).toEqual(treatments)
})

test('the role of the called contract', () => {
  const rulesOf = (drafted: DraftLog[]) => {
    const tx = draftTransaction(drafted, { to: lender })
    return plainLegs(sceneOf(tx, wallet, book), createRemainder(changesOf(tx, wallet, book)), []).map((leg) => [
      leg.rule,
      leg.type,
      leg.protocol,
    ])
  }
  expect(rulesOf([give(usdc, 9n, lender)])).toEqual([['deposit', 'DEPOSIT', 'lender']])
  expect(rulesOf([get(usdc, 9n, lender)])).toEqual([['withdrawal', 'WITHDRAW', 'lender']])
})

test('every rule has a case', () => {
  const names = [...UNREQUESTED, ...PLAIN].map(({ name }) => name)
  expect(CASES.map(([name]) => name)).toEqual(names)
})

const vault = draftAddress(12)
const deposited = draftLog(vault, 'Deposit(address,address,uint256,uint256)', [contract, wallet], [9n, 8n])

test.each<Case>([
  [
    'receipt for its underlying',
    [draftLog(weth, 'Deposit(address,uint256)', [wallet], [9n])],
    { to: weth, nativeTransfers: [draftNative(wallet, weth, 9n)] },
    'WRAP',
    ['move', 'move'],
  ],
  [
    'receipt for other tokens',
    [give(dai, 5n), draftTransfer(usdc, contract, vault, 9n), deposited, mint(vault, 8n)],
    {},
    'DEPOSIT',
    ['swap', 'swap'],
  ],
  [
    'receipt alone',
    [draftTransfer(usdc, contract, vault, 9n), deposited, mint(vault, 8n)],
    byOther,
    'DEPOSIT',
    ['acquire'],
  ],
])('%s', (name, drafted, facts, type, treatments) => {
  const tx = draftTransaction(drafted, facts)
  const legs = purposeLegs(sceneOf(tx, wallet, book), createRemainder(changesOf(tx, wallet, book)))
  expect(legs.map((leg) => [leg.rule, leg.type])).toEqual([[name, type]])
  expect(legs.flatMap(({ parts }) => parts.map(({ treatment }) => treatment))).toEqual(treatments)
  expect(RECEIPT_RULES.map((rule) => rule.name)).toContain(name)
})

test.each<[rule: string, logs: DraftLog[], facts: Partial<ChainTransaction>, type: string]>([
  ['approval', [draftLog(usdc, 'Approval(address,address,uint256)', [wallet, other], [5n])], {}, 'APPROVAL'],
  ['address poisoning', [get(usdc, 0n, other)], byOther, 'SPAM'],
  ['named act', [], calling('castVote(uint256,uint8)'), 'VOTE'],
  ['call of itself', [], { to: wallet }, 'SELFTRANSFER'],
])('%s', (name, drafted, facts, type) => {
  const scene = sceneOf(draftTransaction(drafted, facts), wallet, book)
  expect(STILL_RULES.filter(({ when }) => when(scene)).map((rule) => [rule.name, rule.type(scene)])).toEqual([
    [name, type],
  ])
  expect(typeOf(scene, [])).toEqual({ type, protocol: null })
})
