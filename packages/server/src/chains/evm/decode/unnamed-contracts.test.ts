import { toFunctionSelector } from 'viem'
import { describe, expect, it } from 'vitest'
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
import { createHistoryBook } from './book.ts'
import type { ContractLabel } from './contract-labels.ts'
import { readTransaction } from './read-transaction.ts'

const wallet = draftWallet
const contract = draftRouter
const usdc = draftAddress(4)
const dai = draftAddress(5)
const weth = draftAddress(6)
const vault = draftAddress(7)
const reward = draftAddress(8)
const maker = draftAddress(9)
const other = draftAddress(10)
const nft = draftAddress(11)
const entryPoint = '0x0000000071727de22e5e9d8baf0edac6f37da032'

const bridge = draftAddress(12)
const pool = draftAddress(13)
const farm = draftAddress(14)
const bait = draftAddress(16)
const settler = draftAddress(17)
const labels = new Map<EvmAddress, ContractLabel>([
  [bridge, { protocol: 'span', role: 'bridge' }],
  [pool, { protocol: 'restake', role: 'staking' }],
  [farm, { protocol: 'restake', role: 'distributor' }],
  [settler, { protocol: 'batch', role: 'exchange' }],
  [reward, { protocol: 'restake', role: 'other' }],
])

const book = createHistoryBook({
  chain: { key: 'ethereum', wrappedNative: weth, nativeErc20s: [] },
  rows: [],
  bridges: [],
  labelOf: (address) => labels.get(address),
  isListed: (token) => token === maker || token === vault,
  isSpam: (token) => token === bait,
})

/** Pendle's router takes market shares and principal tokens after the expiry. */
const EXIT =
  'exitPostExpToToken(address,address,uint256,uint256,(address,uint256,address,address,(uint8,address,bytes,bool)))'
const calling = (signature: string) => ({ selector: toFunctionSelector(signature) })
const mint = (token: EvmAddress, amount: bigint) => draftTransfer(token, NATIVE, wallet, amount)
const burn = (token: EvmAddress, amount: bigint) => draftTransfer(token, wallet, NATIVE, amount)
const give = (token: EvmAddress, amount: bigint, to = contract) => draftTransfer(token, wallet, to, amount)
const get = (token: EvmAddress, amount: bigint, from = contract) => draftTransfer(token, from, wallet, amount)
const says = (event: string, amount: bigint, by = contract) => draftLog(by, event, [wallet], [amount])
const deposited = (shares: bigint, assets: bigint) =>
  draftLog(vault, 'Deposit(address,address,uint256,uint256)', [contract, wallet], [assets, shares])
const withdrawn = (shares: bigint, assets: bigint) =>
  draftLog(vault, 'Withdraw(address,address,address,uint256,uint256)', [contract, wallet, wallet], [assets, shares])
const gauged = (owner: EvmAddress) =>
  draftLog(contract, 'UpdateLiquidityLimit(address,uint256,uint256,uint256,uint256)', [], [owner, 9n, 9n, 9n, 9n])
const paying = (amount: bigint) => ({ nativeTransfers: [draftNative(wallet, contract, amount)] })

/** Type, and each movement except the fee: token, amount, treatment. */
function told(tx: ChainTransaction) {
  const { type, movements } = readTransaction(tx, wallet, book)
  const moved = movements.filter(({ treatment }) => treatment !== 'fee')
  return [type, moved.map(({ token, amountRaw, treatment }) => [token, amountRaw, treatment])]
}

