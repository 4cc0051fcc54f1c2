import {
  addresses,
  type EulerStep,
  eulerAccount,
  eulerVaults,
  marketId,
  morphoMarkets,
  morphoVaults,
} from '@coffer/devnet'
import { type Address, encodeFunctionData, maxUint256, parseAbi, parseEther, parseUnits, zeroAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { bookedCosts } from '../../../../test/booked-costs.ts'
import { type HistoryBench, openHistoryBench } from '../../../../test/history-bench.ts'
import { seededRandom } from '../../../../test/random.ts'
import { evmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../domain/transaction.ts'

const at = addresses.ethereum
const { weth, usdc, dai } = at.tokens

const abi = parseAbi([
  'function deposit() payable',
  'function withdraw(uint256 wad)',
  'function submit(address referral) payable returns (uint256)',
  'function getReserveTokensAddresses(address asset) view returns (address aToken, address stableDebt, address variableDebt)',
  'function multicall(bytes[] data) payable returns (bytes[] results)',
  'function claimVenus(address holder)',
])

let bench: HistoryBench
let silo: Address
let nextWallet = 0xfeed_0000

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'))
  silo = await actions().ethena.silo()
})
afterAll(() => bench?.stop())

const actions = () => bench.chain.actions
const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`

const summary = (transactions: readonly WalletTransaction[]) =>
  transactions
    .filter(({ type }) => type !== 'APPROVAL')
    .map(({ type, protocol, movements }) => [
      type,
      protocol,
      ...movements.map(
        ({ token, amountRaw, leg, treatment }) => `${leg} ${treatment} ${signOf(amountRaw)}${nameOf(token)}`,
      ),
    ])

function signOf(amountRaw: bigint): string {
  if (amountRaw === 0n) return ''
  return amountRaw < 0n ? '-' : '+'
}

function nameOf(token: string): string {
  const named = {
    native: NATIVE,
    ...at.tokens,
    ...at.lido,
    ...at.ethena,
    ...at.safetyModule,
    silo,
    ...at.compoundV2.markets,
    vault: at.local.vault,
  }
  const rewards = { xvs: at.compoundV2.rewardToken, comp: at.compoundV3.rewardToken, cake: at.pancakeV3.cake }
  const comets = {
    cusdcv3: at.compoundV3.comets.usdc,
    cwethv3: at.compoundV3.comets.weth,
    farm: at.stakingRewards.usdcWeth,
    ...{ blue: at.morpho.blue, mvusdc: morphoVaults().first, mvv2: morphoVaults().second },
    ...{ evc: at.euler.evc, eusdc: eulerVaults().usdc, eweth: eulerVaults().weth, earn: eulerVaults().earn },
  }
  const plain = Object.entries({ ...named, ...rewards, ...comets }).find(([, address]) => evmAddress(address) === token)
  if (plain) return plain[0]
  const known = bench.book.protocolContractOf(evmAddress(token))
  return known
    ? `${known.protocolContract.role} of ${known.protocolContract.underlyings.map(nameOf).join(' ')}`.replace(
        / of $/,
        '',
      )
    : token
}

describe('native and wrapped coin', () => {
  it('sends, wraps and unwraps, with the gas of each', async () => {
    const wallet = newWallet()
    await bench.fund(wallet, parseEther('5'))
    const found = await bench.played(wallet, async () => {
      await bench.send(wallet, newWallet(), '0x', parseEther('1'))
      await bench.send(wallet, weth, encodeFunctionData({ abi, functionName: 'deposit' }), parseEther('2'))
      await bench.send(wallet, weth, encodeFunctionData({ abi, functionName: 'withdraw', args: [parseEther('0.5')] }))
      await bench.send(wallet, weth, encodeFunctionData({ abi, functionName: 'withdraw', args: [parseEther('500')] }))
      await bench.send(wallet, wallet, '0x', 7n)
    })
    expect(summary(found)).toEqual([
      ['TRANSFEROUT', null, '0 send -native', '1 fee -native'],
      ['WRAP', null, '0 move -native', '0 move +weth', '1 fee -native'],
      ['UNWRAP', null, '0 move -weth', '0 move +native', '1 fee -native'],
      ['FAILED', null, '0 fee -native'],
      ['SELFTRANSFER', null, '0 move -native', '0 move +native', '1 fee -native'],
    ])
  })

  it('receives a token and sends it on', async () => {
    const [wallet, other] = [newWallet(), newWallet()]
    const found = await bench.played(wallet, async () => {
      await actions().erc20.mint(weth, wallet, 9n)
      await actions().erc20.transfer(weth, wallet, other, 4n)
      await actions().erc20.allow(weth, wallet, other)
    })
    expect(found.map(({ type }) => type)).toEqual(['TRANSFERIN', 'TRANSFEROUT', 'APPROVAL'])
  })
})

// Precedes tests that let more time pass than the rewards last.
it('aave_v3 pays rewards', async () => {
  const wallet = newWallet()
  const [aToken] = await bench.client.readContract({
    ...{ address: at.aaveV3.dataProvider, abi, functionName: 'getReserveTokensAddresses', args: [weth] },
  } as const)
  await actions().erc20.mint(weth, wallet, parseEther('10'))
  await actions().aaveV3.supply(wallet, weth, parseEther('10'))
  await bench.chain.travel(86_400)
  const found = await bench.played(wallet, () => actions().aaveV3.claim(wallet, [aToken]))
  expect(summary(found)).toEqual([['CLAIM', 'aave_v3', '0 income +uni']])
})

describe.each([
  ['aave_v3', 'aaveV3'],
  ['aave_v2', 'aaveV2'],
] as const)('%s', (protocol, name) => {
  it('lends, borrows, repays and withdraws: principal alone', async () => {
    const wallet = newWallet()
    const market = actions()[name]
    await actions().erc20.mint(weth, wallet, parseEther('12'))
    await actions().erc20.mint(usdc, wallet, parseUnits('500', 6))
    const later = async <T>(action: Promise<T>) => {
      await action
      await bench.chain.travel(86_400 * 20)
    }
    const found = await bench.played(wallet, async () => {
      await later(market.supply(wallet, weth, parseEther('10')))
      await later(market.supply(wallet, weth, parseEther('1')))
      await later(market.borrow(wallet, usdc, parseUnits('1000', 6)))
      await later(market.borrow(wallet, usdc, parseUnits('100', 6)))
      await later(market.repay(wallet, usdc, parseUnits('50', 6)))
      await later(market.withdraw(wallet, weth, parseEther('2')))
      await later(market.repay(wallet, usdc, maxUint256))
      // Less than the interest since: the contract logs it as a mint.
      await later(market.withdraw(wallet, weth, 5n))
      await market.withdraw(wallet, weth, maxUint256)
    })
    const lend = ['LEND', protocol, '0 move -weth', '0 move +supply of weth']
    const borrow = ['BORROW', protocol, '0 borrow +debt of usdc', '0 borrow +usdc']
    const repay = ['REPAYVAULT', protocol, '0 repay -debt of usdc', '0 repay -usdc']
    const withdraw = ['WITHDRAW', protocol, '0 move -supply of weth', '0 move +weth']
    expect(summary(found).map((line) => [...line.slice(0, 2), ...line.slice(2).toSorted()])).toEqual(
      [lend, lend, borrow, borrow, repay, withdraw, repay, withdraw, withdraw].map((line) => [
        ...line.slice(0, 2),
        ...line.slice(2).toSorted(),
      ]),
    )
    const principal = found
      .flatMap(({ movements }) => movements)
      .filter(({ token }) => nameOf(token) === 'supply of weth')
    expect(principal.slice(0, 4).map(({ amountRaw }) => amountRaw)).toEqual([
      parseEther('10'),
      parseEther('1'),
      -parseEther('2'),
      -5n,
    ])
    const debts = found.flatMap(({ movements }) => movements).filter(({ debt }) => debt)
    expect(debts.slice(0, 3).map(({ amountRaw }) => amountRaw)).toEqual([
      parseUnits('1000', 6),
      parseUnits('100', 6),
      -parseUnits('50', 6),
    ])
  })

  it('sends what is lent to another wallet: the amount, on both sides', async () => {
    const [wallet, other] = [newWallet(), newWallet()]
    const market = actions()[name]
    const [aToken] = await bench.client.readContract({
      ...{ address: at[name].dataProvider, abi, functionName: 'getReserveTokensAddresses', args: [weth] },
    } as const)
    for (const one of [wallet, other]) {
      await actions().erc20.mint(weth, one, parseEther('10'))
      await market.supply(one, weth, parseEther('10'))
    }
    await bench.chain.travel(86_400 * 20)
    const sender = await bench.played(wallet, () => actions().erc20.transfer(aToken, wallet, other, parseEther('3')))
    expect(summary(sender)).toEqual([['TRANSFEROUT', null, '0 send -supply of weth']])
    expect(sender[0]?.movements[0]?.amountRaw).toBe(-parseEther('3'))
    await bench.chain.travel(86_400 * 20)
    const receiver = await bench.played(other, () => actions().erc20.transfer(aToken, wallet, other, parseEther('2')))
    expect(summary(receiver)).toEqual([['TRANSFERIN', null, '0 acquire +supply of weth']])
    expect(receiver[0]?.movements[0]?.amountRaw).toBe(parseEther('2'))
  })
})

it('compound_v2 lends, borrows, repays and redeems, in tokens and in the native coin', async () => {
  const wallet = newWallet()
  const { ceth, cdai } = at.compoundV2.markets
  const { compoundV2, erc20 } = actions()
  await bench.fund(wallet, parseEther('6'))
  await erc20.mint(dai, wallet, parseEther('100'))
  const found = await bench.played(wallet, async () => {
    await compoundV2.mint(wallet, ceth, parseEther('5'))
    await compoundV2.mint(wallet, cdai, parseEther('100'))
    await compoundV2.enter(wallet, [ceth])
    await compoundV2.borrow(wallet, cdai, parseEther('40'))
    await compoundV2.borrow(wallet, ceth, parseEther('0.5'))
    await compoundV2.repay(wallet, ceth, parseEther('0.25'))
    await compoundV2.repay(wallet, cdai, parseEther('10'))
    await compoundV2.redeem(wallet, ceth, 10n ** 8n)
    await compoundV2.redeem(wallet, cdai, 10n ** 8n)
    await bench.chain.write({
      from: wallet,
      address: at.compoundV2.comptroller,
      abi,
      functionName: 'claimVenus',
      args: [wallet],
    })
  })
  expect(summary(found)).toEqual([
    ['LEND', 'compound_v2', '0 move -native', '0 move +ceth'],
    ['LEND', 'compound_v2', '0 move -dai', '0 move +cdai'],
    ['INTERACTION', 'compound_v2'],
    ['BORROW', 'compound_v2', '0 borrow +dai'],
    ['BORROW', 'compound_v2', '0 borrow +native'],
    ['REPAYVAULT', 'compound_v2', '0 repay -native'],
    ['REPAYVAULT', 'compound_v2', '0 repay -dai'],
    ['WITHDRAW', 'compound_v2', '0 move -ceth', '0 move +native'],
    ['WITHDRAW', 'compound_v2', '0 move +dai', '0 move -cdai'],
    ['CLAIM', 'compound_v2', '0 income +xvs'],
  ])
})

describe('compound_v3', () => {
  const { usdc: comet, weth: etherComet } = at.compoundV3.comets
  const account = '0 move cusdcv3'
  const amountsOf = (found: readonly WalletTransaction[], token: Address) =>
    found.flatMap(({ movements }) =>
      movements.filter((one) => one.token === evmAddress(token)).map(({ amountRaw }) => amountRaw),
    )

  it('lends and withdraws the base token', async () => {
    const wallet = newWallet()
    const { erc20, compoundV3 } = actions()
    await erc20.mint(usdc, wallet, parseUnits('1000', 6))
    const found = await bench.played(wallet, async () => {
      await compoundV3.supply(wallet, comet, usdc, parseUnits('600', 6))
      await bench.chain.travel(86_400 * 20)
      await compoundV3.supply(wallet, comet, usdc, parseUnits('400', 6))
      await compoundV3.withdraw(wallet, comet, usdc, parseUnits('100', 6))
      await compoundV3.withdraw(wallet, comet, usdc, maxUint256)
    })
    const lend = ['LEND', 'compound_v3', '0 move -usdc', '0 move +cusdcv3']
    const withdraw = ['WITHDRAW', 'compound_v3', '0 move +usdc', '0 move -cusdcv3']
    expect(summary(found)).toEqual([lend, lend, withdraw, withdraw])
  })

  it('puts collateral in and takes it out: the account is the other side', async () => {
    const wallet = newWallet()
    const { erc20, compoundV3 } = actions()
    await erc20.mint(weth, wallet, parseEther('3'))
    const found = await bench.played(wallet, async () => {
      await compoundV3.supply(wallet, comet, weth, parseEther('2'))
      await compoundV3.supply(wallet, comet, weth, parseEther('1'))
      await compoundV3.withdraw(wallet, comet, weth, parseEther('3'))
    })
    const deposit = ['DEPOSIT', 'compound_v3', '0 move -weth', account]
    expect(summary(found)).toEqual([deposit, deposit, ['WITHDRAW', 'compound_v3', '0 move +weth', account]])
    expect(amountsOf(found, weth)).toEqual([parseEther('-2'), parseEther('-1'), parseEther('3')])
  })

  it('borrows and repays, and crosses zero both ways', async () => {
    const wallet = newWallet()
    const { erc20, compoundV3 } = actions()
    await erc20.mint(weth, wallet, parseEther('3'))
    await erc20.mint(usdc, wallet, parseUnits('1000', 6))
    await compoundV3.supply(wallet, comet, weth, parseEther('3'))
    const found = await bench.played(wallet, async () => {
      await compoundV3.withdraw(wallet, comet, usdc, parseUnits('500', 6))
      await bench.chain.travel(86_400 * 20)
      await compoundV3.supply(wallet, comet, usdc, parseUnits('200', 6))
      await compoundV3.supply(wallet, comet, usdc, parseUnits('800', 6))
      await compoundV3.withdraw(wallet, comet, usdc, parseUnits('700', 6))
      await compoundV3.supply(wallet, comet, usdc, maxUint256)
    })
    const owed = (way: string) => `0 ${way} cusdcv3`
    const repay = ['REPAYVAULT', 'compound_v3', '0 repay -usdc', owed('repay')]
    expect(summary(found)).toEqual([
      ['BORROW', 'compound_v3', '0 borrow +usdc', owed('borrow')],
      repay,
      ['MULTITYPE', 'compound_v3', '0 repay -usdc', owed('repay'), '1 move -usdc', '1 move +cusdcv3'],
      ['MULTITYPE', 'compound_v3', '0 borrow +usdc', owed('borrow'), '1 move +usdc', '1 move -cusdcv3'],
      repay,
    ])
    // Repayment beyond 500 is interest. The rest of 1,000 was lent, and withdrawn with the second loan.
    const [borrowed = 0n, first = 0n, repaid = 0n, lent = 0n, again = 0n, withdrawn = 0n, last = 0n] = amountsOf(
      found,
      usdc,
    )
    expect([borrowed, first]).toEqual([parseUnits('500', 6), -parseUnits('200', 6)])
    expect(repaid + lent).toBe(-parseUnits('800', 6))
    expect(-repaid).toBeGreaterThan(parseUnits('300', 6))
    expect(-repaid).toBeLessThan(parseUnits('302', 6))
    expect(again + withdrawn).toBe(parseUnits('700', 6))
    expect(withdrawn + lent).toBeLessThan(10n)
    expect(-last - again).toBeLessThan(10n)
    expect(-last - again).toBeGreaterThanOrEqual(0n)
  })

  it('does all of it through the bulker, in native coin', async () => {
    const wallet = newWallet()
    const { compoundV3 } = actions()
    await bench.fund(wallet, parseEther('20'))
    for (const one of [comet, etherComet]) await compoundV3.allowBulker(wallet, one)
    const ether = (amount: string) => parseEther(amount)
    const found = await bench.played(wallet, async () => {
      await compoundV3.bulk(wallet, [['ACTION_SUPPLY_NATIVE_TOKEN', comet, wallet, ether('3')]], ether('3.5'))
      await compoundV3.bulk(wallet, [['ACTION_SUPPLY_NATIVE_TOKEN', etherComet, wallet, ether('4')]], ether('4'))
      await compoundV3.bulk(wallet, [
        ['ACTION_WITHDRAW_NATIVE_TOKEN', comet, wallet, ether('1')],
        ['ACTION_WITHDRAW_NATIVE_TOKEN', etherComet, wallet, ether('2')],
        ['ACTION_WITHDRAW_ASSET', comet, wallet, usdc, parseUnits('300', 6)],
      ])
      await bench.chain.travel(86_400)
      await compoundV3.bulk(wallet, [
        ['ACTION_CLAIM_REWARD', comet, at.compoundV3.rewards, wallet, true],
        ['ACTION_WITHDRAW_NATIVE_TOKEN', etherComet, wallet, ether('1')],
      ])
    })
    expect(summary(found)).toEqual([
      ['DEPOSIT', 'compound_v3', '0 move -native', account],
      ['LEND', 'compound_v3', '0 move -native', '0 move +cwethv3'],
      [
        ...['MULTITYPE', 'compound_v3', '2 move -cwethv3', '1 borrow +usdc', '1 borrow cusdcv3', '0 move +native'],
        ...[account, '2 move +native'],
      ],
      ['WITHDRAW', 'compound_v3', '0 income +comp', '1 move -cwethv3', '1 move +native'],
    ])
  })

  it('passes what is lent from wallet to wallet: the other is the counterparty', async () => {
    const [wallet, other] = [newWallet(), newWallet()]
    const { erc20, compoundV3 } = actions()
    await erc20.mint(usdc, wallet, parseUnits('100', 6))
    await compoundV3.supply(wallet, comet, usdc, parseUnits('100', 6))
    const before = await bench.client.getBlockNumber()
    const sent = await bench.played(wallet, () => erc20.transfer(comet, wallet, other, parseUnits('40', 6)))
    const received = await bench.readSince(other, before)
    expect(summary(sent)).toEqual([['TRANSFEROUT', null, '0 send -cusdcv3']])
    expect(summary(received)).toEqual([['TRANSFERIN', null, '0 acquire +cusdcv3']])
    expect(sent[0]?.movements[0]?.counterparty).toBe(evmAddress(other))
    expect(received[0]?.movements[0]?.counterparty).toBe(evmAddress(wallet))
  })

  it('moves nothing in the wallet where collateral passes inside, and where another claims nothing', async () => {
    const [wallet, other] = [newWallet(), newWallet()]
    const { erc20, compoundV3 } = actions()
    await erc20.mint(weth, wallet, parseEther('2'))
    await compoundV3.supply(wallet, comet, weth, parseEther('2'))
    const before = await bench.client.getBlockNumber()
    const found = await bench.played(wallet, async () => {
      await compoundV3.transferAsset(wallet, comet, weth, parseEther('1'), other)
      await compoundV3.claim(wallet, comet)
    })
    expect(summary(found)).toEqual([
      ['INTERACTION', 'compound_v3'],
      ['INTERACTION', 'compound_v3'],
    ])
    expect(summary(await bench.readSince(other, before))).toEqual([['INTERACTION', null]])
  })

  it('pays rewards, also where another wallet claims them', async () => {
    const [wallet, other] = [newWallet(), newWallet()]
    const { erc20, compoundV3 } = actions()
    await erc20.mint(usdc, wallet, parseUnits('10000', 6))
    await compoundV3.supply(wallet, comet, usdc, parseUnits('10000', 6))
    await bench.chain.travel(86_400)
    const found = await bench.played(wallet, async () => {
      await compoundV3.claim(wallet, comet)
      await bench.chain.travel(86_400)
      await compoundV3.claim(other, comet, wallet)
    })
    const claim = ['CLAIM', 'compound_v3', '0 income +comp']
    expect(summary(found)).toEqual([claim, claim])
  })

  it.each([
    ['0.0001', []],
    ['0.72', ['0 repay +cusdcv3']],
  ])('is absorbed when its collateral falls to %s of its price', async (part, left) => {
    const [wallet, absorber] = [newWallet(), newWallet()]
    const { erc20, compoundV3, feeds } = actions()
    await erc20.mint(at.tokens.link, wallet, parseEther('100'))
    await compoundV3.supply(wallet, comet, at.tokens.link, parseEther('100'))
    await compoundV3.withdraw(wallet, comet, usdc, parseUnits('1000', 6))
    const answer = await feeds.answer(at.feeds.linkUsd)
    await feeds.set(at.feeds.linkUsd, (answer * parseUnits(part, 4)) / 10_000n)
    const fromBlock = await bench.client.getBlockNumber()
    const found = await bench.played(wallet, () => compoundV3.absorb(absorber, comet, wallet))
    await feeds.set(at.feeds.linkUsd, answer)
    expect(summary(found)).toEqual([['REPAYVAULT', 'compound_v3', '0 repay cusdcv3', ...left]])
    expect(summary(await bench.readSince(absorber, fromBlock))).toEqual([['INTERACTION', 'compound_v3']])
  })
})

describe('morpho', () => {
  const { wethUsdc, wbtcWeth } = morphoMarkets
  const numbersIn = (found: readonly WalletTransaction[]) =>
    new Set(found.flatMap(({ movements }) => movements.flatMap(({ tokenId }) => tokenId ?? [])))
  const numberOf = (market: typeof wethUsdc | typeof wbtcWeth) => BigInt(marketId(market))

  it('supplies and withdraws, with what it earned', async () => {
    const wallet = newWallet()
    const { erc20, morpho } = actions()
    await erc20.mint(usdc, wallet, parseUnits('1000', 6))
    const found = await bench.played(wallet, async () => {
      await morpho.supply(wallet, wethUsdc, parseUnits('600', 6))
      await bench.chain.travel(86_400 * 30)
      await morpho.supply(wallet, wethUsdc, { shares: 10n ** 12n })
      await morpho.withdraw(wallet, wethUsdc, parseUnits('100', 6))
      await morpho.withdraw(wallet, wethUsdc, { shares: await sharesOf(wallet) })
    })
    const [lend, withdraw] = [
      ['LEND', 'morpho', '0 move -usdc', '0 move blue'],
      ['WITHDRAW', 'morpho', '0 move +usdc', '0 move blue'],
    ]
    expect(summary(found)).toEqual([lend, lend, withdraw, withdraw])
    expect(numbersIn(found)).toEqual(new Set([numberOf(wethUsdc)]))
  })

  it('puts in collateral, borrows, repays and takes it out, in two markets', async () => {
    const wallet = newWallet()
    const { erc20, morpho } = actions()
    await erc20.mint(weth, wallet, parseEther('2'))
    await erc20.mint(at.tokens.wbtc, wallet, 10n ** 8n)
    const found = await bench.played(wallet, async () => {
      await morpho.supplyCollateral(wallet, wethUsdc, parseEther('2'))
      await morpho.borrow(wallet, wethUsdc, parseUnits('700', 6))
      await morpho.supplyCollateral(wallet, wbtcWeth, 10n ** 8n)
      await morpho.borrow(wallet, wbtcWeth, parseEther('1'))
      await morpho.repay(wallet, wethUsdc, parseUnits('300', 6))
      await erc20.mint(usdc, wallet, parseUnits('300', 6))
      await morpho.repay(wallet, wethUsdc, { shares: await debtSharesOf(wallet) })
      await morpho.withdrawCollateral(wallet, wethUsdc, parseEther('2'))
    })
    expect(summary(found)).toEqual([
      ['DEPOSIT', 'morpho', '0 move -weth', '0 move blue'],
      ['BORROW', 'morpho', '0 borrow +usdc', '0 borrow blue'],
      ['DEPOSIT', 'morpho', '0 move -wbtc', '0 move blue'],
      ['BORROW', 'morpho', '0 borrow +weth', '0 borrow blue'],
      ['REPAYVAULT', 'morpho', '0 repay -usdc', '0 repay blue'],
      ['TRANSFERIN', null, '0 acquire +usdc'],
      ['REPAYVAULT', 'morpho', '0 repay -usdc', '0 repay blue'],
      ['WITHDRAW', 'morpho', '0 move +weth', '0 move blue'],
    ])
    expect(numbersIn(found)).toEqual(new Set([numberOf(wethUsdc), numberOf(wbtcWeth)]))
  })

  const positionAbi = parseAbi([
    'function position(bytes32 id, address account) view returns (uint256 supplyShares, uint128 borrowShares, uint128 collateral)',
  ])
  const positionOf = (wallet: Address) =>
    bench.client.readContract({
      ...{ address: at.morpho.blue, abi: positionAbi, functionName: 'position' },
      args: [marketId(wethUsdc), wallet],
    })
  const sharesOf = async (wallet: Address) => (await positionOf(wallet))[0]
  const debtSharesOf = async (wallet: Address) => (await positionOf(wallet))[1]

  it('does all of it through a bundler, which pays and is paid', async () => {
    const wallet = newWallet()
    const { erc20, morpho } = actions()
    await bench.fund(wallet, parseEther('10'))
    await erc20.mint(usdc, wallet, parseUnits('2000', 6))
    await erc20.allow(usdc, wallet, at.morpho.adapter)
    await morpho.authorize(wallet, at.morpho.adapter)
    const ether = parseEther
    const found = await bench.played(wallet, async () => {
      await morpho.bundle(
        wallet,
        [
          ['wrap'],
          ['supplyCollateral', wethUsdc, maxUint256, wallet],
          ['borrow', wethUsdc, parseUnits('500', 6), wallet],
        ],
        ether('2'),
      )
      await morpho.bundle(wallet, [
        ['pull', usdc, parseUnits('800', 6)],
        ['supply', wethUsdc, parseUnits('700', 6), wallet],
        ['sweep', usdc, wallet],
      ])
      await morpho.bundle(wallet, [
        ['pull', usdc, parseUnits('600', 6)],
        ['repay', wethUsdc, 0n, await debtSharesOf(wallet)],
        ['sweep', usdc, wallet],
        ['withdrawCollateral', wethUsdc, ether('2'), at.morpho.adapter],
        ['unwrap', wallet],
      ])
      await morpho.bundle(wallet, [['withdraw', wethUsdc, 0n, await sharesOf(wallet), wallet]])
    })
    expect(summary(found)).toEqual([
      ['MULTITYPE', 'morpho', '0 move -native', '0 move blue', '1 borrow +usdc', '1 borrow blue'],
      ['LEND', 'morpho', '0 move -usdc', '0 move blue'],
      ['MULTITYPE', 'morpho', '1 repay -usdc', '1 repay blue', '0 move +native', '0 move blue'],
      ['WITHDRAW', 'morpho', '0 move +usdc', '0 move blue'],
    ])
  })

  it('lends to vaults of both versions, by itself and through a bundler', async () => {
    const wallet = newWallet()
    const { erc20, morpho } = actions()
    const { first, second } = morphoVaults()
    await erc20.mint(usdc, wallet, parseUnits('4000', 6))
    for (const vault of [first, second]) await erc20.allow(vault, wallet, at.morpho.adapter)
    await erc20.allow(usdc, wallet, at.morpho.adapter)
    await morpho.authorize(wallet, at.morpho.adapter)
    const found = await bench.played(wallet, async () => {
      for (const vault of [first, second]) {
        await morpho.deposit(wallet, vault, parseUnits('900', 6))
        await morpho.bundle(wallet, [
          ['pull', usdc, parseUnits('700', 6)],
          ['deposit', usdc, vault, maxUint256, wallet],
        ])
        await bench.chain.travel(86_400)
        await morpho.redeem(wallet, vault, (await erc20.balanceOf(vault, wallet)) / 2n)
        await morpho.bundle(wallet, [['redeem', vault, await erc20.balanceOf(vault, wallet), wallet]])
      }
    })
    const steps = ['mvusdc', 'mvv2'].flatMap((name) => [
      ...[1, 2].map(() => ['LEND', 'morpho', '0 move -usdc', `0 move +${name}`]),
      ...[1, 2].map(() => ['WITHDRAW', 'morpho', `0 move -${name}`, '0 move +usdc']),
    ])
    const sorted = (list: readonly unknown[][]) => list.map((one) => one.toSorted())
    expect(sorted(summary(found).filter(([type]) => type !== 'APPROVAL'))).toEqual(sorted(steps))
  })

  it('pays for another, and is paid out of the position of another', async () => {
    const [wallet, other] = [newWallet(), newWallet()]
    const { erc20, morpho } = actions()
    await erc20.mint(usdc, wallet, parseUnits('100', 6))
    const before = await bench.client.getBlockNumber()
    const found = await bench.played(wallet, async () => {
      await morpho.supply(wallet, wethUsdc, parseUnits('100', 6), other)
      await morpho.withdraw(other, wethUsdc, parseUnits('40', 6), wallet)
    })
    expect(summary(found)).toEqual([
      ['TRANSFEROUT', 'morpho', '0 send -usdc'],
      ['TRANSFERIN', null, '0 acquire +usdc'],
    ])
    const sent = found.find(({ type }) => type === 'TRANSFEROUT')
    expect(sent?.movements[0]?.counterparty).toBe(evmAddress(other))
    const theirs = await bench.readSince(other, before)
    expect(summary(theirs)).toEqual([
      ['INTERACTION', null],
      ['INTERACTION', 'morpho'],
    ])
  })

  it('is liquidated in part, then whole with bad debt: sold for what it relieves of the debt', async () => {
    const [wallet, liquidator] = [newWallet(), newWallet()]
    const { erc20, morpho } = actions()
    await erc20.mint(weth, wallet, parseEther('10'))
    await morpho.supplyCollateral(wallet, wethUsdc, parseEther('10'))
    await morpho.borrow(wallet, wethUsdc, parseUnits('20000', 6))
    await erc20.mint(usdc, liquidator, parseUnits('30000', 6))
    await erc20.allow(usdc, liquidator, at.morpho.blue)
    const price = await morpho.price(wethUsdc.oracle)
    await morpho.setPrice(wethUsdc.oracle, (price * 75n) / 100n)
    const before = await bench.client.getBlockNumber()
    await morpho.liquidate(liquidator, wethUsdc, wallet, parseEther('4'))
    await morpho.setPrice(wethUsdc.oracle, price / 3n)
    const [, debt] = await positionOf(wallet)
    await morpho.liquidate(liquidator, wethUsdc, wallet, parseEther('6'))
    await morpho.setPrice(wethUsdc.oracle, price)
    const found = await bench.readSince(wallet, before)
    const seized = [
      ...['0 move +weth', '0 move blue', '1 swap -weth', '1 swap +usdc'],
      ...['2 repay -usdc', '2 repay blue'],
    ]
    expect(summary(found)).toEqual([
      ['REPAYVAULT', 'morpho', ...seized],
      ['REPAYVAULT', 'morpho', ...seized],
    ])
    expect(debt).toBeGreaterThan(0n)
    expect(await positionOf(wallet)).toEqual([0n, 0n, 0n])
    const amountsOf = (token: Address, index: number) =>
      found[index]?.movements.flatMap(({ token: one, amountRaw }) =>
        one === evmAddress(token) && amountRaw > 0n ? [amountRaw] : [],
      )
    expect([amountsOf(weth, 0), amountsOf(weth, 1)]).toEqual([[parseEther('4')], [parseEther('6')]])
    const relieved = [...(amountsOf(usdc, 0) ?? []), ...(amountsOf(usdc, 1) ?? [])].reduce((a, b) => a + b, 0n)
    // All of the debt, with the interest of a few blocks.
    expect(relieved).toBeGreaterThanOrEqual(parseUnits('20000', 6))
    expect(relieved).toBeLessThan(parseUnits('20001', 6))
    const bought = summary(await bench.readSince(liquidator, before))
    expect(bought).toEqual([
      ['SWAP', 'morpho', '0 swap +weth', '0 swap -usdc'],
      ['SWAP', 'morpho', '0 swap +weth', '0 swap -usdc'],
    ])
  })
})

describe('euler_v2', () => {
  /** Wallets that differ in the last byte alone are accounts of one. */
  const random = seededRandom('euler history')
  const loner = () => random.address()
  const { evc } = at.euler
  const vaults = eulerVaults()
  const numbersIn = (found: readonly WalletTransaction[]) =>
    found.flatMap(({ movements }) => movements.flatMap(({ tokenId }) => tokenId ?? []))

  /** Collateral of WETH and a debt in USDC in one batch, like Euler's interface. */
  const openDebt = (wallet: Address, number: number, collateral: bigint, loan: bigint): EulerStep[] => {
    const account = eulerAccount(wallet, number)
    return [
      [wallet, vaults.weth, 'deposit', collateral, account],
      [wallet, evc, 'enableCollateral', account, vaults.weth],
      [wallet, evc, 'enableController', account, vaults.usdc],
      [account, vaults.usdc, 'borrow', loan, wallet],
    ]
  }

  it('lends and withdraws as the wallet itself, and through a vault over vaults', async () => {
    const wallet = loner()
    const { erc20, euler } = actions()
    await erc20.mint(usdc, wallet, parseUnits('2000', 6))
    const found = await bench.played(wallet, async () => {
      await euler.call(wallet, vaults.usdc, 'deposit', parseUnits('900', 6), wallet)
      await euler.batch(wallet, [[wallet, vaults.earn, 'deposit', parseUnits('600', 6), wallet]])
      await bench.chain.travel(86_400 * 20)
      await euler.batch(wallet, [[wallet, vaults.usdc, 'withdraw', parseUnits('100', 6), wallet, wallet]])
      const [shares, earned] = [await erc20.balanceOf(vaults.usdc, wallet), await erc20.balanceOf(vaults.earn, wallet)]
      await euler.call(wallet, vaults.usdc, 'redeem', shares, wallet, wallet)
      await euler.call(wallet, vaults.earn, 'redeem', earned, wallet, wallet)
    })
    expect(summary(found)).toEqual([
      ['LEND', 'euler_v2', '0 move -usdc', '0 move +eusdc'],
      ['LEND', 'euler_v2', '0 move -usdc', '0 move +earn'],
      ['WITHDRAW', 'euler_v2', '0 move -eusdc', '0 move +usdc'],
      ['WITHDRAW', 'euler_v2', '0 move -eusdc', '0 move +usdc'],
      ['WITHDRAW', 'euler_v2', '0 move -earn', '0 move +usdc'],
    ])
  })

  it('borrows and repays as the wallet itself: the token of the debt moves nothing', async () => {
    const wallet = loner()
    const { erc20, euler } = actions()
    await erc20.mint(weth, wallet, parseEther('3'))
    const found = await bench.played(wallet, async () => {
      await euler.batch(wallet, openDebt(wallet, 0, parseEther('3'), parseUnits('2000', 6)))
      await bench.chain.travel(86_400 * 20)
      await euler.call(wallet, vaults.usdc, 'borrow', parseUnits('300', 6), wallet)
      await euler.call(wallet, vaults.usdc, 'repay', parseUnits('800', 6), wallet)
      await erc20.mint(usdc, wallet, parseUnits('1000', 6))
      await euler.call(wallet, vaults.usdc, 'repay', 2n ** 256n - 1n, wallet)
      await euler.call(wallet, vaults.usdc, 'disableController')
    })
    const repaid = ['REPAYVAULT', 'euler_v2', '0 repay -usdc', '0 repay evc']
    expect(summary(found)).toEqual([
      ['MULTITYPE', 'euler_v2', '1 move -weth', '1 move +eweth', '0 borrow +usdc', '0 borrow evc'],
      ['BORROW', 'euler_v2', '0 borrow +usdc', '0 borrow evc'],
      repaid,
      ['TRANSFERIN', null, '0 acquire +usdc'],
      repaid,
      ['INTERACTION', 'euler_v2'],
    ])
    expect(numbersIn(found)).toEqual([0n, 0n, 0n, 0n])
  })

  it("uses sub-accounts: what goes there stays the wallet's, under the number of each", async () => {
    const wallet = loner()
    const [first, second] = [eulerAccount(wallet, 7), eulerAccount(wallet, 200)]
    const { erc20, euler } = actions()
    await erc20.mint(weth, wallet, parseEther('3'))
    await erc20.mint(usdc, wallet, parseUnits('500', 6))
    const found = await bench.played(wallet, async () => {
      await euler.batch(wallet, openDebt(wallet, 7, parseEther('3'), parseUnits('2000', 6)))
      await euler.call(wallet, vaults.usdc, 'deposit', parseUnits('500', 6), second)
      await bench.chain.travel(86_400 * 20)
      await euler.batch(wallet, [[wallet, vaults.usdc, 'repay', parseUnits('900', 6), first]])
      await euler.batch(wallet, [[first, vaults.weth, 'withdraw', parseEther('1'), wallet, first]])
      await euler.batch(wallet, [[second, vaults.usdc, 'transfer', wallet, parseUnits('100', 6)]])
      await euler.call(wallet, vaults.usdc, 'transfer', second, parseUnits('40', 6))
      await euler.batch(wallet, [[second, vaults.usdc, 'redeem', parseUnits('300', 6), wallet, second]])
    })
    expect(summary(found)).toEqual([
      ['MULTITYPE', 'euler_v2', '0 move -weth', '0 move evc', '1 borrow +usdc', '1 borrow evc'],
      ['LEND', 'euler_v2', '0 move -usdc', '0 move evc'],
      ['REPAYVAULT', 'euler_v2', '0 repay -usdc', '0 repay evc'],
      ['WITHDRAW', 'euler_v2', '0 move +weth', '0 move evc'],
      ['WITHDRAW', 'euler_v2', '0 move +eusdc', '0 move evc'],
      ['DEPOSIT', 'euler_v2', '0 move -eusdc', '0 move evc'],
      ['WITHDRAW', 'euler_v2', '0 move +usdc', '0 move evc'],
    ])
    expect(numbersIn(found)).toEqual([7n, 7n, 200n, 7n, 7n, 200n, 200n, 200n])
  })

  it('repays the debt of a sub-account with its shares: both leave the position', async () => {
    const wallet = loner()
    const account = eulerAccount(wallet, 3)
    const { erc20, euler } = actions()
    await erc20.mint(weth, wallet, parseEther('3'))
    const found = await bench.played(wallet, async () => {
      await euler.batch(wallet, openDebt(wallet, 3, parseEther('3'), parseUnits('2000', 6)))
      await euler.batch(wallet, [[wallet, vaults.usdc, 'deposit', parseUnits('700', 6), account]])
      await euler.batch(wallet, [[account, vaults.usdc, 'repayWithShares', parseUnits('600', 6), account]])
    })
    expect(summary(found).slice(1)).toEqual([
      ['LEND', 'euler_v2', '0 move -usdc', '0 move evc'],
      ['REPAYVAULT', 'euler_v2', '0 move +usdc', '0 move evc', '2 repay -usdc', '2 repay evc'],
    ])
  })

  it('is liquidated in a sub-account, then as itself; who takes over the debt is paid in shares', async () => {
    const [wallet, liquidator] = [loner(), loner()]
    const account = eulerAccount(wallet, 9)
    const { erc20, euler } = actions()
    await erc20.mint(weth, wallet, parseEther('10'))
    await erc20.mint(weth, liquidator, parseEther('50'))
    for (const number of [9, 0]) {
      await euler.batch(wallet, openDebt(wallet, number, parseEther('5'), parseUnits('10000', 6)))
    }
    await euler.batch(liquidator, openDebt(liquidator, 0, parseEther('50'), 1n))
    await euler.setPrice(weth, 2200n * 10n ** 18n)
    const before = await bench.client.getBlockNumber()
    const all = 2n ** 256n - 1n
    await euler.call(liquidator, vaults.usdc, 'liquidate', account, vaults.weth, parseUnits('3000', 6), 0n)
    await euler.call(liquidator, vaults.usdc, 'liquidate', wallet, vaults.weth, all, 0n)
    await euler.setPrice(weth, 3000n * 10n ** 18n)
    const found = await bench.readSince(wallet, before)
    expect(summary(found)).toEqual([
      [
        ...['REPAYVAULT', 'euler_v2', '0 move +weth', '0 move evc', '1 swap -weth', '1 swap +usdc'],
        ...['2 repay -usdc', '2 repay evc'],
      ],
      ['REPAYVAULT', 'euler_v2', '0 repay -eweth', '0 repay evc'],
    ])
    const seizedRaw = found[0]?.movements.find(({ token }) => token === evmAddress(weth))?.amountRaw ?? 0n
    const call = { address: vaults.weth, abi: sharesAbi, functionName: 'convertToAssets' } as const
    const left = await erc20.balanceOf(vaults.weth, account)
    const kept = await bench.client.readContract({ ...call, args: [left] })
    // Seized and remaining assets make up the deposit and the interest of some blocks. Deposited shares, seized assets
    // and remaining assets are each rounded down.
    expect(seizedRaw + kept).toBeGreaterThanOrEqual(parseEther('5') - 3n)
    expect(seizedRaw + kept).toBeLessThan(parseEther('5.001'))
    const bought = summary(await bench.readSince(liquidator, before))
    expect(bought).toEqual([1, 2].map(() => ['TRANSFERIN', 'euler_v2', '0 acquire +eweth']))
  })
})

const sharesAbi = parseAbi(['function convertToAssets(uint256 shares) view returns (uint256)'])

it('erc4626 deposits and withdraws', async () => {
  const wallet = newWallet()
  const { erc20, vault } = actions()
  await erc20.mint(usdc, wallet, parseUnits('100', 6))
  const found = await bench.played(wallet, async () => {
    await vault.deposit(wallet, parseUnits('100', 6))
    await vault.earn(parseUnits('500', 6))
    await vault.redeem(wallet, await erc20.balanceOf(at.local.vault, wallet))
  })
  expect(summary(found)).toEqual([
    ['DEPOSIT', 'erc4626', '0 move -usdc', '0 move +vault'],
    ['WITHDRAW', 'erc4626', '0 move -vault', '0 move +usdc'],
  ])
})

it('lido stakes, wraps, unwraps and sends', async () => {
  const [wallet, other] = [newWallet(), newWallet()]
  const { lido, erc20 } = actions()
  const { steth, wsteth } = at.lido
  await bench.fund(wallet, parseEther('5'))
  const found = await bench.played(wallet, async () => {
    await bench.send(
      wallet,
      steth,
      encodeFunctionData({ abi, functionName: 'submit', args: [zeroAddress] }),
      parseEther('2'),
    )
    await bench.send(wallet, wsteth, '0x', parseEther('1'))
    await lido.wrap(wallet, parseEther('1.5'))
    await lido.rebase(parseEther('50'))
    await lido.unwrap(wallet, await erc20.balanceOf(wsteth, wallet))
    await lido.transferShares(wallet, other, 12_345n)
    await erc20.transfer(steth, wallet, other, 54_321n)
  })
  expect(summary(found)).toEqual([
    ['STAKE', 'lido', '0 move -native', '0 move +steth', '1 fee -native'],
    ['STAKE', 'lido', '0 move -native', '0 move +wsteth', '1 fee -native'],
    ['WRAP', 'lido', '0 move +wsteth', '0 move -steth'],
    ['UNWRAP', 'lido', '0 move -wsteth', '0 move +steth'],
    ['TRANSFEROUT', null, '0 send -steth'],
    ['TRANSFEROUT', null, '0 send -steth'],
  ])
})

it('lido carries what coin cost through requests that pay less than was asked for', async () => {
  const wallet = newWallet()
  await bench.fund(wallet, parseEther('5'))
  const { lido } = actions()
  const found = await bench.played(wallet, async () => {
    await lido.stake(wallet, parseEther('4'))
    await lido.request(wallet, [parseEther('1'), parseEther('0.5')])
    await lido.finalizeAll(10n ** 27n / 2n)
    await lido.claim(wallet, await lido.requestsOf(wallet))
  })
  const quotes = {
    coin: { address: NATIVE, price: '2000', had: '5', paid: '1500' },
    steth: { address: at.lido.steth, price: '1900' },
  }
  const costs = bookedCosts(bench.book, wallet, quotes, found)
  expect(costs).toMatchObject({ basis: '7500', realised: '0', disposals: 0, income: '0', flagged: [] })
  expect(Object.keys(costs.held).toSorted()).toEqual(['coin', 'steth'])
  expect(await bench.client.getBalance({ address: wallet })).toBeLessThan(parseEther('2.5'))
})

it('lido moves stETH into a request and the request into coin, for any payer and amount', async () => {
  const wallet = newWallet()
  const other = newWallet()
  await bench.fund(wallet, parseEther('5'))
  const { lido } = actions()
  await lido.submit(other, parseEther('1'))
  const found = await bench.played(wallet, async () => {
    await lido.stake(wallet, parseEther('4'))
    await lido.wrap(wallet, parseEther('1'))
    await lido.request(wallet, [parseEther('1'), parseEther('0.5')])
    await lido.request(wallet, [parseEther('0.25'), parseEther('0.125')], wallet, true)
    // For another wallet, and from another wallet.
    await lido.request(wallet, [parseEther('0.5')], other)
    await lido.request(other, [parseEther('0.5')], wallet)
    await lido.finalizeAll(10n ** 27n / 2n)
    const [first, second, third, fourth] = await lido.requestsOf(wallet)
    if (!first || !second || !third || !fourth) throw new Error('a request is missing')
    await lido.claim(wallet, [first, second])
    await lido.claim(wallet, [third], other)
    await lido.passRequest(wallet, other, fourth)
  })
  const queue = 'withdrawalQueue'
  expect(summary(found)).toEqual([
    ['STAKE', 'lido', '0 move -native', '0 move +steth'],
    ['WRAP', 'lido', '0 move +wsteth', '0 move -steth'],
    ['UNSTAKE', 'lido', '0 move -steth', `0 move +${queue}`, '1 move -steth', `1 move +${queue}`],
    ['UNSTAKE', 'lido', '0 move -wsteth', `0 move +${queue}`, '1 move -wsteth', `1 move +${queue}`],
    ['TRANSFEROUT', 'lido', '0 send -steth'],
    ['TRANSFERIN', null, `0 acquire +${queue}`],
    ['WITHDRAW', 'lido', `0 move -${queue}`, `1 move -${queue}`, '0 move +native', '1 move +native'],
    ['TRANSFEROUT', null, `0 send -${queue}`],
    ['TRANSFEROUT', null, `0 send -${queue}`],
  ])
})

it('ethena moves what a cooldown burns into the silo, and out of it again', async () => {
  const wallet = newWallet()
  const { ethena, erc20 } = actions()
  const { susde } = at.ethena
  const found = await bench.played(wallet, async () => {
    await ethena.stake(wallet, parseEther('1000'))
    await ethena.reward(parseEther('900'))
    await bench.chain.travel(86_400)
    await ethena.coolShares(wallet, parseEther('300'))
    await ethena.coolAssets(wallet, parseEther('100'))
    await erc20.transfer(susde, wallet, newWallet(), parseEther('1'))
    await bench.chain.travel(7 * 86_400)
    await ethena.unstake(wallet)
    await ethena.coolShares(wallet, parseEther('1'))
    await bench.chain.travel(7 * 86_400)
    // Another recipient's payment is no movement of the wallet.
    await ethena.unstake(wallet, newWallet())
  })
  const request = ['UNSTAKE', 'ethena', '0 move -susde', '0 move +usde', '1 move -usde', '1 move silo']
  expect(summary(found)).toEqual([
    ['TRANSFERIN', null, '0 acquire +usde'],
    ['STAKE', 'ethena', '0 move -usde', '0 move +susde'],
    ...[request, request],
    ['TRANSFEROUT', null, '0 send -susde'],
    ['WITHDRAW', 'ethena', '0 move +usde', '0 move silo'],
    request,
    ['INTERACTION', 'ethena'],
  ])
})

it('aave_safety_module stakes, cools down, claims and redeems: shares keep their cost', async () => {
  const [wallet, other] = [newWallet(), newWallet()]
  const { safetyModule } = actions()
  const found = await bench.played(wallet, async () => {
    await safetyModule.stake(wallet, parseEther('10'))
    await safetyModule.coolDown(wallet)
    await bench.chain.travel(20 * 86_400)
    await safetyModule.redeem(wallet, parseEther('4'))
    await safetyModule.claim(wallet)
    await bench.chain.travel(60)
    await safetyModule.redeem(wallet)
    await safetyModule.claim(wallet, other)
  })
  expect(summary(found)).toEqual([
    ['TRANSFERIN', null, '0 acquire +aave'],
    ['STAKE', 'aave_safety_module', '0 move -aave', '0 move +stkAave'],
    ['INTERACTION', 'aave_safety_module'],
    ['UNSTAKE', 'aave_safety_module', '0 move -stkAave', '0 move +aave'],
    ['CLAIM', 'aave_safety_module', '0 income +aave'],
    ['UNSTAKE', 'aave_safety_module', '0 move -stkAave', '0 move +aave'],
    ['INTERACTION', 'aave_safety_module'],
  ])
})

it('ethena takes out what others unstake to the wallet, up to what waits there', async () => {
  const [wallet, other] = [newWallet(), newWallet()]
  const { ethena } = actions()
  for (const each of [wallet, other]) await ethena.stake(each, parseEther('1000'))
  await ethena.coolAssets(other, 1n)
  await bench.chain.travel(7 * 86_400)
  const found = await bench.played(wallet, () => ethena.unstake(other, wallet))
  expect(summary(found)).toEqual([['WITHDRAW', 'ethena', '0 move +usde', '0 move silo']])
  expect(found[0]?.movements.map(({ amountRaw }) => amountRaw)).toEqual([1n, 0n])
})

it('uniswap_v2 adds, swaps and removes', async () => {
  const wallet = newWallet()
  const { erc20, uniswapV2 } = actions()
  await erc20.mint(weth, wallet, parseEther('3'))
  await erc20.mint(usdc, wallet, parseUnits('3000', 6))
  const found = await bench.played(wallet, async () => {
    await uniswapV2.add(
      wallet,
      { token: weth, amount: parseEther('1') },
      { token: usdc, amount: parseUnits('3000', 6) },
    )
    await uniswapV2.swap(wallet, { token: weth, amount: parseEther('1') }, usdc)
    await uniswapV2.remove(wallet, weth, usdc)
  })
  expect(summary(found)).toEqual([
    ['ADDLIQUIDITY', 'uniswap_v2', '0 move -weth', '0 move -usdc', '0 move +pair of usdc weth'],
    ['SWAP', 'uniswap_v2', '0 swap -weth', '0 swap +usdc'],
    ['REMOVELIQUIDITY', 'uniswap_v2', '0 move -pair of usdc weth', '0 move +usdc', '0 move +weth'],
  ])
})

it('uniswap_v3 mints, increases, swaps, collects fees, and takes all out', async () => {
  const wallet = newWallet()
  const { erc20, uniswapV3 } = actions()
  await erc20.mint(weth, wallet, parseEther('6'))
  await erc20.mint(usdc, wallet, parseUnits('9000', 6))
  const sides = [
    { token: weth, amount: parseEther('1') },
    { token: usdc, amount: parseUnits('3000', 6) },
  ] as const
  const trade = async () => {
    await uniswapV3.swap(wallet, { token: weth, amount: parseEther('0.5') }, usdc, 500)
    await uniswapV3.swap(wallet, { token: usdc, amount: parseUnits('500', 6) }, weth, 500)
  }
  const found = await bench.played(wallet, async () => {
    const id = await uniswapV3.mint(wallet, ...sides, 500, { below: 100, above: 100 })
    await uniswapV3.increase(wallet, id, parseUnits('3000', 6), parseEther('1'))
    await trade()
    await uniswapV3.collect(wallet, id)
    await trade()
    await takeOut(wallet, id)
  })
  const inOrder = summary(found).map((line) => [...line.slice(0, 2), ...line.slice(2).toSorted()])
  const swaps = [
    ['SWAP', 'uniswap_v3', '0 swap +usdc', '0 swap -weth'],
    ['SWAP', 'uniswap_v3', '0 swap +weth', '0 swap -usdc'],
  ]
  expect(inOrder).toEqual([
    ['ADDLIQUIDITY', 'uniswap_v3', '0 move +manager', '0 move -usdc', '0 move -weth'],
    ['ADDLIQUIDITY', 'uniswap_v3', '0 move -usdc', '0 move -weth', '0 move manager'],
    ...swaps,
    ['COLLECT', 'uniswap_v3', '0 income +usdc', '0 income +weth'],
    ...swaps,
    [
      'REMOVELIQUIDITY',
      'uniswap_v3',
      '0 move +usdc',
      '0 move +weth',
      '0 move -manager',
      '1 income +usdc',
      '1 income +weth',
    ],
  ])
})

/** Takes everything out, collects, and burns the NFT in one transaction, like the web site. */
async function takeOut(wallet: Address, id: bigint): Promise<void> {
  const manager = at.uniswapV3.manager
  const managerAbi = parseAbi([
    'function positions(uint256 id) view returns (uint96, address, address, address, uint24, int24, int24, uint128 liquidity, uint256, uint256, uint128, uint128)',
    'function decreaseLiquidity((uint256 tokenId, uint128 liquidity, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params) payable returns (uint256, uint256)',
    'function collect((uint256 tokenId, address recipient, uint128 amount0Max, uint128 amount1Max) params) payable returns (uint256, uint256)',
    'function burn(uint256 id) payable',
  ])
  const position = { address: manager, abi: managerAbi, functionName: 'positions', args: [id] } as const
  const liquidity = (await bench.client.readContract(position))[7]
  const call = (functionName: 'decreaseLiquidity' | 'collect' | 'burn', args: readonly unknown[]) =>
    encodeFunctionData({ abi: managerAbi, functionName, args } as Parameters<typeof encodeFunctionData>[0])
  const most = 2n ** 128n - 1n
  const data = [
    call('decreaseLiquidity', [{ tokenId: id, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: 2n ** 40n }]),
    call('collect', [{ tokenId: id, recipient: wallet, amount0Max: most, amount1Max: most }]),
    call('burn', [id]),
  ]
  await bench.chain.write({ from: wallet, address: manager, abi, functionName: 'multicall', args: [data] })
}

it('uniswap_v3 takes out in two steps: what waited is no income', async () => {
  const wallet = newWallet()
  const { erc20, uniswapV3 } = actions()
  await erc20.mint(weth, wallet, parseEther('1'))
  await erc20.mint(usdc, wallet, parseUnits('3000', 6))
  const sides = [
    { token: weth, amount: parseEther('1') },
    { token: usdc, amount: parseUnits('3000', 6) },
  ] as const
  const id = await uniswapV3.mint(wallet, ...sides, 500, { below: 100, above: 100 })
  const found = await bench.played(wallet, async () => {
    const liquidityAbi = parseAbi([
      'function positions(uint256 id) view returns (uint96, address, address, address, uint24, int24, int24, uint128 liquidity, uint256, uint256, uint128, uint128)',
    ])
    const position = {
      address: at.uniswapV3.manager,
      abi: liquidityAbi,
      functionName: 'positions',
      args: [id],
    } as const
    await uniswapV3.decrease(wallet, id, (await bench.client.readContract(position))[7])
    await uniswapV3.collect(wallet, id)
  })
  expect(summary(found)).toEqual([
    ['REMOVELIQUIDITY', 'uniswap_v3'],
    ['REMOVELIQUIDITY', 'uniswap_v3', '0 move +usdc', '0 move +weth', '0 move manager'],
  ])
})

describe('uniswap_v4', () => {
  const { coin, wrapped } = at.uniswapV4.pools
  const range = { below: 600, above: 600 }
  const liquidity = 10n ** 13n
  const trade = async () => {
    const { erc20, native, uniswapV4 } = actions()
    const trader = newWallet()
    await erc20.mint(usdc, trader, parseUnits('80000', 6))
    await erc20.mint(weth, trader, parseEther('10'))
    await native.give(trader, parseEther('10'))
    for (const key of [coin, wrapped]) {
      await uniswapV4.swap(trader, { token: usdc, amount: parseUnits('40000', 6) }, key)
      const back = key === coin ? zeroAddress : weth
      await uniswapV4.swap(trader, { token: back, amount: parseEther('10') }, key)
    }
  }
  const rich = async () => {
    const wallet = newWallet()
    await actions().erc20.mint(weth, wallet, parseEther('6'))
    await actions().erc20.mint(usdc, wallet, parseUnits('9000', 6))
    await bench.fund(wallet, parseEther('6'))
    return wallet
  }
  /** With sorted parts in each leg. */
  const sorted = (found: readonly WalletTransaction[]) =>
    summary(found).map((line) => [...line.slice(0, 2), ...line.slice(2).toSorted()])

  it.each([
    ['native coin', coin, 'native', parseEther('1')],
    ['a token', wrapped, 'weth', 0n],
  ] as const)('mints, increases, collects, decreases and burns, against %s', async (_, key, token, value) => {
    const wallet = await rich()
    const { uniswapV4 } = actions()
    const found = await bench.played(wallet, async () => {
      const id = await uniswapV4.mint(wallet, key, range, { liquidity, value })
      await uniswapV4.increase(wallet, id, liquidity, value)
      await trade()
      await uniswapV4.collect(wallet, id)
      await trade()
      await uniswapV4.decrease(wallet, id, liquidity)
      await uniswapV4.burn(wallet, id)
    })
    const back = (nft: string) => [`0 move ${nft}`, `0 move +${token}`, '0 move +usdc'].toSorted()
    expect(sorted(found)).toEqual([
      ['ADDLIQUIDITY', 'uniswap_v4', ...['0 move +manager', `0 move -${token}`, '0 move -usdc'].toSorted()],
      ['ADDLIQUIDITY', 'uniswap_v4', ...['0 move manager', `0 move -${token}`, '0 move -usdc'].toSorted()],
      ['COLLECT', 'uniswap_v4', ...[`0 income +${token}`, '0 income +usdc'].toSorted()],
      ['REMOVELIQUIDITY', 'uniswap_v4', ...back('manager')],
      ['REMOVELIQUIDITY', 'uniswap_v4', ...back('-manager')],
    ])
    // The zero amount links the leg to its position.
    for (const { movements } of found.filter(({ type }) => type === 'ADDLIQUIDITY')) {
      expect(movements.filter(({ tokenId }) => tokenId !== null).length).toBe(1)
    }
  })

  it.each([
    ['native coin', coin, 'native', [parseEther('3'), parseUnits('3000', 6)]],
    ['a token', wrapped, 'weth', [parseUnits('3000', 6), parseEther('3')]],
  ] as const)('mints by a router that gives back what it does not need, against %s', async (_, key, token, most) => {
    const wallet = await rich()
    const found = await bench.played(wallet, () => actions().uniswapV4.zap(wallet, key, range, { liquidity, most }))
    expect(sorted(found)).toEqual([
      ['ADDLIQUIDITY', 'uniswap_v4', ...['0 move +manager', `0 move -${token}`, '0 move -usdc'].toSorted()],
    ])
  })

  it('collects of one and ends another in one call: each has its own payments', async () => {
    const wallet = await rich()
    const { uniswapV4 } = actions()
    const kept = await uniswapV4.mint(wallet, wrapped, range, { liquidity })
    const ended = await uniswapV4.mint(wallet, wrapped, range, { liquidity })
    await trade()
    const [found, ...others] = await bench.played(wallet, () => uniswapV4.collectAndBurn(wallet, kept, ended))
    expect(others).toEqual([])
    expect(found?.type).toBe('REMOVELIQUIDITY')
    const of = (treatment: string) => found?.movements.filter((movement) => movement.treatment === treatment) ?? []
    expect(
      of('income')
        .map(({ token }) => nameOf(token))
        .toSorted(),
    ).toEqual(['usdc', 'weth'])
    expect(
      of('move')
        .map(({ token }) => nameOf(token))
        .toSorted(),
    ).toEqual(['manager', 'usdc', 'weth'])
    expect(of('move').flatMap(({ tokenId }) => tokenId ?? [])).toEqual([ended])
    // Fees of two equal ranges are equal. An ended position also pays its principal.
    for (const { token, amountRaw } of of('income')) {
      expect(of('move').find((other) => other.token === token)?.amountRaw).toBeGreaterThan(10n * amountRaw)
    }
  })

  it('fees that are more than an increase costs are collected', async () => {
    const wallet = await rich()
    const { uniswapV4 } = actions()
    const id = await uniswapV4.mint(wallet, wrapped, range, { liquidity })
    await trade()
    const found = await bench.played(wallet, () => uniswapV4.increase(wallet, id, 1n))
    expect(sorted(found)).toEqual([['COLLECT', 'uniswap_v4', '0 income +usdc', '0 income +weth']])
  })

  it('an NFT that another minted for the wallet comes from outside, and passes on without its tokens', async () => {
    const [wallet, other] = [await rich(), newWallet()]
    const { uniswapV4 } = actions()
    let id = 0n
    const mint = async () => {
      id = await uniswapV4.mint(wallet, wrapped, range, { liquidity, owner: other })
    }
    expect(sorted(await bench.played(wallet, mint))).toEqual([
      ['ADDLIQUIDITY', 'uniswap_v4', '0 move -usdc', '0 move -weth', '0 move manager'],
    ])
    const passed = await bench.played(other, () => uniswapV4.send(other, wallet, id))
    expect(sorted(passed)).toEqual([['TRANSFEROUT', null, '0 send -manager']])
  })
})

it('staking_rewards stakes, claims, takes out and leaves', async () => {
  const wallet = newWallet()
  const { erc20, uniswapV2, stakingRewards } = actions()
  const [farm, pair] = [at.stakingRewards.usdcWeth, at.uniswapV2.pairs.usdcWeth]
  await erc20.mint(weth, wallet, parseEther('1'))
  await erc20.mint(usdc, wallet, parseUnits('3000', 6))
  const sides = [
    { token: weth, amount: parseEther('1') },
    { token: usdc, amount: parseUnits('3000', 6) },
  ] as const
  await uniswapV2.add(wallet, ...sides)
  const share = await erc20.balanceOf(pair, wallet)
  await stakingRewards.reward(farm, parseEther('1000'))
  const found = await bench.played(wallet, async () => {
    await stakingRewards.stake(wallet, farm, share)
    await bench.chain.travel(86_400)
    await stakingRewards.claim(wallet, farm)
    await stakingRewards.withdraw(wallet, farm, share / 3n)
    await bench.chain.travel(3_600)
    await stakingRewards.exit(wallet, farm)
    await stakingRewards.claim(wallet, farm)
  })
  const protocol = 'uniswap_liquidity_mining'
  expect(summary(found)).toEqual([
    ['STAKE', protocol, '0 move -pair of usdc weth', '0 move farm'],
    ['CLAIM', protocol, '0 income +uni'],
    ['UNSTAKE', protocol, '0 move +pair of usdc weth', '0 move farm'],
    ['UNSTAKE', protocol, '0 move +pair of usdc weth', '0 move farm', '1 income +uni'],
    ['INTERACTION', protocol],
  ])
})

it('pancakeswap_v3_farms stakes an NFT, changes it where it lies, claims, and gives it back', async () => {
  const wallet = newWallet()
  const { erc20, pancakeV3, pancakeChef } = actions()
  await erc20.mint(weth, wallet, parseEther('6'))
  await erc20.mint(usdc, wallet, parseUnits('9000', 6))
  const sides = [
    { token: weth, amount: parseEther('1') },
    { token: usdc, amount: parseUnits('3000', 6) },
  ] as const
  await pancakeChef.fund(parseEther('3000'))
  const found = await bench.played(wallet, async () => {
    const id = await pancakeV3.mint(wallet, ...sides, 500, { below: 100, above: 100 })
    await pancakeChef.stake(wallet, id)
    await bench.chain.travel(86_400)
    await pancakeChef.harvest(wallet, id)
    await pancakeChef.increase(wallet, id, parseUnits('3000', 6), parseEther('1'))
    await pancakeV3.swap(wallet, { token: weth, amount: parseEther('0.5') }, usdc, 500)
    await pancakeChef.collect(wallet, id)
    await bench.chain.travel(86_400)
    await pancakeChef.decrease(wallet, id, (await pancakeV3.position(id))[7])
    await pancakeChef.collect(wallet, id)
    await pancakeChef.unstake(wallet, id)
  })
  const farms = 'pancakeswap_v3_farms'
  expect(summary(found).map((line) => [...line.slice(0, 2), ...line.slice(2).toSorted()])).toEqual([
    ['ADDLIQUIDITY', 'pancakeswap_v3', '0 move +manager', '0 move -usdc', '0 move -weth'],
    ['STAKE', farms, '0 move -manager'],
    ['CLAIM', farms, '0 income +cake'],
    ['ADDLIQUIDITY', farms, '0 move -usdc', '0 move -weth', '0 move manager'],
    ['SWAP', null, '0 swap +usdc', '0 swap -weth'],
    ['COLLECT', farms, '0 income +weth'],
    ['REMOVELIQUIDITY', farms],
    ['REMOVELIQUIDITY', farms, '0 move +usdc', '0 move +weth', '0 move manager'],
    ['UNSTAKE', farms, '0 income +cake', '1 move +manager'],
  ])
  const ids = found.flatMap(({ movements }) => movements.flatMap(({ tokenId }) => tokenId ?? []))
  expect(new Set(ids).size).toBe(1)
})

it('pancakeswap_v3_farms gives an NFT to another wallet: received from outside', async () => {
  const [wallet, other] = [newWallet(), newWallet()]
  const { erc20, pancakeV3, pancakeChef } = actions()
  await erc20.mint(weth, wallet, parseEther('1'))
  await erc20.mint(usdc, wallet, parseUnits('3000', 6))
  const sides = [
    { token: weth, amount: parseEther('1') },
    { token: usdc, amount: parseUnits('3000', 6) },
  ] as const
  const id = await pancakeV3.mint(wallet, ...sides, 500, { below: 100, above: 100 })
  await pancakeChef.stake(wallet, id)
  const withdraw = parseAbi(['function withdraw(uint256 tokenId, address to) returns (uint256 reward)'])
  const call = { from: wallet, address: at.pancakeV3.chef, abi: withdraw, functionName: 'withdraw' } as const
  const before = await bench.client.getBlockNumber()
  const found = await bench.played(wallet, () => bench.chain.write({ ...call, args: [id, other] }))
  expect(summary(found)).toEqual([['INTERACTION', 'pancakeswap_v3_farms']])
  const [received] = await bench.readSince(other, before)
  expect(received?.type).toBe('TRANSFERIN')
})

it('a setting of a market moves nothing', async () => {
  const wallet = newWallet()
  await actions().erc20.mint(weth, wallet, parseEther('1'))
  await actions().aaveV3.supply(wallet, weth, parseEther('1'))
  const found = await bench.played(wallet, () => actions().aaveV3.useAsCollateral(wallet, weth, false))
  expect(summary(found)).toEqual([['INTERACTION', 'aave_v3']])
})

// Runs last: it makes ether cheap.
it.each([false, true])('aave_v3 liquidates, the collateral paid out as what is lent: %s', async (receiveAToken) => {
  const [wallet, liquidator] = [newWallet(), newWallet()]
  const { erc20, aaveV3, feeds } = actions()
  await erc20.mint(weth, wallet, parseEther('2'))
  await erc20.mint(usdc, liquidator, parseUnits('10000', 6))
  await aaveV3.supply(wallet, weth, parseEther('2'))
  await feeds.set(at.feeds.ethUsd, parseUnits('3000', 8))
  await aaveV3.borrow(wallet, usdc, parseUnits('4000', 6))
  await bench.chain.travel(86_400)
  await feeds.set(at.feeds.ethUsd, parseUnits('2000', 8))
  await erc20.allow(usdc, liquidator, at.aaveV3.pool)
  const liquidation = parseAbi(['function liquidationCall(address, address, address, uint256, bool)'])
  const call = () =>
    bench.chain.write({
      ...{ from: liquidator, address: at.aaveV3.pool, abi: liquidation, functionName: 'liquidationCall' },
      args: [weth, usdc, wallet, parseUnits('1000', 6), receiveAToken],
    } as const)
  const fromBlock = await bench.client.getBlockNumber()
  const [taken] = await bench.played(wallet, call)
  expect([taken?.type, taken?.protocol]).toEqual(['REPAYVAULT', 'aave_v3'])
  const [paid] = taken?.movements.filter(({ debt }) => debt) ?? []
  expect(paid).toMatchObject({ amountRaw: -parseUnits('1000', 6), treatment: 'repay' })
  expect(new Set(taken?.movements.map(({ token, leg }) => `${leg} ${nameOf(token)}`))).toEqual(
    new Set(['0 debt of usdc', '0 supply of weth']),
  )
  const [bought] = await bench.readSince(liquidator, fromBlock)
  expect(bought?.type).toBe('SWAP')
  expect(
    summary(bought ? [bought] : [])[0]
      ?.slice(2)
      .toSorted(),
  ).toEqual([receiveAToken ? '0 swap +supply of weth' : '0 swap +weth', '0 swap -usdc'].toSorted())
})
