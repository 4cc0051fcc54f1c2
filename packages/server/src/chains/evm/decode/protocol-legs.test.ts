import { toFunctionSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import {
  DRAFT_FEE,
  type DraftLog,
  draftAddress,
  draftLog,
  draftNative,
  draftNftTransfer,
  draftTransaction,
  draftTransfer,
  draftWallet,
} from '../../../../test/draft-transaction.ts'
import { type EvmAddress, evmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { ChainTransaction } from '../../../domain/transaction.ts'
import type { ProtocolContract } from '../protocols/adapter.ts'
import { bindProtocol, protocolRows } from '../protocols/protocols.ts'
import { createHistoryBook } from './book.ts'
import { bridgeRows } from './bridge-rows.ts'
import { readTransaction } from './read-transaction.ts'

const wallet = draftWallet
const other = draftAddress(0x0e)
const gateway = draftAddress(0x9a)
const usdc = draftAddress(0x10)
const weth = draftAddress(0x11)
const dai = draftAddress(0x12)
const reward = draftAddress(0x13)
const nft = draftAddress(0x14)
const unknown = draftAddress(0x15)
const aUsdc = draftAddress(0x20)
const aWeth = draftAddress(0x21)
const debtUsdc = draftAddress(0x22)
const stableUsdc = draftAddress(0x23)
const oldAUsdc = draftAddress(0x24)
const oldStableUsdc = draftAddress(0x25)
const cUsdc = draftAddress(0x30)
const cEth = draftAddress(0x31)
const comet = draftAddress(0x70)
const router = draftAddress(0x71)
const vault = draftAddress(0x40)
const pair = draftAddress(0x50)
const pool = draftAddress(0x60)
const farm = draftAddress(0x72)
const bpt = draftAddress(0x73)

function deploymentOf(key: string) {
  const row = protocolRows.find((one) => one.key === key && one.chain === 'ethereum')
  if (!row) throw new Error(`the catalog has no ${key}`)
  return bindProtocol(row)
}

const of = (address: EvmAddress, role: string, underlyings: EvmAddress[] = []): ProtocolContract => ({
  ...{ address, role, underlyings, fungible: role !== 'debt' && role !== 'manager' },
})
const uniswapV3 = protocolRows.find(({ key, chain }) => key === 'uniswap_v3' && chain === 'ethereum')
const manager = uniswapV3?.deployment['manager'] as EvmAddress
const comptroller = protocolRows.find(({ key }) => key === 'compound_v2')?.deployment['comptroller'] as EvmAddress
const lido = protocolRows.find(({ key }) => key === 'lido')?.deployment as { stEth: EvmAddress; wstEth: EvmAddress }
const balancerVault = evmAddress(`${deploymentOf('balancer').contracts[0]}`)
const across = bridgeRows.find(({ key }) => key === 'across')?.contracts['ethereum']?.[0] as EvmAddress

const book = createHistoryBook({
  chain: { key: 'ethereum', wrappedNative: weth, nativeErc20s: [] },
  rows: [
    {
      deployment: deploymentOf('aave_v3'),
      protocolContracts: [
        of(aUsdc, 'supply', [usdc]),
        of(aWeth, 'supply', [weth]),
        of(debtUsdc, 'debt', [usdc]),
        of(stableUsdc, 'debt', [usdc]),
      ],
    },
    {
      deployment: deploymentOf('aave_v2'),
      protocolContracts: [of(oldAUsdc, 'supply', [usdc]), of(oldStableUsdc, 'debt', [usdc])],
    },
    {
      deployment: deploymentOf('compound_v2'),
      protocolContracts: [of(cUsdc, 'market', [usdc]), of(cEth, 'market', [NATIVE])],
    },
    { deployment: deploymentOf('compound_v3'), protocolContracts: [of(comet, 'base', [usdc])] },
    { deployment: deploymentOf('erc4626'), protocolContracts: [of(vault, 'vault', [dai])] },
    { deployment: deploymentOf('uniswap_v2'), protocolContracts: [of(pair, 'pair', [usdc, weth])] },
    { deployment: deploymentOf('uniswap_v3'), protocolContracts: [of(manager, 'manager')] },
    {
      deployment: deploymentOf('lido'),
      protocolContracts: [of(lido.stEth, 'staked'), of(lido.wstEth, 'wrapped', [lido.stEth])],
    },
    { deployment: deploymentOf('balancer'), protocolContracts: [of(bpt, 'share', [usdc, dai])] },
    { deployment: deploymentOf('uniswap_liquidity_mining'), protocolContracts: [of(farm, 'pool', [dai, dai])] },
    { deployment: deploymentOf('spark'), protocolContracts: undefined },
  ],
  bridges: bridgeRows,
  isListed: () => true,
  isSpam: () => false,
})

const NAMES = new Map<EvmAddress, string>(
  Object.entries({
    ...{ native: NATIVE, usdc, weth, dai, reward, nft, unknown, aUsdc, aWeth, debtUsdc, stableUsdc, oldAUsdc, bpt },
    ...{ oldStableUsdc, cUsdc, cEth, comet, vault, pair, manager, farm, stEth: lido.stEth, wstEth: lido.wstEth },
  }).map(([name, address]) => [address, name]),
)

const minted = (address: EvmAddress, to: EvmAddress, value: bigint, interest: bigint): DraftLog[] => [
  draftTransfer(address, NATIVE, to, value),
  draftLog(address, 'Mint(address,address,uint256,uint256,uint256)', [gateway, to], [value, interest, 10n ** 27n]),
]
const burned = (address: EvmAddress, from: EvmAddress, value: bigint, interest: bigint): DraftLog[] => [
  draftTransfer(address, from, NATIVE, value),
  draftLog(address, 'Burn(address,address,uint256,uint256,uint256)', [from, gateway], [value, interest, 10n ** 27n]),
]
const poolEvent = (event: string, owner: EvmAddress, data: readonly (EvmAddress | bigint)[]) =>
  draftLog(pool, event, [owner, 100n, 200n], data)
const managerEvent = (name: string, id: bigint, data: readonly (EvmAddress | bigint)[]) =>
  draftLog(manager, name, [id], data)
const POOL_MINT = 'Mint(address,address,int24,int24,uint128,uint256,uint256)'
const POOL_BURN = 'Burn(address,int24,int24,uint128,uint256,uint256)'
const POOL_COLLECT = 'Collect(address,address,int24,int24,uint128,uint128)'
const DECREASE = 'DecreaseLiquidity(uint256,uint128,uint256,uint256)'
const COLLECT = 'Collect(uint256,address,uint256,uint256)'
const INCREASE = 'IncreaseLiquidity(uint256,uint128,uint256,uint256)'

const free = { feeRaw: 0n }
const byOther = { from: other, feeRaw: 0n }
const calls = (signature: string) => ({ ...free, selector: toFunctionSelector(signature) })

/** Type, protocol, and each movement as `leg treatment amount token`. */
function read(tx: ChainTransaction): string[] {
  const { type, protocol, movements } = readTransaction(tx, wallet, book)
  return [
    `${type} ${protocol}`,
    ...movements.map(
      ({ leg, treatment, amountRaw, token, debt }) =>
        `${leg} ${treatment} ${amountRaw} ${NAMES.get(evmAddress(token)) ?? token}${debt ? ' owed' : ''}`,
    ),
  ]
}

type Case = [name: string, logs: DraftLog[], facts: Partial<ChainTransaction>, expected: string[]]
const check = (_: string, logs: DraftLog[], facts: Partial<ChainTransaction>, expected: string[]) =>
  expect(read(draftTransaction(logs, facts))).toEqual(expected)

describe('lending', () => {
  it.each<Case>([
    [
      'through a gateway, of the native coin, with interest settled on the way',
      minted(aWeth, wallet, 105n, 5n),
      { ...free, to: gateway, nativeTransfers: [draftNative(wallet, gateway, 100n)] },
      ['LEND aave_v3', '0 move -100 native', '0 move 100 aWeth'],
    ],
    [
      'taken back through a gateway',
      [
        draftTransfer(aWeth, NATIVE, wallet, 7n),
        draftLog(aWeth, 'Mint(address,address,uint256,uint256,uint256)', [gateway, wallet], [7n, 7n, 1n]),
        draftTransfer(aWeth, wallet, gateway, 60n),
        ...burned(aWeth, gateway, 60n, 0n),
      ],
      { ...free, to: gateway, nativeTransfers: [draftNative(gateway, wallet, 60n)] },
      ['WITHDRAW aave_v3', '0 move -60 aWeth', '0 move 60 native'],
    ],
    [
      'of which less than its interest is taken back',
      [...minted(aUsdc, wallet, 2n, 5n), draftTransfer(usdc, aUsdc, wallet, 3n)],
      free,
      ['WITHDRAW aave_v3', '0 move -3 aUsdc', '0 move 3 usdc'],
    ],
    ['for another wallet', minted(aUsdc, wallet, 100n, 0n), byOther, ['LEND aave_v3', '0 acquire 100 aUsdc']],
    [
      'of what another wallet sends: interest of the sender is not lent by it',
      [...minted(aUsdc, other, 3n, 3n), ...minted(aUsdc, wallet, 2n, 2n), draftTransfer(aUsdc, other, wallet, 1n)],
      byOther,
      ['TRANSFERIN null', '0 acquire 1 aUsdc'],
    ],
    [
      'sold at an exchange is a token like any other',
      [draftTransfer(aUsdc, wallet, unknown, 50n), draftTransfer(dai, unknown, wallet, 49n)],
      free,
      ['SWAP null', '0 swap -50 aUsdc', '0 swap 49 dai'],
    ],
    [
      'moved from one version to the next',
      [
        draftTransfer(oldAUsdc, wallet, gateway, 80n),
        draftTransfer(oldAUsdc, gateway, NATIVE, 80n),
        ...minted(aUsdc, wallet, 80n, 0n),
      ],
      { ...free, to: gateway },
      ['LEND aave_v3', '0 move -80 oldAUsdc', '0 move 80 aUsdc'],
    ],
    [
      'with a reward beside it',
      [
        ...burned(aUsdc, wallet, 40n, 10n),
        draftTransfer(usdc, aUsdc, wallet, 50n),
        draftTransfer(reward, unknown, wallet, 4n),
      ],
      free,
      ['WITHDRAW aave_v3', '0 move -50 aUsdc', '0 move 50 usdc', '1 income 4 reward'],
    ],
  ])('%s', check)
})

describe('debts', () => {
  const stableMint = (address: EvmAddress, amount: bigint, interest: bigint) =>
    draftLog(
      address,
      'Mint(address,address,uint256,uint256,uint256,uint256,uint256,uint256)',
      [wallet, wallet],
      [amount, 0n, interest, 0n, 0n, 0n],
    )
  const stableBurn = (address: EvmAddress, amount: bigint, interest: bigint) =>
    draftLog(address, 'Burn(address,uint256,uint256,uint256,uint256,uint256)', [wallet], [amount, 0n, interest, 0n, 0n])

  it.each<Case>([
    [
      'at a stable rate of v3: transfers include interest',
      [
        draftTransfer(stableUsdc, NATIVE, wallet, 103n),
        stableMint(stableUsdc, 103n, 3n),
        draftTransfer(usdc, aUsdc, wallet, 100n),
      ],
      free,
      ['BORROW aave_v3', '0 borrow 100 stableUsdc owed', '0 borrow 100 usdc'],
    ],
    [
      'at a stable rate of v3, repaid',
      [
        draftTransfer(stableUsdc, wallet, NATIVE, 96n),
        stableBurn(stableUsdc, 96n, 4n),
        draftTransfer(usdc, wallet, aUsdc, 100n),
      ],
      free,
      ['REPAYVAULT aave_v3', '0 repay -100 stableUsdc owed', '0 repay -100 usdc'],
    ],
    [
      'at a stable rate of v2: transfers are the amount',
      [
        draftTransfer(oldStableUsdc, NATIVE, wallet, 100n),
        stableMint(oldStableUsdc, 100n, 3n),
        draftTransfer(usdc, oldAUsdc, wallet, 100n),
      ],
      free,
      ['BORROW aave_v2', '0 borrow 100 oldStableUsdc owed', '0 borrow 100 usdc'],
    ],
    [
      'repaid with what is lent',
      [...burned(debtUsdc, wallet, 20n, 0n), ...burned(aUsdc, wallet, 15n, 5n)],
      free,
      ['REPAYVAULT aave_v3', '0 repay -20 debtUsdc owed', '0 repay -20 aUsdc'],
    ],
    [
      'repaid and lent at once: each takes what it is',
      [
        ...burned(debtUsdc, wallet, 20n, 0n),
        draftTransfer(usdc, wallet, gateway, 50n),
        ...minted(aUsdc, wallet, 30n, 0n),
      ],
      { ...free, to: gateway },
      ['MULTITYPE aave_v3', '0 repay -20 debtUsdc owed', '0 repay -20 usdc', '1 move -30 usdc', '1 move 30 aUsdc'],
    ],
    [
      'repaid by somebody else',
      [...burned(debtUsdc, wallet, 20n, 0n), draftTransfer(usdc, other, aUsdc, 20n)],
      byOther,
      ['REPAYVAULT aave_v3', '0 repay -20 debtUsdc owed'],
    ],
    [
      'liquidated: collateral pays, the fee of the market included',
      [
        ...burned(debtUsdc, wallet, 20n, 0n),
        ...burned(aWeth, wallet, 8n, 2n),
        draftTransfer(aWeth, wallet, unknown, 1n),
        draftTransfer(weth, aWeth, other, 10n),
      ],
      byOther,
      ['REPAYVAULT aave_v3', '0 repay -20 debtUsdc owed', '0 repay -10 aWeth', '0 repay -1 aWeth'],
    ],
    [
      'taken and swapped at once',
      [
        ...minted(debtUsdc, wallet, 20n, 0n),
        draftTransfer(usdc, aUsdc, wallet, 20n),
        draftTransfer(reward, wallet, unknown, 5n),
        draftTransfer(dai, unknown, wallet, 6n),
      ],
      free,
      ['MULTITYPE aave_v3', '0 borrow 20 debtUsdc owed', '0 borrow 20 usdc', '1 swap -5 reward', '1 swap 6 dai'],
    ],
    [
      'of Compound v2, repaid for the native coin, of which some comes back',
      [draftLog(cEth, 'RepayBorrow(address,address,uint256,uint256,uint256)', [], [gateway, wallet, 70n, 0n, 0n])],
      { ...free, to: gateway, nativeTransfers: [draftNative(wallet, gateway, 75n), draftNative(gateway, wallet, 5n)] },
      ['REPAYVAULT compound_v2', '0 repay -70 native'],
    ],
    [
      'of Compound v2, liquidated',
      [
        draftTransfer(usdc, other, cUsdc, 40n),
        draftLog(cUsdc, 'RepayBorrow(address,address,uint256,uint256,uint256)', [], [other, wallet, 40n, 0n, 0n]),
        draftTransfer(cEth, wallet, other, 9n),
        draftLog(cUsdc, 'LiquidateBorrow(address,address,uint256,address,uint256)', [], [other, wallet, 40n, cEth, 9n]),
      ],
      byOther,
      ['REPAYVAULT compound_v2', '0 repay -9 cEth'],
    ],
    [
      'of others on Compound v2 are none of the wallet',
      [
        draftTransfer(usdc, wallet, cUsdc, 40n),
        draftLog(cUsdc, 'RepayBorrow(address,address,uint256,uint256,uint256)', [], [wallet, other, 40n, 0n, 0n]),
        draftTransfer(cEth, other, wallet, 9n),
        draftLog(cUsdc, 'LiquidateBorrow(address,address,uint256,address,uint256)', [], [wallet, other, 40n, cEth, 9n]),
      ],
      free,
      ['SWAP compound_v2', '0 swap -40 usdc', '0 swap 9 cEth'],
    ],
    [
      'of Compound v2 in a log cut short are none',
      [draftLog(cEth, 'Borrow(address,uint256,uint256,uint256)', [], [wallet])],
      free,
      ['INTERACTION null'],
    ],
  ])('%s', check)
})

describe('accounts of Compound v3', () => {
  const event = (name: string, indexed: readonly EvmAddress[], amount: bigint) =>
    draftLog(comet, `${name}(${indexed.map(() => 'address').join(',')},uint256)`, indexed, [amount])
  const supplied = (to: EvmAddress, amount: bigint) => draftTransfer(comet, NATIVE, to, amount)
  const withdrawn = (from: EvmAddress, amount: bigint) => draftTransfer(comet, from, NATIVE, amount)
  const named = 'comet'

  it.each<Case>([
    [
      'supplied with two units lost to rounding are lent, not repaid',
      [draftTransfer(usdc, wallet, comet, 100n), event('Supply', [wallet, wallet], 100n), supplied(wallet, 98n)],
      free,
      ['LEND compound_v3', '0 move -100 usdc', '0 move 98 comet'],
    ],
    [
      'supplied by a router, in part for the debt',
      [
        draftTransfer(usdc, wallet, router, 100n),
        draftTransfer(usdc, router, comet, 100n),
        event('Supply', [router, wallet], 100n),
        supplied(wallet, 60n),
      ],
      { ...free, to: router },
      [
        ...['MULTITYPE compound_v3', '0 repay -40 usdc', `0 repay 0 ${named}`],
        ...['1 move -60 usdc', '1 move 60 comet'],
      ],
    ],
    [
      'withdrawn beyond what is lent: the rest is borrowed',
      [draftTransfer(usdc, comet, wallet, 90n), event('Withdraw', [wallet, wallet], 90n), withdrawn(wallet, 30n)],
      free,
      [
        ...['MULTITYPE compound_v3', '0 borrow 60 usdc', `0 borrow 0 ${named}`],
        ...['1 move 30 usdc', '1 move -30 comet'],
      ],
    ],
    [
      'with collateral beside a trade of the same token: the market itself comes first',
      [
        draftTransfer(weth, wallet, unknown, 5n),
        draftTransfer(dai, unknown, wallet, 6n),
        draftTransfer(weth, wallet, comet, 7n),
        event('SupplyCollateral', [wallet, wallet, weth], 7n),
      ],
      free,
      ['MULTITYPE compound_v3', '1 swap -5 weth', '1 swap 6 dai', '0 move -7 weth', `0 move 0 ${named}`],
    ],
    [
      'with collateral that a router wraps: no more than is logged',
      [event('SupplyCollateral', [router, wallet, weth], 7n)],
      { ...free, to: router, nativeTransfers: [draftNative(wallet, router, 8n)] },
      ['DEPOSIT compound_v3', '0 move -7 native', `0 move 0 ${named}`, '1 send -1 native'],
    ],
    [
      'with collateral taken out through a router, which keeps a part',
      [event('WithdrawCollateral', [wallet, router, dai], 9n), draftTransfer(dai, router, wallet, 8n)],
      { ...free, to: router },
      ['WITHDRAW compound_v3', '0 move 8 dai', `0 move 0 ${named}`],
    ],
    [
      'of another wallet, for which this one pays, are not its own',
      [draftTransfer(dai, wallet, comet, 9n), event('SupplyCollateral', [wallet, other, dai], 9n)],
      free,
      ['TRANSFEROUT null', '0 send -9 dai'],
    ],
    [
      'to which another pays collateral move nothing',
      [draftTransfer(dai, other, comet, 9n), event('SupplyCollateral', [other, wallet, dai], 9n)],
      byOther,
      ['INTERACTION null'],
    ],
    [
      'whose debt another repays',
      [draftTransfer(usdc, other, comet, 9n), event('Supply', [other, wallet], 9n)],
      byOther,
      ['REPAYVAULT compound_v3'],
    ],
    [
      'absorbed, with something left',
      [
        draftLog(comet, 'AbsorbCollateral(address,address,address,uint256,uint256)', [other, wallet, weth], [9n, 9n]),
        draftLog(comet, 'AbsorbDebt(address,address,uint256,uint256)', [other, wallet], [70n, 70n]),
        supplied(wallet, 20n),
      ],
      byOther,
      ['REPAYVAULT compound_v3', '0 repay 0 comet', '0 repay 20 comet'],
    ],
    [
      'of which one is absorbed, and the other pays',
      [draftLog(comet, 'AbsorbDebt(address,address,uint256,uint256)', [wallet, other], [70n, 70n])],
      free,
      ['INTERACTION null'],
    ],
    [
      'that pass on what is lent',
      [withdrawn(wallet, 30n), supplied(other, 29n)],
      free,
      ['TRANSFEROUT null', '0 send -30 comet'],
    ],
    [
      'that pass on what is lent to one who owes it: nothing is minted',
      [withdrawn(wallet, 30n)],
      free,
      ['TRANSFEROUT null', '0 send -30 comet'],
    ],
    [
      'that are passed something',
      [withdrawn(other, 30n), supplied(wallet, 29n)],
      byOther,
      [...['TRANSFERIN null', '0 acquire 29 comet']],
    ],
    [
      'by logs that are cut short say nothing',
      [
        draftLog(comet, 'SupplyCollateral(address,address,address,uint256)', [wallet, wallet], []),
        draftLog(comet, 'Supply(address,address,uint256)', [wallet, wallet], []),
        draftLog(comet, 'AbsorbDebt(address,address,uint256,uint256)', [other], []),
        draftTransfer(dai, wallet, other, 9n),
      ],
      free,
      ['TRANSFEROUT null', '0 send -9 dai'],
    ],
    [
      'by a contract that is no market say nothing',
      [
        draftLog(unknown, 'SupplyCollateral(address,address,address,uint256)', [wallet, wallet, dai], [9n]),
        draftTransfer(dai, wallet, unknown, 9n),
      ],
      free,
      ['TRANSFEROUT null', '0 send -9 dai'],
    ],
  ])('%s', check)
})

describe('rewards', () => {
  it.each<Case>([
    [
      'paid by the comptroller',
      [draftTransfer(reward, comptroller, wallet, 4n)],
      byOther,
      ['CLAIM compound_v2', '0 income 4 reward'],
    ],
    [
      'by the name of the function, where no protocol is known',
      [draftTransfer(reward, unknown, wallet, 4n)],
      calls('function getReward()'),
      ['CLAIM null', '0 income 4 reward'],
    ],
    [
      'by a name that somebody else called',
      [draftTransfer(reward, unknown, wallet, 4n)],
      { ...byOther, selector: toFunctionSelector('function getReward()') },
      ['TRANSFERIN null', '0 acquire 4 reward'],
    ],
  ])('%s', check)
})

describe('vaults and pools', () => {
  it.each<Case>([
    [
      'a vault entered with another coin',
      [
        draftTransfer(usdc, wallet, gateway, 10n),
        draftTransfer(vault, NATIVE, gateway, 9n),
        draftTransfer(vault, gateway, wallet, 9n),
      ],
      { ...free, to: gateway },
      ['DEPOSIT erc4626', '0 swap -10 usdc', '0 swap 9 vault'],
    ],
    [
      'a pool entered with the native coin, of which some comes back',
      [draftTransfer(usdc, wallet, pair, 10n), draftTransfer(pair, NATIVE, wallet, 3n)],
      { ...free, nativeTransfers: [draftNative(wallet, gateway, 9n), draftNative(gateway, wallet, 2n)] },
      ['ADDLIQUIDITY uniswap_v2', '0 move -7 native', '0 move -10 usdc', '0 move 3 pair'],
    ],
    [
      'a pool left for both coins',
      [
        draftTransfer(pair, wallet, pair, 3n),
        draftTransfer(pair, pair, NATIVE, 3n),
        draftTransfer(usdc, pair, gateway, 10n),
        draftTransfer(usdc, gateway, wallet, 10n),
      ],
      { ...free, to: gateway, nativeTransfers: [draftNative(gateway, wallet, 7n)] },
      ['REMOVELIQUIDITY uniswap_v2', '0 move -3 pair', '0 move 10 usdc', '0 move 7 native'],
    ],
    [
      'ether for wrapped stETH at once',
      [draftTransfer(lido.stEth, NATIVE, lido.wstEth, 5n), draftTransfer(lido.wstEth, NATIVE, wallet, 4n)],
      { ...free, to: lido.wstEth, nativeTransfers: [draftNative(wallet, lido.wstEth, 5n)] },
      ['STAKE lido', '0 move -5 native', '0 move 4 wstEth'],
    ],
    [
      'wrapped ether unwrapped by a router',
      [draftTransfer(weth, wallet, gateway, 5n), draftLog(weth, 'Withdrawal(address,uint256)', [gateway], [5n])],
      { ...free, to: gateway, nativeTransfers: [draftNative(gateway, wallet, 5n)] },
      ['UNWRAP null', '0 move -5 weth', '0 move 5 native'],
    ],
    [
      'wrapped ether sold for ether',
      [draftTransfer(weth, wallet, gateway, 5n), draftLog(weth, 'Withdrawal(address,uint256)', [other], [5n])],
      { ...free, to: gateway, nativeTransfers: [draftNative(gateway, wallet, 5n)] },
      ['SWAP null', '0 swap -5 weth', '0 swap 5 native'],
    ],
    [
      'stETH sold for ether',
      [draftTransfer(lido.stEth, wallet, unknown, 5n)],
      { ...free, nativeTransfers: [draftNative(unknown, wallet, 5n)] },
      ['SWAP null', '0 swap -5 stEth', '0 swap 5 native'],
    ],
    [
      'units ended for nothing yet: their cost waits',
      [draftTransfer(vault, wallet, NATIVE, 9n)],
      { ...calls('function cooldownShares(uint256)'), to: vault },
      ['WITHDRAW erc4626', '0 move -9 vault'],
    ],
    [
      'what was waited for: of the same protocol',
      [draftTransfer(dai, unknown, wallet, 10n)],
      { ...calls('function unstake(address)'), to: vault },
      ['UNSTAKE erc4626', '0 move 10 dai'],
    ],
    [
      'stETH given for a claim to ether',
      [draftTransfer(lido.stEth, wallet, unknown, 5n), draftNftTransfer(nft, NATIVE, wallet, 77n)],
      { ...calls('function requestWithdrawals(uint256[],address)'), to: unknown },
      ['UNSTAKE null', '0 move -5 stEth', '0 move 1 nft'],
    ],
  ])('%s', check)
})

describe('NFTs of Uniswap v3', () => {
  const collected = (to: EvmAddress, amounts: readonly [bigint, bigint], poked: boolean): DraftLog[] => [
    ...(poked ? [poolEvent(POOL_BURN, manager, [0n, 0n, 0n])] : []),
    ...(amounts[0] > 0n ? [draftTransfer(usdc, pool, to, amounts[0])] : []),
    ...(amounts[1] > 0n ? [draftTransfer(weth, pool, to, amounts[1])] : []),
    poolEvent(POOL_COLLECT, manager, [to, ...amounts]),
    managerEvent(COLLECT, 7n, [to, ...amounts]),
  ]
  const decreased = (amounts: readonly [bigint, bigint]): DraftLog[] => [
    poolEvent(POOL_BURN, manager, [500n, ...amounts]),
    managerEvent(DECREASE, 7n, [500n, ...amounts]),
  ]
  const toManager = { ...free, to: manager }

  it.each<Case>([
    [
      'made with native coin, of which some comes back',
      [
        draftTransfer(usdc, wallet, pool, 10n),
        draftLog(weth, 'Deposit(address,uint256)', [manager], [4n]),
        draftTransfer(weth, manager, pool, 4n),
        poolEvent(POOL_MINT, manager, [manager, 500n, 10n, 4n]),
        draftNftTransfer(manager, NATIVE, wallet, 7n),
        managerEvent(INCREASE, 7n, [500n, 10n, 4n]),
      ],
      { ...toManager, nativeTransfers: [draftNative(wallet, manager, 6n), draftNative(manager, wallet, 2n)] },
      ['ADDLIQUIDITY uniswap_v3', '0 move -4 native', '0 move -10 usdc', '0 move 1 manager'],
    ],
    [
      'whose principal and fees come back as native coin and a token',
      [...decreased([10n, 4n]), ...collected(manager, [13n, 5n], true), draftTransfer(usdc, manager, wallet, 13n)],
      { ...toManager, nativeTransfers: [draftNative(manager, wallet, 5n)] },
      [
        'REMOVELIQUIDITY uniswap_v3',
        '0 move 10 usdc',
        '1 income 3 usdc',
        '0 move 4 native',
        '0 move 0 manager',
        '1 income 1 native',
      ],
    ],
    [
      'whose fees are of one token alone',
      collected(wallet, [0n, 5n], true),
      toManager,
      ['COLLECT uniswap_v3', '0 income 5 weth'],
    ],
    [
      'out of range, whose principal is of one token alone',
      [...decreased([0n, 9n]), ...collected(wallet, [0n, 9n], true)],
      toManager,
      ['REMOVELIQUIDITY uniswap_v3', '0 move 9 weth', '0 move 0 manager'],
    ],
    ['whose liquidity waits at the manager', decreased([10n, 4n]), toManager, ['REMOVELIQUIDITY uniswap_v3']],
    [
      'drained before: what waited is principal',
      collected(wallet, [10n, 4n], false),
      toManager,
      ['REMOVELIQUIDITY uniswap_v3', '0 move 10 usdc', '0 move 4 weth', '0 move 0 manager'],
    ],
    [
      "of a vault that takes the wallet in are not the wallet's",
      [
        draftTransfer(usdc, wallet, unknown, 10n),
        draftTransfer(usdc, unknown, pool, 10n),
        poolEvent(POOL_MINT, manager, [manager, 500n, 10n, 0n]),
        managerEvent(INCREASE, 7n, [500n, 10n, 0n]),
        draftTransfer(reward, NATIVE, wallet, 3n),
      ],
      { ...calls('function deposit(uint256,address)'), to: unknown },
      ['DEPOSIT null', '0 move -10 usdc', '0 move 3 reward'],
    ],
    [
      'sent to another wallet',
      [draftNftTransfer(manager, wallet, other, 7n)],
      toManager,
      ['TRANSFEROUT null', '0 send -1 manager'],
    ],
  ])('%s', check)
})

describe('bridges', () => {
  it.each<Case>([
    [
      'left for, with a fee in the native coin',
      [draftTransfer(usdc, wallet, across, 50n)],
      { ...free, to: across, nativeTransfers: [draftNative(wallet, across, 2n)] },
      ['BRIDGEOUT across', '1 send -2 native', '0 bridge -50 usdc'],
    ],
    [
      'left for through somebody else',
      [
        draftTransfer(usdc, wallet, gateway, 50n),
        draftTransfer(usdc, gateway, across, 50n),
        draftLog(across, 'FundsDeposited(uint256)', [], [1n]),
      ],
      { ...free, to: gateway },
      ['BRIDGEOUT across', '0 bridge -50 usdc'],
    ],
    [
      'come from with native coin',
      [],
      { ...byOther, to: across, nativeTransfers: [draftNative(across, wallet, 9n)] },
      ['BRIDGEIN across', '0 bridge 9 native'],
    ],
    [
      'that swap on one chain',
      [draftTransfer(usdc, wallet, across, 50n), draftTransfer(dai, across, wallet, 49n)],
      { ...free, to: across },
      ['SWAP across', '0 swap -50 usdc', '0 swap 49 dai'],
    ],
  ])('%s', check)
})

describe('what only a name tells', () => {
  it.each<Case>([
    [
      'a stake with a contract nobody knows',
      [draftTransfer(usdc, wallet, unknown, 5n)],
      calls('function stake(uint256)'),
      ['STAKE null', '0 move -5 usdc'],
    ],
    [
      'a deposit that pays out what was earned',
      [draftTransfer(usdc, wallet, unknown, 5n), draftTransfer(reward, unknown, wallet, 2n)],
      calls('function deposit(uint256,uint256)'),
      ['DEPOSIT null', '0 move -5 usdc', '1 income 2 reward'],
    ],
    [
      'a deposit for a receipt nobody knows',
      [draftTransfer(usdc, wallet, unknown, 5n), draftTransfer(reward, NATIVE, wallet, 4n)],
      calls('function deposit(uint256)'),
      ['DEPOSIT null', '0 move -5 usdc', '0 move 4 reward'],
    ],
    [
      'a receipt nobody knows, given back',
      [draftTransfer(reward, wallet, NATIVE, 4n), draftTransfer(usdc, unknown, wallet, 5n)],
      calls('function redeem(uint256)'),
      ['WITHDRAW null', '0 move -4 reward', '0 move 5 usdc'],
    ],
    [
      'a withdrawal',
      [draftTransfer(usdc, unknown, wallet, 5n)],
      calls('function unstake(uint256)'),
      ['UNSTAKE null', '0 move 5 usdc'],
    ],
    [
      'a donation',
      [],
      { ...calls('function donate()'), nativeTransfers: [draftNative(wallet, unknown, 5n)] },
      ['DONATION null', '0 send -5 native'],
    ],
    ['a vote', [], calls('function castVote(uint256,uint8)'), ['VOTE null']],
    ['a signature', [], calls('function approveHash(bytes32)'), ['SIGN null']],
    ['nothing that is known', [], { ...free, to: manager }, ['INTERACTION uniswap_v3']],
  ])('%s', check)
})

it('gas is a leg of its own, the last', () => {
  const tx = draftTransaction(minted(aUsdc, wallet, 100n, 0n), { to: gateway })
  expect(read(tx)).toEqual(['LEND aave_v3', '0 move 100 aUsdc', `1 fee -${DRAFT_FEE} native`])
})

it('the book tells what rebases', () => {
  const rebasing = [aUsdc, debtUsdc, oldAUsdc, comet, lido.stEth]
  for (const token of NAMES.keys())
    expect(book.isRebasing(token), NAMES.get(token)).toBe(
      rebasing.includes(token) || [aWeth, stableUsdc, oldStableUsdc].includes(token),
    )
})

describe('a farm that issues no token', () => {
  const farms = 'uniswap_liquidity_mining'
  const said = (event: 'Staked' | 'Withdrawn' | 'RewardPaid', account: EvmAddress, amount: bigint) =>
    draftLog(farm, `${event}(address,uint256)`, [account], [amount])
  it.each<Case>([
    [
      'pays the stake and a reward of the same token and size',
      [
        draftTransfer(dai, farm, wallet, 100n),
        said('Withdrawn', wallet, 100n),
        draftTransfer(dai, farm, wallet, 100n),
        said('RewardPaid', wallet, 100n),
      ],
      free,
      [`UNSTAKE ${farms}`, '0 move 100 dai', '0 move 0 farm', '1 income 100 dai'],
    ],
    [
      'takes a reward in again at once',
      [
        draftTransfer(dai, farm, wallet, 7n),
        said('RewardPaid', wallet, 7n),
        draftTransfer(dai, wallet, farm, 7n),
        said('Staked', wallet, 7n),
      ],
      free,
      [`STAKE ${farms}`, '0 income 7 dai', '1 move -7 dai', '1 move 0 farm'],
    ],
    [
      'takes the stake of a wallet whose transaction somebody else sent',
      [draftTransfer(dai, wallet, farm, 50n), said('Staked', wallet, 50n)],
      byOther,
      [`STAKE ${farms}`, '0 move -50 dai', '0 move 0 farm'],
    ],
    [
      'takes a stake of another account, which is sent to it',
      [draftTransfer(dai, wallet, farm, 50n), said('Staked', other, 50n)],
      free,
      ['TRANSFEROUT null', '0 send -50 dai'],
    ],
    [
      'takes a stake through another contract',
      [draftTransfer(dai, wallet, other, 50n), said('Staked', wallet, 50n)],
      free,
      [`STAKE ${farms}`, '0 move -50 dai', '0 move 0 farm'],
    ],
  ])('%s', check)
})

describe('a share that its pool minted for itself and trades with the vault', () => {
  /** A pool ID begins with the pool's address. */
  const idOf = (address: EvmAddress) => BigInt(address) << 96n
  const trade = (poolOf: EvmAddress, assetIn: EvmAddress, assetOut: EvmAddress) =>
    draftLog(
      balancerVault,
      'Swap(bytes32,address,address,uint256,uint256)',
      [idOf(poolOf), assetIn, assetOut],
      [50n, 49n],
    )
  const paid = draftTransfer(usdc, wallet, balancerVault, 50n)

  it.each<Case>([
    [
      'through a relayer',
      [
        trade(bpt, usdc, bpt),
        paid,
        draftTransfer(bpt, balancerVault, gateway, 49n),
        draftTransfer(bpt, gateway, wallet, 49n),
      ],
      { ...free, to: gateway },
      ['ADDLIQUIDITY balancer', '0 move -50 usdc', '0 move 49 bpt'],
    ],
    [
      'given back',
      [
        trade(bpt, bpt, usdc),
        draftTransfer(bpt, wallet, balancerVault, 50n),
        draftTransfer(usdc, balancerVault, wallet, 49n),
      ],
      { ...free, to: balancerVault },
      ['REMOVELIQUIDITY balancer', '0 move -50 bpt', '0 move 49 usdc'],
    ],
    [
      'bought in another pool is a token like any other',
      [trade(unknown, usdc, bpt), paid, draftTransfer(bpt, balancerVault, wallet, 49n)],
      { ...free, to: balancerVault },
      ['SWAP balancer', '0 swap -50 usdc', '0 swap 49 bpt'],
    ],
    [
      'by the word of another contract is a token like any other',
      [{ ...trade(bpt, usdc, bpt), address: unknown }, paid, draftTransfer(bpt, balancerVault, wallet, 49n)],
      { ...free, to: balancerVault },
      ['SWAP balancer', '0 swap -50 usdc', '0 swap 49 bpt'],
    ],
  ])('%s', check)
})