describe('what a contract that no row names did', () => {
  it.each<[name: string, logs: DraftLog[], facts: Partial<ChainTransaction>, type: string, moved: unknown[][]]>([
    [
      'gives newly made shares for tokens',
      [give(usdc, 9n), mint(dai, 8n)],
      {},
      'DEPOSIT',
      [
        [usdc, -9n, 'move'],
        [dai, 8n, 'move'],
      ],
    ],
    [
      'gives back more of a token than it took',
      [give(usdc, 100n), get(usdc, 110n, other)],
      {},
      'SWAP',
      [[usdc, 10n, 'income']],
    ],
    [
      'gives back much more of a token than it took, which is no gain of it',
      [give(usdc, 1n), get(usdc, 110n, other)],
      {},
      'TRANSFERIN',
      [[usdc, 109n, 'acquire']],
    ],
    [
      'gives back more of a token than it took, by a call of somebody else',
      [give(usdc, 100n), get(usdc, 110n, other)],
      { from: other },
      'TRANSFERIN',
      [[usdc, 10n, 'acquire']],
    ],
    [
      'takes shares back for tokens',
      [burn(dai, 8n), get(usdc, 9n)],
      {},
      'WITHDRAW',
      [
        [dai, -8n, 'move'],
        [usdc, 9n, 'move'],
      ],
    ],
    [
      'takes shares and what lies beside them back for tokens',
      [burn(dai, 8n), burn(weth, 1n), get(usdc, 9n)],
      calling(EXIT),
      'REMOVELIQUIDITY',
      [
        [dai, -8n, 'move'],
        [weth, -1n, 'move'],
        [usdc, 9n, 'move'],
      ],
    ],
    [
      'sells one token for two',
      [give(usdc, 9n), get(dai, 4n), get(weth, 5n)],
      calling('swap(address,uint256)'),
      'SWAP',
      [
        [usdc, -9n, 'swap'],
        [dai, 4n, 'swap'],
        [weth, 5n, 'swap'],
      ],
    ],
    ['pays out what has vested', [get(dai, 4n)], calling('release(address)'), 'CLAIM', [[dai, 4n, 'income']]],
    [
      'makes new units of old ones',
      [burn(dai, 8n), mint(usdc, 9n)],
      calling('migrate(uint256)'),
      'SWAP',
      [
        [dai, -8n, 'move'],
        [usdc, 9n, 'move'],
      ],
    ],
    [
      'makes shares through a router, as ERC-4626 says',
      [give(usdc, 9n), draftTransfer(vault, NATIVE, contract, 8n), deposited(8n, 9n), get(vault, 8n)],
      {},
      'DEPOSIT',
      [
        [usdc, -9n, 'move'],
        [vault, 8n, 'move'],
      ],
    ],
    [
      'ends shares through a router, as ERC-4626 says, and pays another token',
      [give(vault, 8n), draftTransfer(vault, contract, NATIVE, 8n), withdrawn(8n, 9n), get(usdc, 9n, other)],
      {},
      'WITHDRAW',
      [
        [vault, -8n, 'move'],
        [usdc, 9n, 'move'],
      ],
    ],
    [
      'makes shares of a listed vault that logs no transfer of them',
      [give(usdc, 9n, vault), deposited(8n, 9n)],
      {},
      'DEPOSIT',
      [
        [usdc, -9n, 'move'],
        [vault, 8n, 'move'],
      ],
    ],
    [
      'burns a listed token that logs no transfer of it',
      [draftLog(maker, 'Burn(address,uint256)', [wallet], [9n])],
      {},
      'TRANSFEROUT',
      [[maker, -9n, 'send']],
    ],
    [
      'makes units of a token that is not listed and logs no transfer of them',
      [draftLog(other, 'Mint(address,uint256)', [wallet], [9n])],
      {},
      'INTERACTION',
      [],
    ],
    [
      'makes units of a listed token that logs the transfer as well',
      [draftLog(maker, 'Mint(address,uint256)', [wallet], [9n]), mint(maker, 9n)],
      {},
      'MINT',
      [[maker, 9n, 'acquire']],
    ],
    ['takes a stake', [give(usdc, 9n), says('Staked(address,uint256)', 9n)], {}, 'STAKE', [[usdc, -9n, 'move']]],
    [
      'takes another amount than it says was staked',
      [give(usdc, 9n), says('Staked(address,uint256)', 8n)],
      {},
      'TRANSFEROUT',
      [[usdc, -9n, 'send']],
    ],
    [
      'takes a stake, and pays the reward so far without a word',
      [give(usdc, 9n), says('Staked(address,uint256)', 9n), get(reward, 2n)],
      {},
      'STAKE',
      [
        [usdc, -9n, 'move'],
        [reward, 2n, 'income'],
      ],
    ],
    [
      'gives a stake back with a reward',
      [get(usdc, 9n), says('Withdrawn(address,uint256)', 9n), get(reward, 2n), says('RewardPaid(address,uint256)', 2n)],
      calling('exit()'),
      'UNSTAKE',
      [
        [usdc, 9n, 'move'],
        [reward, 2n, 'income'],
      ],
    ],
    [
      'pays a reward, whatever the function is called',
      [get(reward, 2n), says('RewardPaid(address,uint256)', 2n)],
      {},
      'CLAIM',
      [[reward, 2n, 'income']],
    ],
    [
      'pays an airdrop, as it says',
      [get(reward, 2n), says('HasClaimed(address,uint256)', 2n)],
      {},
      'CLAIM',
      [[reward, 2n, 'income']],
    ],
    [
      'locks what gives votes, as it says',
      [
        give(usdc, 9n),
        draftLog(contract, 'Deposit(address,uint256,uint256,int128,uint256)', [wallet, 77n], [9n, 1n, 5n]),
      ],
      {},
      'STAKE',
      [[usdc, -9n, 'move']],
    ],
    [
      'pays a reward that another contract speaks of',
      [get(reward, 2n), says('RewardPaid(address,uint256)', 2n, other)],
      {},
      'TRANSFERIN',
      [[reward, 2n, 'acquire']],
    ],
    [
      'takes gas in advance at an entry point',
      [says('Deposited(address,uint256)', 9n, entryPoint)],
      { nativeTransfers: [draftNative(wallet, entryPoint, 9n)] },
      'DEPOSIT',
      [
        [NATIVE, -9n, 'move'],
        [entryPoint, 0n, 'move'],
      ],
    ],
    [
      'pays a claim for a fee',
      [get(reward, 2n)],
      { ...calling('claim()'), ...paying(1n) },
      'CLAIM',
      [
        [NATIVE, -1n, 'send'],
        [reward, 2n, 'income'],
      ],
    ],
    [
      'makes an NFT that is called a claim, for a payment',
      [draftNftTransfer(nft, NATIVE, wallet, 44n)],
      { ...calling('claim()'), ...paying(1n) },
      'MINT',
      [
        [NATIVE, -1n, 'swap'],
        [nft, 1n, 'swap'],
      ],
    ],
    [
      'lends against collateral in one call',
      [give(weth, 9n), mint(dai, 8n)],
      calling('create_loan(uint256,uint256,uint256)'),
      'BORROW',
      [
        [weth, -9n, 'move'],
        [dai, 8n, 'borrow'],
      ],
    ],
    [
      'takes a loan back and gives the collateral',
      [burn(dai, 8n), get(weth, 9n)],
      calling('repay(uint256)'),
      'REPAYVAULT',
      [
        [dai, -8n, 'repay'],
        [weth, 9n, 'move'],
      ],
    ],
    ['takes a loan back', [give(dai, 8n)], calling('repay(uint256)'), 'REPAYVAULT', [[dai, -8n, 'repay']]],
    [
      'takes a deposit as a gauge',
      [give(usdc, 9n), says('Deposit(address,uint256)', 9n), gauged(wallet)],
      calling('deposit(uint256)'),
      'STAKE',
      [[usdc, -9n, 'move']],
    ],
    [
      'takes a deposit as a gauge that makes shares',
      [give(usdc, 9n), mint(dai, 9n), gauged(wallet)],
      calling('deposit(uint256)'),
      'STAKE',
      [
        [usdc, -9n, 'move'],
        [dai, 9n, 'move'],
      ],
    ],
    [
      'gives back what lay in a gauge',
      [get(usdc, 9n), says('Withdraw(address,uint256)', 9n), gauged(wallet)],
      calling('withdraw(uint256)'),
      'UNSTAKE',
      [[usdc, 9n, 'move']],
    ],
    [
      'takes a deposit, while a gauge speaks of somebody else',
      [give(usdc, 9n), says('Deposit(address,uint256)', 9n), gauged(other)],
      calling('deposit(uint256)'),
      'DEPOSIT',
      [[usdc, -9n, 'move']],
    ],
    [
      'ends the NFT of a withdrawal and pays it',
      [draftNftTransfer(nft, wallet, NATIVE, 7n), get(usdc, 9n)],
      calling('claimTokens(uint256)'),
      'WITHDRAW',
      [
        [nft, -1n, 'move'],
        [usdc, 9n, 'move'],
      ],
    ],
    [
      'keeps an NFT and makes another for it',
      [draftNftTransfer(nft, wallet, contract, 7n), draftNftTransfer(contract, NATIVE, wallet, 8n)],
      calling('safeTransferFrom(address,address,uint256,bytes)'),
      'WRAP',
      [
        [nft, -1n, 'move'],
        [contract, 1n, 'move'],
      ],
    ],
    [
      'ends an NFT and gives back the one that it kept for it',
      [draftNftTransfer(contract, wallet, NATIVE, 8n), draftNftTransfer(nft, contract, wallet, 7n)],
      {},
      'UNWRAP',
      [
        [contract, -1n, 'move'],
        [nft, 1n, 'move'],
      ],
    ],
    [
      'makes an NFT for another that goes elsewhere',
      [draftNftTransfer(nft, wallet, other, 7n), draftNftTransfer(contract, NATIVE, wallet, 8n)],
      {},
      'MINT',
      [
        [nft, -1n, 'swap'],
        [contract, 1n, 'swap'],
      ],
    ],
    [
      'takes more of the coin than it gives back wrapped, for an NFT',
      [
        draftLog(weth, 'Deposit(address,uint256)', [contract], [9n]),
        get(weth, 2n),
        draftNftTransfer(nft, other, wallet, 7n),
      ],
      paying(9n),
      'MULTITYPE',
      [
        [NATIVE, -2n, 'move'],
        [NATIVE, -7n, 'swap'],
        [weth, 2n, 'move'],
        [nft, 1n, 'swap'],
      ],
    ],
    [
      'is paid to go on',
      [],
      { ...calling('renew(string,uint256)'), ...paying(3n) },
      'EXPENSE',
      [[NATIVE, -3n, 'send']],
    ],
    [
      'takes a gift for an author',
      [give(usdc, 3n, other)],
      calling('curate(address,address,uint256,string)'),
      'DONATION',
      [[usdc, -3n, 'send']],
    ],
  ])('%s', (_, logs, facts, type, moved) => {
    expect(told(draftTransaction(logs, facts))).toEqual([type, moved])
  })
})

