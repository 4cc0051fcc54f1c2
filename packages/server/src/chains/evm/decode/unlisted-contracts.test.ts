import { toFunctionSelector } from 'viem'
import { expect, it } from 'vitest'
import {
  type DraftLog,
  draftAddress,
  draftLog,
  draftNative,
  draftNftTransfer,
  draftTransaction,
  draftTransfer,
  draftWallet,
} from '../../../../test/draft-transaction.ts'
import { type EvmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { NativeTransfer, TransactionType } from '../../../domain/transaction.ts'
import type { ProtocolDeployment } from '../protocols/adapter.ts'
import { bindProtocol, protocolRows } from '../protocols/protocols.ts'
import { createHistoryBook, type HistoryBook } from './book.ts'
import { bridgeRows } from './bridge-rows.ts'
import { labelsOf } from './contract-labels.ts'
import { readTransaction } from './read-transaction.ts'

const wallet = draftWallet
/** Placeholder of the called contract, replaced by the address of the case. */
const contract = draftAddress(0xc0ffee_c0ffee)
const usdc = draftAddress(4)
const dai = draftAddress(5)
const weth = draftAddress(6)
const share = draftAddress(7)
const reward = draftAddress(8)
const pool = draftAddress(9)
const nft = draftAddress(10)
const user = draftAddress(11)
const WSTETH = '0x7f39c581f595b53c5cb19bd0b3f8da6c935e2ca0'

const bookWith = (rows: readonly { deployment: ProtocolDeployment; protocolContracts: undefined }[]) =>
  createHistoryBook({
    chain: { key: 'ethereum', wrappedNative: weth, nativeErc20s: [] },
    rows,
    bridges: bridgeRows,
    labelOf: labelsOf('ethereum'),
    isListed: (token) => [usdc, dai, reward, WSTETH].includes(token),
    isSpam: () => false,
  })

const give = (token: EvmAddress, amount: bigint, to = contract) => draftTransfer(token, wallet, to, amount)
const get = (token: EvmAddress, amount: bigint, from = contract) => draftTransfer(token, from, wallet, amount)
const mint = (token: EvmAddress, amount: bigint) => get(token, amount, NATIVE)
const burn = (token: EvmAddress, amount: bigint) => give(token, amount, NATIVE)
const getNft = (id: bigint, from: EvmAddress = NATIVE) => draftNftTransfer(nft, from, wallet, id)
const says = (event: string, indexed: (EvmAddress | bigint)[], data: (EvmAddress | bigint)[] = [], by = contract) =>
  draftLog(by, event, indexed, data)
const approves = (token: EvmAddress, spender = contract) =>
  draftLog(token, 'Approval(address,address,uint256)', [wallet, spender], [9n])
const wrapped = (amount: bigint, by = contract) => draftLog(weth, 'Deposit(address,uint256)', [by], [amount])
const unwrapped = (amount: bigint, by = contract) => draftLog(weth, 'Withdrawal(address,uint256)', [by], [amount])
const pays = (amount: bigint, to = contract) => draftNative(wallet, to, amount)
const paid = (amount: bigint, from = contract) => draftNative(from, wallet, amount)

const LAYER_ZERO = '0x1a44076050125825900e736c501f859c50fe728c'

type Case = [protocol: string, signature: string, logs: DraftLog[], native: NativeTransfer[], type: TransactionType]

/**
 * Transactions of contracts without a deployment here, with the logs of their published sources. The type is the action
 * according to their documentation.
 */
const cases: Case[] = [
  // Exchanges.
  [
    'Uniswap v2',
    'swapExactTokensForTokens(uint256,uint256,address[],address,uint256)',
    [give(usdc, 9n, pool), get(dai, 8n, pool)],
    [],
    'SWAP',
  ],
  [
    'Uniswap v2',
    'swapExactETHForTokens(uint256,address[],address,uint256)',
    [wrapped(9n), get(dai, 8n, pool)],
    [pays(9n)],
    'SWAP',
  ],
  [
    'Uniswap v2',
    'swapExactTokensForETH(uint256,uint256,address[],address,uint256)',
    [give(dai, 9n, pool), unwrapped(8n)],
    [paid(8n)],
    'SWAP',
  ],
  [
    'Uniswap v2',
    'addLiquidity(address,address,uint256,uint256,uint256,uint256,address,uint256)',
    [give(usdc, 9n, pool), give(dai, 9n, pool), mint(pool, 3n)],
    [],
    'ADDLIQUIDITY',
  ],
  [
    'Uniswap v2',
    'addLiquidityETH(address,uint256,uint256,uint256,address,uint256)',
    [give(usdc, 9n, pool), wrapped(3n), mint(pool, 3n)],
    [pays(4n), paid(1n)],
    'ADDLIQUIDITY',
  ],
  [
    'Uniswap v2',
    'removeLiquidity(address,address,uint256,uint256,uint256,address,uint256)',
    [give(pool, 3n, pool), get(usdc, 9n, pool), get(dai, 9n, pool)],
    [],
    'REMOVELIQUIDITY',
  ],
  [
    'Uniswap v2',
    'removeLiquidityETHWithPermit(address,uint256,uint256,uint256,address,uint256,bool,uint8,bytes32,bytes32)',
    [give(pool, 3n, pool), get(usdc, 9n), unwrapped(4n)],
    [paid(4n)],
    'REMOVELIQUIDITY',
  ],
  [
    'Uniswap v3',
    'exactInputSingle((address,address,uint24,address,uint256,uint256,uint256,uint160))',
    [get(dai, 8n, pool), give(usdc, 9n, pool)],
    [],
    'SWAP',
  ],
  [
    'Uniswap v3',
    'exactInput((bytes,address,uint256,uint256,uint256))',
    [get(dai, 8n, pool), give(usdc, 9n, pool)],
    [],
    'SWAP',
  ],
  ['Universal Router', 'execute(bytes,bytes[],uint256)', [wrapped(9n), get(dai, 8n, pool)], [pays(9n)], 'SWAP'],
  [
    'Uniswap v3 positions',
    'mint((address,address,uint24,int24,int24,uint256,uint256,uint256,uint256,address,uint256))',
    [
      give(usdc, 9n, pool),
      give(dai, 9n, pool),
      draftNftTransfer(contract, NATIVE, wallet, 7n),
      says('IncreaseLiquidity(uint256,uint128,uint256,uint256)', [7n], [5n, 9n, 9n]),
    ],
    [],
    'ADDLIQUIDITY',
  ],
  ['Curve', 'exchange(int128,int128,uint256,uint256)', [give(usdc, 9n), get(dai, 8n)], [], 'SWAP'],
  ['Curve', 'exchange_underlying(int128,int128,uint256,uint256)', [give(usdc, 9n), get(dai, 8n)], [], 'SWAP'],
  [
    'Curve',
    'exchange(address[11],uint256[5][5],uint256,uint256,address[5])',
    [give(usdc, 9n), get(dai, 8n)],
    [],
    'SWAP',
  ],
  ['Curve', 'add_liquidity(uint256[3],uint256)', [give(usdc, 9n), give(dai, 9n), mint(share, 17n)], [], 'ADDLIQUIDITY'],
  ['Curve', 'add_liquidity(address,uint256[4],uint256)', [give(usdc, 9n), mint(share, 17n)], [], 'ADDLIQUIDITY'],
  [
    'Curve',
    'remove_liquidity(uint256,uint256[3])',
    [burn(share, 17n), get(usdc, 9n), get(dai, 9n)],
    [],
    'REMOVELIQUIDITY',
  ],
  [
    'Curve',
    'remove_liquidity_one_coin(uint256,int128,uint256)',
    [burn(share, 17n), get(usdc, 16n)],
    [],
    'REMOVELIQUIDITY',
  ],
  [
    'Curve',
    'remove_liquidity_imbalance(uint256[3],uint256)',
    [burn(share, 17n), get(usdc, 16n)],
    [],
    'REMOVELIQUIDITY',
  ],
  [
    'Balancer v2',
    'swap((bytes32,uint8,address,address,uint256,bytes),(address,bool,address,bool),uint256,uint256)',
    [give(usdc, 9n), get(dai, 8n)],
    [],
    'SWAP',
  ],
  [
    'Balancer v2',
    'batchSwap(uint8,(bytes32,uint256,uint256,uint256,bytes)[],address[],(address,bool,address,bool),int256[],uint256)',
    [give(usdc, 9n), get(dai, 8n)],
    [],
    'SWAP',
  ],
  [
    'Balancer v2',
    'joinPool(bytes32,address,address,(address[],uint256[],bytes,bool))',
    [give(usdc, 9n), give(dai, 9n), mint(share, 17n)],
    [],
    'ADDLIQUIDITY',
  ],
  [
    'Balancer v2',
    'exitPool(bytes32,address,address,(address[],uint256[],bytes,bool))',
    [burn(share, 17n), get(usdc, 9n), get(dai, 9n)],
    [],
    'REMOVELIQUIDITY',
  ],
  [
    '1inch',
    'swap(address,(address,address,address,address,uint256,uint256,uint256),bytes,bytes)',
    [give(usdc, 9n), get(dai, 8n)],
    [],
    'SWAP',
  ],
  [
    '1inch',
    'unoswapTo(uint256,uint256,uint256,uint256,uint256)',
    [give(usdc, 9n, pool), get(dai, 8n, pool)],
    [],
    'SWAP',
  ],
  ['1inch', 'unoswap(address,uint256,uint256,uint256[])', [give(usdc, 9n, pool), get(dai, 8n, pool)], [], 'SWAP'],
  [
    '0x',
    'transformERC20(address,address,uint256,uint256,(uint32,bytes)[])',
    [give(usdc, 9n), get(dai, 8n)],
    [],
    'SWAP',
  ],
  ['0x', 'sellToUniswap(address[],uint256,uint256,bool)', [give(usdc, 9n, pool), get(dai, 8n, pool)], [], 'SWAP'],
  [
    'Paraswap',
    'swapExactAmountIn(address,(address,address,uint256,uint256,uint256,bytes32,address),uint256,bytes,bytes)',
    [give(usdc, 9n), get(dai, 8n)],
    [],
    'SWAP',
  ],
  [
    'Kyber',
    'swap((address,address,bytes,(address,address,address[],uint256[],address[],uint256[],address,uint256,uint256,uint256,bytes),bytes))',
    [give(usdc, 9n), get(dai, 8n)],
    [],
    'SWAP',
  ],
  [
    'Odos',
    'swapMulti((address,uint256,address,bytes)[],(address,uint256,address)[],address,bytes,uint32)',
    [give(usdc, 9n), get(dai, 4n), get(reward, 5n)],
    [],
    'SWAP',
  ],
  ['CoW Protocol', 'setPreSignature(bytes,bool)', [], [], 'SIGN'],
  [
    'Maverick',
    'addLiquidity(address,uint256,(uint8,int32,bool,uint128,uint128)[])',
    [give(usdc, 9n), give(dai, 9n)],
    [],
    'ADDLIQUIDITY',
  ],
  [
    'Liquidity Book',
    'addLiquidity((address,address,uint256,uint256,uint256,uint256,uint256,uint256,uint256,int256[],uint256[],uint256[],address,address,uint256))',
    [
      give(usdc, 9n, pool),
      give(dai, 9n, pool),
      says(
        'TransferBatch(address,address,address,uint256[],uint256[])',
        [contract, NATIVE, wallet],
        [64n, 128n, 1n, 5n, 1n, 7n],
        pool,
      ),
    ],
    [],
    'ADDLIQUIDITY',
  ],
  // Lending.
  ['Aave v2', 'deposit(address,uint256,address,uint16)', [give(usdc, 9n, share), mint(share, 9n)], [], 'DEPOSIT'],
  ['Spark', 'supply(address,uint256,address,uint16)', [give(usdc, 9n, share), mint(share, 9n)], [], 'LEND'],
  ['Spark', 'withdraw(address,uint256,address)', [burn(share, 9n), get(usdc, 9n, share)], [], 'WITHDRAW'],
  ['Spark', 'borrow(address,uint256,uint256,uint16,address)', [get(usdc, 9n, share)], [], 'BORROW'],
  ['Spark', 'repay(address,uint256,uint256,address)', [give(usdc, 9n, share)], [], 'REPAYVAULT'],
  ['Spark', 'repayWithATokens(address,uint256,uint256)', [burn(share, 9n)], [], 'REPAYVAULT'],
  ['Aave gateway', 'depositETH(address,address,uint16)', [wrapped(9n), mint(share, 9n)], [pays(9n)], 'DEPOSIT'],
  [
    'Aave gateway',
    'withdrawETH(address,uint256,address)',
    [give(share, 9n), draftTransfer(share, contract, NATIVE, 9n), unwrapped(9n)],
    [paid(9n)],
    'WITHDRAW',
  ],
  ['Compound v2', 'mint(uint256)', [give(usdc, 9n), get(contract, 400n)], [], 'DEPOSIT'],
  ['Compound v2', 'redeem(uint256)', [give(contract, 400n, contract), get(usdc, 9n)], [], 'WITHDRAW'],
  ['Compound v2', 'redeemUnderlying(uint256)', [give(contract, 400n, contract), get(usdc, 9n)], [], 'WITHDRAW'],
  ['Compound v2', 'borrow(uint256)', [get(usdc, 9n)], [], 'BORROW'],
  ['Compound v2', 'repayBorrow(uint256)', [give(usdc, 9n)], [], 'REPAYVAULT'],
  ['Compound v2', 'repayBorrowBehalf(address)', [], [pays(9n)], 'REPAYVAULT'],
  ['Compound v2 comptroller', 'enterMarkets(address[])', [], [], 'INTERACTION'],
  ['Compound v2 comptroller', 'claimComp(address)', [get(reward, 2n)], [], 'CLAIM'],
  ['Compound v3', 'supply(address,uint256)', [give(usdc, 9n)], [], 'LEND'],
  ['Compound v3', 'withdraw(address,uint256)', [get(usdc, 9n)], [], 'WITHDRAW'],
  [
    'Morpho',
    'supplyCollateral((address,address,address,address,uint256),uint256,address,bytes)',
    [give(usdc, 9n)],
    [],
    'LEND',
  ],
  [
    'Morpho',
    'withdrawCollateral((address,address,address,address,uint256),uint256,address,address)',
    [get(usdc, 9n)],
    [],
    'WITHDRAW',
  ],
  [
    'Morpho',
    'borrow((address,address,address,address,uint256),uint256,uint256,address,address)',
    [get(usdc, 9n)],
    [],
    'BORROW',
  ],
  [
    'Morpho',
    'repay((address,address,address,address,uint256),uint256,uint256,address,bytes)',
    [give(usdc, 9n)],
    [],
    'REPAYVAULT',
  ],
  ['crvUSD', 'create_loan(uint256,uint256,uint256)', [give(weth, 9n, pool), mint(dai, 8n)], [], 'BORROW'],
  ['crvUSD', 'add_collateral(uint256)', [give(weth, 9n, pool)], [], 'DEPOSIT'],
  ['Liquity', 'openTrove(uint256,uint256,address,address)', [mint(dai, 8n)], [pays(9n)], 'BORROW'],
  ['Liquity', 'closeTrove()', [burn(dai, 8n)], [paid(9n)], 'REPAYVAULT'],
  ['Liquity', 'addColl(address,address)', [], [pays(9n)], 'DEPOSIT'],
  ['Liquity', 'repayLUSD(uint256,address,address)', [burn(dai, 8n)], [], 'REPAYVAULT'],
  ['Liquity pool', 'provideToSP(uint256,address)', [give(dai, 8n)], [], 'DEPOSIT'],
  ['Liquity pool', 'withdrawFromSP(uint256)', [get(dai, 8n)], [paid(1n)], 'WITHDRAW'],
  ['Maker', 'lockETHAndDraw(address,address,address,address,uint256,uint256)', [mint(dai, 8n)], [pays(9n)], 'BORROW'],
  [
    'Maker',
    'wipeAndFreeETH(address,address,address,uint256,uint256,uint256)',
    [give(dai, 8n)],
    [paid(9n)],
    'REPAYVAULT',
  ],
  // Stakes and vaults.
  ['Synthetix farm', 'stake(uint256)', [give(share, 9n), says('Staked(address,uint256)', [wallet], [9n])], [], 'STAKE'],
  [
    'Synthetix farm',
    'withdraw(uint256)',
    [get(share, 9n), says('Withdrawn(address,uint256)', [wallet], [9n])],
    [],
    'UNSTAKE',
  ],
  [
    'Synthetix farm',
    'getReward()',
    [get(reward, 2n), says('RewardPaid(address,uint256)', [wallet], [2n])],
    [],
    'CLAIM',
  ],
  [
    'Synthetix farm',
    'exit()',
    [
      get(share, 9n),
      says('Withdrawn(address,uint256)', [wallet], [9n]),
      get(reward, 2n),
      says('RewardPaid(address,uint256)', [wallet], [2n]),
    ],
    [],
    'UNSTAKE',
  ],
  [
    'MasterChef',
    'deposit(uint256,uint256)',
    [get(reward, 2n), give(share, 9n), says('Deposit(address,uint256,uint256)', [wallet, 3n], [9n])],
    [],
    'STAKE',
  ],
  [
    'MasterChef',
    'withdraw(uint256,uint256)',
    [get(reward, 2n), get(share, 9n), says('Withdraw(address,uint256,uint256)', [wallet, 3n], [9n])],
    [],
    'UNSTAKE',
  ],
  [
    'MasterChef',
    'deposit(uint256,uint256)',
    [get(reward, 2n), says('Deposit(address,uint256,uint256)', [wallet, 3n], [0n])],
    [],
    'CLAIM',
  ],
  [
    'MasterChef',
    'emergencyWithdraw(uint256)',
    [get(share, 9n), says('EmergencyWithdraw(address,uint256,uint256)', [wallet, 3n], [9n])],
    [],
    'UNSTAKE',
  ],
  [
    'MasterChef v2',
    'withdrawAndHarvest(uint256,uint256,address)',
    [
      get(reward, 2n),
      get(share, 9n),
      says('Withdraw(address,uint256,uint256,address)', [wallet, 3n, wallet], [9n]),
      says('Harvest(address,uint256,uint256)', [wallet, 3n], [2n]),
    ],
    [],
    'UNSTAKE',
  ],
  [
    'MasterChef v2',
    'harvest(uint256,address)',
    [get(reward, 2n), says('Harvest(address,uint256,uint256)', [wallet, 3n], [2n])],
    [],
    'CLAIM',
  ],
  [
    'Curve gauge',
    'deposit(uint256)',
    [
      give(share, 9n),
      says('Deposit(address,uint256)', [wallet], [9n]),
      says('UpdateLiquidityLimit(address,uint256,uint256,uint256,uint256)', [], [wallet, 9n, 9n, 9n, 9n]),
    ],
    [],
    'STAKE',
  ],
  ['Curve gauge', 'claim_rewards()', [get(reward, 2n)], [], 'CLAIM'],
  ['Curve minter', 'mint_many(address[8])', [mint(reward, 2n)], [], 'CLAIM'],
  [
    'vote escrow',
    'create_lock(uint256,uint256)',
    [give(reward, 9n), says('Deposit(address,uint256,uint256,int128,uint256)', [wallet, 99n], [9n, 1n, 5n])],
    [],
    'STAKE',
  ],
  [
    'vote escrow',
    'increase_unlock_time(uint256)',
    [says('Deposit(address,uint256,uint256,int128,uint256)', [wallet, 99n], [0n, 3n, 5n])],
    [],
    'INTERACTION',
  ],
  ['Lido', 'submit(address)', [mint(contract, 9n)], [pays(9n)], 'STAKE'],
  [
    'Lido queue',
    'requestWithdrawals(uint256[],address)',
    [give(share, 9n), draftNftTransfer(contract, NATIVE, wallet, 7n)],
    [],
    'UNSTAKE',
  ],
  ['Lido queue', 'claimWithdrawal(uint256)', [draftNftTransfer(contract, wallet, NATIVE, 7n)], [paid(9n)], 'UNSTAKE'],
  ['Rocket Pool', 'deposit()', [mint(share, 8n)], [pays(9n)], 'STAKE'],
  ['rETH', 'burn(uint256)', [burn(contract, 8n)], [paid(9n)], 'UNSTAKE'],
  ['EigenLayer', 'depositIntoStrategy(address,address,uint256)', [give(share, 9n, pool)], [], 'STAKE'],
  [
    'EigenLayer delegation',
    'completeQueuedWithdrawal((address,address,address,uint256,uint32,address[],uint256[]),address[],uint256,bool)',
    [get(share, 9n, pool)],
    [],
    'UNSTAKE',
  ],
  ['EigenLayer delegation', 'delegateTo(address,(bytes,uint256),bytes32)', [], [], 'INTERACTION'],
  ['Ethena', 'cooldownShares(uint256)', [burn(contract, 9n)], [], 'UNSTAKE'],
  ['Ethena', 'unstake(address)', [get(usdc, 9n, pool)], [], 'UNSTAKE'],
  ['Yearn', 'deposit(uint256)', [mint(contract, 8n), give(usdc, 9n)], [], 'DEPOSIT'],
  ['Yearn', 'withdraw(uint256,address,uint256)', [burn(contract, 8n), get(usdc, 9n)], [], 'WITHDRAW'],
  [
    'ERC-4626',
    'mint(uint256,address)',
    [give(usdc, 9n), mint(contract, 8n), says('Deposit(address,address,uint256,uint256)', [wallet, wallet], [9n, 8n])],
    [],
    'DEPOSIT',
  ],
  [
    'ERC-4626',
    'redeem(uint256,address,address)',
    [
      burn(contract, 8n),
      get(usdc, 9n),
      says('Withdraw(address,address,address,uint256,uint256)', [wallet, wallet, wallet], [9n, 8n]),
    ],
    [],
    'WITHDRAW',
  ],
  ['Beefy', 'depositAll()', [give(share, 9n), mint(contract, 8n)], [], 'DEPOSIT'],
  ['Beefy', 'withdrawAll()', [burn(contract, 8n), get(share, 9n)], [], 'WITHDRAW'],
  [
    'Pendle',
    'mintPyFromToken(address,address,uint256,(address,uint256,address,address,(uint8,address,bytes,bool)))',
    [give(usdc, 9n), mint(share, 8n), mint(pool, 8n)],
    [],
    'DEPOSIT',
  ],
  [
    'Pendle',
    'redeemPyToToken(address,address,uint256,(address,uint256,address,address,(uint8,address,bytes,bool)))',
    [burn(share, 8n), burn(pool, 8n), get(usdc, 9n)],
    [],
    'WITHDRAW',
  ],
  [
    'Pendle',
    'swapExactTokenForPt(address,address,uint256,(uint256,uint256,uint256,uint256,uint256),(address,uint256,address,address,(uint8,address,bytes,bool)),(address,uint256,((uint256,uint256,uint256,uint8,address,address,address,address,uint256,uint256,uint256,bytes),bytes,uint256)[],((uint256,uint256,uint256,uint8,address,address,address,address,uint256,uint256,uint256,bytes),bytes,uint256)[],bytes))',
    [give(usdc, 9n), get(share, 8n, pool)],
    [],
    'SWAP',
  ],
  [
    'Pendle',
    'redeemDueInterestAndRewards(address,address[],address[],address[])',
    [get(reward, 2n, pool)],
    [],
    'CLAIM',
  ],
  // Payouts.
  [
    'a Merkle distributor',
    'claim(uint256,address,uint256,bytes32[])',
    [get(reward, 9n), says('Claimed(uint256,address,uint256)', [], [3n, wallet, 9n])],
    [],
    'CLAIM',
  ],
  [
    'Merkl',
    'claim(address[],address[],uint256[],bytes32[][])',
    [get(reward, 9n), says('Claimed(address,address,uint256)', [wallet, reward], [9n])],
    [],
    'CLAIM',
  ],
  [
    'a vesting wallet',
    'release(address)',
    [get(reward, 9n), says('ERC20Released(address,uint256)', [reward], [9n])],
    [],
    'CLAIM',
  ],
  ['a vesting escrow', 'claim(address)', [get(reward, 9n)], [], 'CLAIM'],
  [
    'Sablier',
    'withdrawMax(uint256,address)',
    [get(reward, 9n), says('WithdrawFromLockupStream(uint256,address,address,uint128)', [3n, wallet, reward], [9n])],
    [],
    'WITHDRAW',
  ],
  ['Votium', 'claimMulti(address,(address,uint256,uint256,bytes32[])[])', [get(reward, 9n), get(dai, 2n)], [], 'CLAIM'],
  ['Hedgey', 'redeemPlans(uint256[])', [get(reward, 9n)], [], 'CLAIM'],
  // Bridges.
  [
    'Across',
    'depositV3(address,address,address,address,uint256,uint256,uint256,address,uint32,uint32,uint32,bytes)',
    [give(usdc, 9n)],
    [],
    'BRIDGEOUT',
  ],
  [
    'Stargate',
    'swap(uint16,uint256,uint256,address,uint256,uint256,(uint256,uint256,bytes),bytes,bytes)',
    [give(usdc, 9n)],
    [pays(1n)],
    'BRIDGEOUT',
  ],
  [
    'LayerZero OFT',
    'send((uint32,bytes32,uint256,uint256,bytes,bytes,bytes),(uint256,uint256),address)',
    [burn(contract, 9n), says('PacketSent(bytes,bytes,address)', [], [96n, 96n, 0n], LAYER_ZERO)],
    [pays(1n)],
    'BRIDGEOUT',
  ],
  ['CCTP', 'depositForBurn(uint256,uint32,bytes32,address)', [give(usdc, 9n)], [], 'BRIDGEOUT'],
  [
    'Arbitrum gateway',
    'outboundTransfer(address,address,uint256,uint256,uint256,bytes)',
    [give(usdc, 9n, pool)],
    [pays(1n)],
    'BRIDGEOUT',
  ],
  ['Optimism bridge', 'bridgeETHTo(address,uint32,bytes)', [], [pays(9n)], 'BRIDGEOUT'],
  ['Hop', 'sendToL2(uint256,address,uint256,uint256,uint256,address,uint256)', [give(usdc, 9n)], [], 'BRIDGEOUT'],
  ['Wormhole', 'transferTokens(address,uint256,uint16,bytes32,uint256,uint32)', [give(usdc, 9n)], [], 'BRIDGEOUT'],
  // NFTs, names, votes, settings.
  [
    'Seaport',
    'fulfillBasicOrder_efficient_6GL6yc((address,uint256,uint256,address,address,address,uint256,uint256,uint8,uint256,uint256,bytes32,uint256,bytes32,bytes32,uint256,(uint256,address)[],bytes))',
    [getNft(7n, user)],
    [pays(9n)],
    'SWAP',
  ],
  [
    'Blur',
    'execute(((address,uint8,address,address,uint256,uint256,address,uint256,uint256,uint256,(uint16,address)[],uint256,bytes),uint8,bytes32,bytes32,bytes,uint8,uint256),((address,uint8,address,address,uint256,uint256,address,uint256,uint256,uint256,(uint16,address)[],uint256,bytes),uint8,bytes32,bytes32,bytes,uint8,uint256))',
    [getNft(7n, user)],
    [pays(9n)],
    'SWAP',
  ],
  ['an NFT sale', 'mint(uint256)', [draftNftTransfer(contract, NATIVE, wallet, 7n)], [pays(9n)], 'MINT'],
  ['a free NFT', 'mint(address,uint256)', [draftNftTransfer(contract, NATIVE, wallet, 7n)], [], 'MINT'],
  [
    'ENS',
    'register(string,address,uint256,bytes32,address,bytes[],bool,uint16)',
    [getNft(7n)],
    [pays(9n), paid(1n)],
    'MINT',
  ],
  ['ENS', 'renew(string,uint256)', [], [pays(9n)], 'EXPENSE'],
  ['ENS', 'commit(bytes32)', [], [], 'INTERACTION'],
  ['Governor', 'castVote(uint256,uint8)', [], [], 'VOTE'],
  ['Governor', 'castVoteWithReason(uint256,uint8,string)', [], [], 'VOTE'],
  ['gauge votes', 'vote_for_gauge_weights(address,uint256)', [], [], 'VOTE'],
  ['ERC-20', 'approve(address,uint256)', [approves(contract, user)], [], 'APPROVAL'],
  ['ERC-20', 'increaseAllowance(address,uint256)', [approves(contract, user)], [], 'APPROVAL'],
  [
    'ERC-721',
    'setApprovalForAll(address,bool)',
    [says('ApprovalForAll(address,address,bool)', [wallet, user], [1n])],
    [],
    'APPROVAL',
  ],
  ['Permit2', 'approve(address,address,uint160,uint48)', [], [], 'APPROVAL'],
  ['WETH', 'deposit()', [wrapped(9n, wallet)], [pays(9n, weth)], 'WRAP'],
  ['wstETH', 'wrap(uint256)', [give(share, 9n), mint(contract, 8n)], [], 'WRAP'],
  ['wstETH', 'unwrap(uint256)', [burn(contract, 8n), get(share, 9n)], [], 'UNWRAP'],
  ['a migrator', 'daiToUsds(address,uint256)', [give(dai, 9n, pool), mint(usdc, 9n)], [], 'SWAP'],
  ['Gitcoin', 'donate((address,uint256,address)[])', [], [pays(9n, user)], 'DONATION'],
  ['a payroll', 'disperseToken(address,address[],uint256[])', [give(usdc, 9n, user)], [], 'TRANSFEROUT'],
  ['ERC-20', 'transfer(address,uint256)', [draftTransfer(usdc, wallet, user, 9n)], [], 'TRANSFEROUT'],
]

/** Addresses on Ethereum, by the projects' own documentation, and the protocol keys in lists and deployments. */
const PLACES: Readonly<Record<string, readonly [address: EvmAddress, ...protocols: string[]]>> = {
  'Uniswap v2': ['0x7a250d5630b4cf539739df2c5dacb4c659f2488d', 'uniswap_v2'],
  'Uniswap v3': ['0xe592427a0aece92de3edee1f18e0157c05861564', 'uniswap_v3'],
  'Uniswap v3 positions': ['0xc36442b4a4522e871399cd717abdd847ab11fe88', 'uniswap_v3'],
  'Universal Router': ['0x66a9893cc07d91d95644aedd05d03f95e1dba8af', 'uniswap_v3'],
  Curve: ['0xbebc44782c7db0a1a60cb6fe97d0b483032ff1c7', 'curve'],
  'Balancer v2': ['0xba12222222228d8ba445958a75a0704d566bf2c8', 'balancer_v2', 'balancer'],
  '1inch': ['0x1111111254eeb25477b68fb85ed929f73a960582', 'oneinch'],
  '0x': ['0xdef1c0ded9bec7f1a1670819833240f027b25eff', 'zeroex'],
  Paraswap: ['0x6a000f20005980200259b80c5102003040001068', 'paraswap'],
  Kyber: ['0x6131b5fae19ea4f9d964eac0408e4408b66337b5', 'kyberswap'],
  Odos: ['0xcf5540fffcdc3d510b18bfca6d2b9987b0772559', 'odos'],
  'CoW Protocol': ['0x9008d19f58aabd9ed0d60971565aa8510560ab41', 'cow_protocol'],
  Maverick: ['0x32aed3bce901da12ca8489788f3a99fce1056e14', 'maverick'],
  'Liquidity Book': ['0xb4315e873dbcf96ffd0acd8ea43f689d8c20fb30', 'trader_joe'],
  'Aave v2': ['0x7d2768de32b0b80b7a3454c06bdac94a69ddc7a9', 'aave_v2'],
  Spark: ['0xc13e21b648a5ee794902342038ff3adab66be987', 'spark'],
  'Aave gateway': ['0xd01607c3c5ecaba394d8be377a08590149325722', 'aave_v3'],
  'Compound v2': ['0x39aa39c021dfbae8fac545936693ac917d5e7563', 'compound_v2'],
  'Compound v2 comptroller': ['0x3d9819210a31b4961b30ef54be2aed79b9c9cd3b', 'compound_v2'],
  'Compound v3': ['0xc3d688b66703497daa19211eedff47f25384cdc3', 'compound_v3'],
  Morpho: ['0xbbbbbbbbbb9cc5e90e3b3af64bdaf62c37eeffcb', 'morpho'],
  crvUSD: ['0xa920de414ea4ab66b97da1bfe9e6eca7d4219635', 'curve'],
  Liquity: ['0x24179cd81c9e782a4096035f7ec97fb8b783e007', 'liquity'],
  'Liquity pool': ['0x66017d22b0f8556afdd19fc67041899eb65a21bb', 'liquity'],
  Maker: ['0x82ecd135dce65fbc6dbdd0e4237e0af93ffd5038', 'maker'],
  'Synthetix farm': ['0xdd80e21669a664bce83e3ad9a0d74f8dad5d9e72', 'shapeshift'],
  MasterChef: ['0xc2edad668740f1aa35e4d8f227fb8e17dca888cd', 'sushiswap', 'sushiswap_farms'],
  'MasterChef v2': ['0xef0881ec094552b2e128cf945ef17a6752b4ec5d', 'sushiswap', 'sushiswap_farms_v2'],
  'Curve gauge': ['0xbfcf63294ad7105dea65aa58f8ae5be2d9d0952a', 'curve'],
  'Curve minter': ['0xd061d61a4d941c39e5453435b6345dc261c2fce0', 'curve'],
  'vote escrow': ['0x5f3b5dfeb7b28cdbd7faba78963ee202a494e2a2', 'curve'],
  Lido: ['0xae7ab96520de3a18e5e111b5eaab095312d7fe84', 'lido'],
  'Lido queue': ['0x889edc2edab5f40e902b864ad4d7ade8e412f9b1', 'lido'],
  'Rocket Pool': ['0x2cac916b2a963bf162f076c0a8a4a8200bcfbfb4', 'rocket_pool'],
  rETH: ['0xae78736cd615f374d3085123a210448e74fc6393', 'rocket_pool'],
  EigenLayer: ['0x858646372cc42e1a627fce94aa7a7033e7cf075a', 'eigenlayer'],
  'EigenLayer delegation': ['0x39053d51b77dc0d36036fc1fcc8cb819df8ef37a', 'eigenlayer'],
  Ethena: ['0x9d39a5de30e57443bff2a8307a4256c8797a3497', 'ethena'],
  Yearn: ['0x5f18c75abdae578b483e5f43f12a39cf75b973a9', 'yearn'],
  'ERC-4626': ['0x83f20f44975d03b1b09e64809b757c47f942beea', 'sky'],
  Pendle: ['0x888888888889758f76e7103c6cbf23abbf58f946', 'pendle'],
  'a Merkle distributor': ['0x090d4613473dee047c3f2706764f49e0821d256e', 'uniswap_airdrop'],
  Merkl: ['0x3ef3d8ba38ebe18db133cec108f4d14ce00dd9ae', 'merkl'],
  Sablier: ['0xbd6a40bb904aea5a49c59050b5395f7484a4203d', 'sablier'],
  Votium: ['0x378ba9b73309be80bf4c2c027aad799766a7ed5a', 'votium'],
  Hedgey: ['0x2cde9919e81b20b4b33dd562a48a84b54c48f00c', 'hedgey'],
  Across: ['0x5c7bcd6e7de5423a257d81b442095a1a6ced35c5', 'across'],
  Stargate: ['0x8731d54e9d02c286767d56ac03e8037c07e01e98', 'stargate'],
  'LayerZero OFT': [draftAddress(0x0f7), 'layerzero'],
  CCTP: ['0xbd3fa81b58ba92a82136038b25adec7066af3155', 'cctp'],
  'Arbitrum gateway': ['0x72ce9c846789fdb6fc1f34ac4ad25dd9ef7031ef', 'arbitrum_bridge'],
  'Optimism bridge': ['0x99c9fc46f92e8a1c0dec1b1747d010903e884be1', 'optimism_bridge'],
  Hop: ['0xb8901acb165ed027e32754e0ffe830802919727f', 'hop'],
  Wormhole: ['0x3ee18b2214aff97000d974cf647e7c347e8fa585', 'wormhole'],
  Seaport: ['0x0000000000000068f116a894984e2db1123eb395', 'opensea'],
  Blur: ['0x000000000000ad05ccc4f10045630fb830b95127', 'blur'],
  ENS: ['0x253553366da8546fc250f225fe3d25d0c782303b', 'ens'],
  Governor: ['0x408ed6354d4973f66138c91495f2f2fcbd8724c3', 'uniswap'],
  'gauge votes': ['0x2f50d538606fa9edd2b11e2446beb18c9d5846bb', 'curve'],
  Permit2: ['0x000000000022d473030f116ddee9f6b43ac78ba3', 'permit2'],
  wstETH: [WSTETH, 'lido'],
  'a migrator': ['0x3225737a9bbb6473cb4a45b7244aca2befdb276a', 'sky'],
  Gitcoin: ['0x7d655c57f71464b6f83811c55d84009cd9f5221c', 'gitcoin'],
  'a payroll': ['0xd152f549545093347a162dce210e7293f1452150', 'disperse'],
}

/** Replaces the placeholder by the address of a case. */
function placed(address: EvmAddress, logs: readonly DraftLog[], native: readonly NativeTransfer[]) {
  const move = <T extends string>(text: T) => text.replaceAll(contract.slice(2), address.slice(2)) as T
  return {
    logs: logs.map((log) => ({ address: move(log.address), topics: log.topics.map(move), data: move(log.data) })),
    nativeTransfers: native.map(({ from, to, amountRaw }) => ({ from: move(from), to: move(to), amountRaw })),
  }
}

const lists = bookWith([])
const listsAndRows = bookWith(
  protocolRows
    .filter(({ chain }) => chain === 'ethereum')
    .map((row) => ({ deployment: bindProtocol(row), protocolContracts: undefined })),
)

const transactions = cases.map(([what, signature, drafts, native, type]) => {
  const [to, ...owners] = PLACES[what] ?? [contract]
  const { logs, nativeTransfers } = placed(to, drafts, native)
  const selector = toFunctionSelector(`function ${signature}`)
  const tx = draftTransaction(logs, { to, selector, calls: [{ by: wallet, to, selector }], nativeTransfers })
  return { name: `${what}: ${signature.split('(')[0]}`, owners, type, tx }
})

it('types what contracts without a row do', () => {
  const typed = transactions.map(({ name, tx }) => [name, readTransaction(tx, wallet, lists).type])
  expect(typed.length).toBeGreaterThanOrEqual(100)
  expect(typed).toEqual(transactions.map(({ name, type }) => [name, type]))
})

/** Transactions with contracts of known owners: how many, how many are named, and the contracts without a name. */
function namedBy(book: HistoryBook) {
  const owned = transactions.filter(({ owners }) => owners.length > 0)
  const read = owned.map((one) => ({ ...one, protocol: readTransaction(one.tx, wallet, book).protocol }))
  const isWrong = ({ owners, protocol }: (typeof read)[number]) => protocol !== null && !owners.includes(protocol)
  const wrong = read.filter(isWrong).map(({ name }) => name)
  const missing = read.filter(({ protocol }) => protocol === null).map(({ name }) => name.split(':')[0])
  return { count: owned.length, named: owned.length - missing.length, wrong, missing: [...new Set(missing)] }
}

it('lists name 112 of 126 contracts, and none wrongly', () => {
  const { count, named, wrong } = namedBy(lists)
  expect(wrong).toEqual([])
  expect({ count, named }).toEqual({ count: 126, named: 112 })
})

it('with the rows of the catalog all have a name, but two routers and what only nodes list', () => {
  const { wrong, missing } = namedBy(listsAndRows)
  expect(wrong).toEqual([])
  expect(missing).toEqual(['Maverick', 'Liquidity Book', 'crvUSD', 'wstETH'])
})