describe('what looks like bait', () => {
  const byOther = { from: other } as const

  it.each<[name: string, logs: DraftLog[], facts: Partial<ChainTransaction>, type: string, moved: unknown[][]]>([
    ['is none where the wallet called for it', [get(bait, 9n)], calling('claim()'), 'CLAIM', [[bait, 9n, 'income']]],
    [
      'is none where a protocol traded it by an order',
      [give(bait, 9n, settler), get(usdc, 8n, settler)],
      { ...byOther, to: settler },
      'SWAP',
      [
        [bait, -9n, 'swap'],
        [usdc, 8n, 'swap'],
      ],
    ],
    [
      'is bait where nobody knows who traded it',
      [give(bait, 9n), get(usdc, 8n)],
      byOther,
      'TRANSFERIN',
      [
        [bait, -9n, 'spam'],
        [usdc, 8n, 'acquire'],
      ],
    ],
    [
      'is bait where a protocol sends it unasked',
      [get(bait, 9n, settler)],
      { ...byOther, to: settler },
      'SPAM',
      [[bait, 9n, 'spam']],
    ],
  ])('%s', (_, logs, facts, type, moved) => {
    expect(told(draftTransaction(logs, facts))).toEqual([type, moved])
  })
})

describe('what others do with an allowance', () => {
  it.each<[name: string, logs: DraftLog[], type: string, moved: unknown[][]]>([
    ['is no stake', [give(usdc, 9n), says('Staked(address,uint256)', 9n)], 'TRANSFEROUT', [[usdc, -9n, 'send']]],
    [
      'is no deposit',
      [give(usdc, 9n), mint(other, 8n)],
      'MINT',
      [
        [usdc, -9n, 'swap'],
        [other, 8n, 'swap'],
      ],
    ],
    ['is a reward', [get(reward, 9n), says('RewardPaid(address,uint256)', 9n)], 'CLAIM', [[reward, 9n, 'income']]],
  ])('%s', (_, logs, type, moved) => {
    expect(told(draftTransaction(logs, { from: draftAddress(15) }))).toEqual([type, moved])
  })
})

describe('what a label says of a contract', () => {
  const read = (logs: DraftLog[], facts: Partial<ChainTransaction>) => {
    const { protocol } = readTransaction(draftTransaction(logs, facts), wallet, book)
    return [...told(draftTransaction(logs, facts)), protocol]
  }

  it.each<
    [
      name: string,
      logs: DraftLog[],
      facts: Partial<ChainTransaction>,
      type: string,
      moved: unknown[][],
      protocol: string | null,
    ]
  >([
    [
      'takes what goes over a bridge',
      [give(usdc, 9n, bridge)],
      { to: bridge },
      'BRIDGEOUT',
      [[usdc, -9n, 'bridge']],
      'span',
    ],
    ['takes a stake', [give(usdc, 9n, pool)], { to: pool }, 'STAKE', [[usdc, -9n, 'move']], 'restake'],
    ['gives a stake back', [get(usdc, 9n, pool)], { to: pool }, 'UNSTAKE', [[usdc, 9n, 'move']], 'restake'],
    ['pays a reward', [get(reward, 9n, farm)], { to: farm }, 'CLAIM', [[reward, 9n, 'income']], 'restake'],
    [
      'takes what its function calls a deposit',
      [give(usdc, 9n, pool)],
      { to: pool, ...calling('deposit(uint256)') },
      'STAKE',
      [[usdc, -9n, 'move']],
      'restake',
    ],
    [
      'makes shares of a stake',
      [give(usdc, 9n, pool), mint(dai, 9n)],
      { to: pool },
      'STAKE',
      [
        [usdc, -9n, 'move'],
        [dai, 9n, 'move'],
      ],
      'restake',
    ],
    [
      'gives back what its function calls a withdrawal',
      [get(usdc, 9n, other)],
      { to: pool, ...calling('withdraw(uint256)') },
      'UNSTAKE',
      [[usdc, 9n, 'move']],
      'restake',
    ],
    [
      'makes new units as a router of exchanges',
      [give(usdc, 9n, settler), mint(dai, 8n)],
      { to: settler },
      'SWAP',
      [
        [usdc, -9n, 'swap'],
        [dai, 8n, 'swap'],
      ],
      'batch',
    ],
    [
      'makes new units as a router of exchanges by a function that adds liquidity',
      [give(usdc, 9n, settler), mint(dai, 8n)],
      { to: settler, ...calling('add_liquidity(uint256[2],uint256)') },
      'ADDLIQUIDITY',
      [
        [usdc, -9n, 'move'],
        [dai, 8n, 'move'],
      ],
      'batch',
    ],
    ['moves nothing', [], { to: bridge }, 'INTERACTION', [], 'span'],
    [
      'is a token that is only sent',
      [give(reward, 9n, other)],
      { to: reward },
      'TRANSFEROUT',
      [[reward, -9n, 'send']],
      null,
    ],
    [
      'is called, and something goes elsewhere',
      [give(usdc, 9n, other)],
      { to: pool },
      'TRANSFEROUT',
      [[usdc, -9n, 'send']],
      'restake',
    ],
    [
      'is called by another',
      [get(usdc, 9n, pool)],
      { to: pool, from: other },
      'TRANSFERIN',
      [[usdc, 9n, 'acquire']],
      null,
    ],
  ])('%s', (_, logs, facts, type, moved, protocol) => {
    expect(read(logs, facts)).toEqual([type, moved, protocol])
  })
})

describe('what a name says', () => {
  it.each<[name: string, logs: DraftLog[], facts: Partial<ChainTransaction>, type: string, moved: unknown[][]]>([
    [
      'of a trade for what is newly made',
      [give(usdc, 9n), mint(dai, 8n)],
      calling('exchange(int128,int128,uint256,uint256)'),
      'SWAP',
      [
        [usdc, -9n, 'swap'],
        [dai, 8n, 'swap'],
      ],
    ],
    [
      'of what goes to another chain, beside the fee for it',
      [give(usdc, 9n)],
      { ...calling('anySwapOutUnderlying(address,address,uint256,uint256)'), ...paying(1n) },
      'BRIDGEOUT',
      [
        [NATIVE, -1n, 'send'],
        [usdc, -9n, 'bridge'],
      ],
    ],
    [
      'of units that are given back now and paid out later',
      [burn(dai, 9n)],
      calling('requestRedeem(uint256,address,address)'),
      'WITHDRAW',
      [[dai, -9n, 'move']],
    ],
    [
      'of a withdrawal that is asked for and costs a fee, and nothing yet of what it pays',
      [],
      { ...calling('requestExit(uint256)'), ...paying(1n) },
      'TRANSFEROUT',
      [[NATIVE, -1n, 'send']],
    ],
    [
      'of a loan of new units',
      [mint(dai, 9n)],
      calling('withdrawLUSD(uint256,uint256,address,address)'),
      'BORROW',
      [[dai, 9n, 'borrow']],
    ],
    ['of a lock', [give(usdc, 9n)], calling('createLock(uint256,uint256)'), 'STAKE', [[usdc, -9n, 'move']]],
    [
      'of collateral taken out again',
      [get(usdc, 9n)],
      calling('remove_collateral(uint256)'),
      'WITHDRAW',
      [[usdc, 9n, 'move']],
    ],
    [
      'of a vote whose gas is given back',
      [],
      { ...calling('castRefundableVote(uint256,uint8)'), nativeTransfers: [draftNative(contract, wallet, 3n)] },
      'VOTE',
      [[NATIVE, 3n, 'acquire']],
    ],
  ])('%s', (_, logs, facts, type, moved) => {
    expect(told(draftTransaction(logs, facts))).toEqual([type, moved])
  })
})

describe('an account of an entry point', () => {
  const operation = draftLog(
    entryPoint,
    'UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)',
    [1n, wallet, NATIVE],
    [0n, 1n, 5n, 5n],
  )
  const prefund = { from: other, to: entryPoint, nativeTransfers: [draftNative(wallet, entryPoint, 8n)] } as const
  const deposited = (amountRaw: bigint) => [
    [NATIVE, amountRaw, 'move'],
    [entryPoint, 0n, 'move'],
  ]

  it('pays its gas beside what it does', () => {
    const swap = [give(usdc, 9n), get(dai, 8n), operation]
    expect(told(draftTransaction(swap, prefund))).toEqual([
      'SWAP',
      [...deposited(-3n), [usdc, -9n, 'swap'], [dai, 8n, 'swap']],
    ])
  })

  it('does nothing by paying its gas, ahead or from its deposit', () => {
    expect(told(draftTransaction([operation], prefund))).toEqual(['INTERACTION', deposited(-3n)])
    expect(told(draftTransaction([operation], { ...prefund, nativeTransfers: [] }))).toEqual([
      'INTERACTION',
      deposited(5n),
    ])
    const exact = { ...prefund, nativeTransfers: [draftNative(wallet, entryPoint, 5n)] }
    expect(told(draftTransaction([operation], exact))).toEqual(['INTERACTION', []])
  })

  it('pays nothing where a paymaster does, and where a node does not show what it sent ahead only the gas is known', () => {
    const sponsored = { ...operation, topics: operation.topics.with(3, `0x${other.slice(2).padStart(64, '0')}`) }
    expect(told(draftTransaction([sponsored], { from: other, to: entryPoint }))).toEqual(['INTERACTION', []])
    const ahead = draftLog(entryPoint, 'Deposited(address,uint256)', [wallet], [8n])
    expect(told(draftTransaction([ahead, operation], { from: other, to: entryPoint }))).toEqual(['INTERACTION', []])
  })

  it('fails where its operation does', () => {
    const data = operation.data.replace(/^(0x0{64}0{63})1/, '$10') as `0x${string}`
    expect(told(draftTransaction([{ ...operation, data }], prefund))).toEqual(['FAILED', deposited(-3n)])
  })
})

describe('a Safe', () => {
  const executed = draftLog(wallet, 'ExecutionSuccess(bytes32,uint256)', [], [1n, 0n])
  const acts = { from: other, to: wallet }

  it('that moves nothing sends nothing to itself', () => {
    expect(told(draftTransaction([executed], acts))).toEqual(['INTERACTION', []])
  })

  it('that approves approves', () => {
    const approval = draftLog(usdc, 'Approval(address,address,uint256)', [wallet, contract], [5n])
    expect(told(draftTransaction([approval, executed], acts))).toEqual(['APPROVAL', []])
  })
})
