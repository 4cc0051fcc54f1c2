import {
  addresses,
  type EulerStep,
  eulerAccount,
  eulerVaults,
  marketId,
  morphoMarkets,
  morphoVaults,
} from '@coffer/devnet'
import { type Address, parseEther as ether, maxUint256, parseAbi, parseUnits, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { unsold } from '../../../../test/booked-costs.ts'
import { contractOf } from '../../../../test/contract-of.ts'
import { historyBench } from '../../../../test/history-bench.ts'
import { namedHistory } from '../../../../test/named-history.ts'
import { seededRandom } from '../../../../test/random.ts'
import { evmAddress, NATIVE } from '../../../domain/evm-address.ts'
import type { Movement, WalletTransaction } from '../../../domain/transaction.ts'

const at = addresses.ethereum
const { weth, usdc } = at.tokens

/** Functions of several contracts. */
const abi = parseAbi([
  'function deposit() payable',
  'function withdraw(uint256 wad)',
  'function submit(address referral) payable returns (uint256)',
  'function getReserveTokensAddresses(address asset) view returns (address aToken, address stableDebt, address variableDebt)',
  'function liquidationCall(address collateral, address debt, address user, uint256 amount, bool receiveAToken)',
  'function multicall(bytes[] data) payable returns (bytes[] results)',
  'function positions(uint256 id) view returns (uint96, address, address, address, uint24, int24, int24, uint128 liquidity, uint256, uint256, uint128, uint128)',
  'function decreaseLiquidity((uint256 tokenId, uint128 liquidity, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params) payable returns (uint256, uint256)',
  'function collect((uint256 tokenId, address recipient, uint128 amount0Max, uint128 amount1Max) params) payable returns (uint256, uint256)',
  'function burn(uint256 id) payable',
  'function withdraw(uint256 tokenId, address to) returns (uint256 reward)',
  'function claimVenus(address holder)',
  'function position(bytes32 id, address account) view returns (uint256 supplyShares, uint128 borrowShares, uint128 collateral)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
])

const bench = await historyBench()
const { newWallet } = bench
const play = bench.chain.actions
const silo = await play.ethena.silo()
const contract = (address: Address) => contractOf(bench.chain, address, abi)
const aTokenOf = async (market: 'aaveV3' | 'aaveV2') =>
  (await contract(at[market].dataProvider).read<[Address]>('getReserveTokensAddresses', weth))[0]
const usd = (amount: string) => parseUnits(amount, 6)
const sides = [
  { token: weth, amount: ether('1') },
  { token: usdc, amount: usd('3000') },
] as const

/** `coin` pays for gas. */
async function walletWith(
  { coin, ...tokens }: Partial<Record<'coin' | keyof typeof at.tokens, bigint>>,
  wallet = newWallet(),
) {
  for (const [name, amount] of Object.entries(tokens)) {
    await play.erc20.mint(at.tokens[name as keyof typeof tokens], wallet, amount)
  }
  if (coin) await bench.fund(wallet, coin)
  return wallet
}

/** Lines of type, protocol, and movements in any order: leg but the first, treatment, sign and token. No approvals. */
function expectRead(transactions: readonly WalletTransaction[], lines: readonly string[]): void {
  const read = transactions
    .filter(({ type }) => type !== 'APPROVAL')
    .map(({ type, protocol, movements }) => [`${type} ${protocol}`, ...movements.map(textOf)].join(', '))
  expect(read.map(inOrder)).toEqual(lines.map(inOrder))
}

const textOf = ({ token, amountRaw, leg, treatment }: Movement) =>
  `${leg > 0 ? `${leg} ` : ''}${treatment} ${signOf(amountRaw)}${nameOf(token)}`

function inOrder(line: string): string {
  const [action, ...moved] = line.split(', ')
  return [action, ...moved.toSorted()].join(', ')
}

function signOf(amountRaw: bigint): string {
  if (amountRaw === 0n) return ''
  return amountRaw < 0n ? '-' : '+'
}

function nameOf(token: string): string {
  const named = {
    ...at.tokens,
    ...at.lido,
    ...at.ethena,
    ...at.safetyModule,
    ...at.compoundV2.markets,
    native: NATIVE,
    silo,
    vault: at.local.vault,
    xvs: at.compoundV2.rewardToken,
    comp: at.compoundV3.rewardToken,
    cake: at.pancakeV3.cake,
    cusdcv3: at.compoundV3.comets.usdc,
    cwethv3: at.compoundV3.comets.weth,
    farm: at.stakingRewards.usdcWeth,
    blue: at.morpho.blue,
    mvusdc: morphoVaults().first,
    mvv2: morphoVaults().second,
    evc: at.euler.evc,
    eusdc: eulerVaults().usdc,
    eweth: eulerVaults().weth,
    earn: eulerVaults().earn,
  }
  const plain = Object.entries(named).find(([, address]) => evmAddress(address) === token)
  if (plain) return plain[0]
  const known = bench.directory.protocolContractOf(evmAddress(token))?.protocolContract
  if (!known) return token
  return known.underlyings.length > 0 ? `${known.role} of ${known.underlyings.map(nameOf).join(' ')}` : known.role
}

describe('native and wrapped coin', () => {
  it('sends, wraps and unwraps, with the gas of each', async () => {
    const wallet = await walletWith({ coin: ether('5') })
    const found = await bench.played(wallet, async () => {
      await bench.send(wallet, newWallet(), '0x', ether('1'))
      await bench.send(wallet, weth, contract(weth).data('deposit'), ether('2'))
      await bench.send(wallet, weth, contract(weth).data('withdraw', ether('0.5')))
      await bench.send(wallet, weth, contract(weth).data('withdraw', ether('500')))
      await bench.send(wallet, wallet, '0x', 7n)
    })
    expectRead(found, [
      'TRANSFEROUT null, send -native, 1 fee -native',
      'WRAP null, move -native, move +weth, 1 fee -native',
      'UNWRAP null, move -weth, move +native, 1 fee -native',
      'FAILED null, fee -native',
      'SELFTRANSFER null, move -native, move +native, 1 fee -native',
    ])
  })

  it('receives a token and sends it on', async () => {
    const [wallet, other] = [newWallet(), newWallet()]
    const found = await bench.played(wallet, async () => {
      await play.erc20.mint(weth, wallet, 9n)
      await play.erc20.transfer(weth, wallet, other, 4n)
      await play.erc20.allow(weth, wallet, other)
    })
    expect(found.map(({ type }) => type)).toEqual(['TRANSFERIN', 'TRANSFEROUT', 'APPROVAL'])
  })
})

// Precedes tests that let more time pass than the rewards last.
it('aave_v3 pays rewards', async () => {
  const wallet = newWallet()
  const aToken = await aTokenOf('aaveV3')
  await play.erc20.mint(weth, wallet, ether('10'))
  await play.aaveV3.supply(wallet, weth, ether('10'))
  await bench.chain.travel(86_400)
  const found = await bench.played(wallet, () => play.aaveV3.claim(wallet, [aToken]))
  expectRead(found, ['CLAIM aave_v3, income +uni'])
})

describe.each([
  ['aave_v3', 'aaveV3'],
  ['aave_v2', 'aaveV2'],
] as const)('%s', (protocol, name) => {
  it('lends, borrows, repays and withdraws: principal alone', async () => {
    const wallet = await walletWith({ weth: ether('12'), usdc: usd('500') })
    const market = play[name]
    const later = async <T>(action: Promise<T>) => {
      await action
      await bench.chain.travel(86_400 * 20)
    }
    const found = await bench.played(wallet, async () => {
      await later(market.supply(wallet, weth, ether('10')))
      await later(market.supply(wallet, weth, ether('1')))
      await later(market.borrow(wallet, usdc, usd('1000')))
      await later(market.borrow(wallet, usdc, usd('100')))
      await later(market.repay(wallet, usdc, usd('50')))
      await later(market.withdraw(wallet, weth, ether('2')))
      await later(market.repay(wallet, usdc, maxUint256))
      // Less than the interest since: the contract logs it as a mint.
      await later(market.withdraw(wallet, weth, 5n))
      await market.withdraw(wallet, weth, maxUint256)
    })
    const lend = `LEND ${protocol}, move -weth, move +supply of weth`
    const borrow = `BORROW ${protocol}, borrow +debt of usdc, borrow +usdc`
    const repay = `REPAYVAULT ${protocol}, repay -debt of usdc, repay -usdc`
    const withdraw = `WITHDRAW ${protocol}, move -supply of weth, move +weth`
    expectRead(found, [lend, lend, borrow, borrow, repay, withdraw, repay, withdraw, withdraw])
    const principal = found
      .flatMap(({ movements }) => movements)
      .filter(({ token }) => nameOf(token) === 'supply of weth')
    expect(principal.slice(0, 4).map(({ amountRaw }) => amountRaw)).toEqual([ether('10'), ether('1'), -ether('2'), -5n])
    const debts = found.flatMap(({ movements }) => movements).filter(({ debt }) => debt)
    expect(debts.slice(0, 3).map(({ amountRaw }) => amountRaw)).toEqual([usd('1000'), usd('100'), -usd('50')])
  })

  it('sends what is lent to another wallet: the amount, on both sides', async () => {
    const [wallet, other] = [newWallet(), newWallet()]
    const market = play[name]
    const aToken = await aTokenOf(name)
    for (const one of [wallet, other]) {
      await play.erc20.mint(weth, one, ether('10'))
      await market.supply(one, weth, ether('10'))
    }
    await bench.chain.travel(86_400 * 20)
    const sender = await bench.played(wallet, () => play.erc20.transfer(aToken, wallet, other, ether('3')))
    expectRead(sender, ['TRANSFEROUT null, send -supply of weth'])
    expect(sender[0]?.movements[0]?.amountRaw).toBe(-ether('3'))
    await bench.chain.travel(86_400 * 20)
    const receiver = await bench.played(other, () => play.erc20.transfer(aToken, wallet, other, ether('2')))
    expectRead(receiver, ['TRANSFERIN null, acquire +supply of weth'])
    expect(receiver[0]?.movements[0]?.amountRaw).toBe(ether('2'))
  })
})

it('compound_v2 lends, borrows, repays and redeems, in tokens and in the native coin', async () => {
  const wallet = await walletWith({ coin: ether('6'), dai: ether('100') })
  const { ceth, cdai } = at.compoundV2.markets
  const found = await bench.played(wallet, async () => {
    await play.compoundV2.mint(wallet, ceth, ether('5'))
    await play.compoundV2.mint(wallet, cdai, ether('100'))
    await play.compoundV2.enter(wallet, [ceth])
    await play.compoundV2.borrow(wallet, cdai, ether('40'))
    await play.compoundV2.borrow(wallet, ceth, ether('0.5'))
    await play.compoundV2.repay(wallet, ceth, ether('0.25'))
    await play.compoundV2.repay(wallet, cdai, ether('10'))
    await play.compoundV2.redeem(wallet, ceth, 10n ** 8n)
    await play.compoundV2.redeem(wallet, cdai, 10n ** 8n)
    await contract(at.compoundV2.comptroller).write(wallet, 'claimVenus', wallet)
  })
  expectRead(found, [
    'LEND compound_v2, move -native, move +ceth',
    'LEND compound_v2, move -dai, move +cdai',
    'INTERACTION compound_v2',
    'BORROW compound_v2, borrow +dai',
    'BORROW compound_v2, borrow +native',
    'REPAYVAULT compound_v2, repay -native',
    'REPAYVAULT compound_v2, repay -dai',
    'WITHDRAW compound_v2, move -ceth, move +native',
    'WITHDRAW compound_v2, move +dai, move -cdai',
    'CLAIM compound_v2, income +xvs',
  ])
})

describe('compound_v3', () => {
  const { usdc: comet, weth: etherComet } = at.compoundV3.comets
  const account = 'move cusdcv3'
  const amountsOf = (found: readonly WalletTransaction[], token: Address) =>
    found.flatMap(({ movements }) =>
      movements.filter((one) => one.token === evmAddress(token)).map(({ amountRaw }) => amountRaw),
    )

  it('lends and withdraws the base token', async () => {
    const wallet = await walletWith({ usdc: usd('1000') })
    const found = await bench.played(wallet, async () => {
      await play.compoundV3.supply(wallet, comet, usdc, usd('600'))
      await bench.chain.travel(86_400 * 20)
      await play.compoundV3.supply(wallet, comet, usdc, usd('400'))
      await play.compoundV3.withdraw(wallet, comet, usdc, usd('100'))
      await play.compoundV3.withdraw(wallet, comet, usdc, maxUint256)
    })
    const lend = 'LEND compound_v3, move -usdc, move +cusdcv3'
    const withdraw = 'WITHDRAW compound_v3, move +usdc, move -cusdcv3'
    expectRead(found, [lend, lend, withdraw, withdraw])
  })

  it('puts collateral in and takes it out: the account is the other side', async () => {
    const wallet = await walletWith({ weth: ether('3') })
    const found = await bench.played(wallet, async () => {
      await play.compoundV3.supply(wallet, comet, weth, ether('2'))
      await play.compoundV3.supply(wallet, comet, weth, ether('1'))
      await play.compoundV3.withdraw(wallet, comet, weth, ether('3'))
    })
    const deposit = `DEPOSIT compound_v3, move -weth, ${account}`
    expectRead(found, [deposit, deposit, `WITHDRAW compound_v3, move +weth, ${account}`])
    expect(amountsOf(found, weth)).toEqual([ether('-2'), ether('-1'), ether('3')])
  })

  it('borrows and repays, and crosses zero both ways', async () => {
    const wallet = await walletWith({ weth: ether('3'), usdc: usd('1000') })
    await play.compoundV3.supply(wallet, comet, weth, ether('3'))
    const found = await bench.played(wallet, async () => {
      await play.compoundV3.withdraw(wallet, comet, usdc, usd('500'))
      await bench.chain.travel(86_400 * 20)
      await play.compoundV3.supply(wallet, comet, usdc, usd('200'))
      await play.compoundV3.supply(wallet, comet, usdc, usd('800'))
      await play.compoundV3.withdraw(wallet, comet, usdc, usd('700'))
      await play.compoundV3.supply(wallet, comet, usdc, maxUint256)
    })
    const owed = (way: string) => `${way} cusdcv3`
    const repay = `REPAYVAULT compound_v3, repay -usdc, ${owed('repay')}`
    expectRead(found, [
      `BORROW compound_v3, borrow +usdc, ${owed('borrow')}`,
      repay,
      `MULTITYPE compound_v3, repay -usdc, ${owed('repay')}, 1 move -usdc, 1 move +cusdcv3`,
      `MULTITYPE compound_v3, borrow +usdc, ${owed('borrow')}, 1 move +usdc, 1 move -cusdcv3`,
      repay,
    ])
    // Repayment beyond 500 is interest. The rest of 1,000 was lent, and withdrawn with the second loan.
    const [borrowed = 0n, first = 0n, repaid = 0n, lent = 0n, again = 0n, withdrawn = 0n, last = 0n] = amountsOf(
      found,
      usdc,
    )
    expect([borrowed, first]).toEqual([usd('500'), -usd('200')])
    expect(repaid + lent).toBe(-usd('800'))
    expect(-repaid).toBeGreaterThan(usd('300'))
    expect(-repaid).toBeLessThan(usd('302'))
    expect(again + withdrawn).toBe(usd('700'))
    expect(withdrawn + lent).toBeLessThan(10n)
    expect(-last - again).toBeLessThan(10n)
    expect(-last - again).toBeGreaterThanOrEqual(0n)
  })

  it('does all of it through the bulker, in native coin', async () => {
    const wallet = await walletWith({ coin: ether('20') })
    for (const one of [comet, etherComet]) await play.compoundV3.allowBulker(wallet, one)
    const found = await bench.played(wallet, async () => {
      await play.compoundV3.bulk(wallet, [['ACTION_SUPPLY_NATIVE_TOKEN', comet, wallet, ether('3')]], ether('3.5'))
      await play.compoundV3.bulk(wallet, [['ACTION_SUPPLY_NATIVE_TOKEN', etherComet, wallet, ether('4')]], ether('4'))
      await play.compoundV3.bulk(wallet, [
        ['ACTION_WITHDRAW_NATIVE_TOKEN', comet, wallet, ether('1')],
        ['ACTION_WITHDRAW_NATIVE_TOKEN', etherComet, wallet, ether('2')],
        ['ACTION_WITHDRAW_ASSET', comet, wallet, usdc, usd('300')],
      ])
      await bench.chain.travel(86_400)
      await play.compoundV3.bulk(wallet, [
        ['ACTION_CLAIM_REWARD', comet, at.compoundV3.rewards, wallet, true],
        ['ACTION_WITHDRAW_NATIVE_TOKEN', etherComet, wallet, ether('1')],
      ])
    })
    expectRead(found, [
      `DEPOSIT compound_v3, move -native, ${account}`,
      'LEND compound_v3, move -native, move +cwethv3',
      `MULTITYPE compound_v3, 2 move -cwethv3, 1 borrow +usdc, 1 borrow cusdcv3, move +native, ${account}, 2 move +native`,
      'WITHDRAW compound_v3, income +comp, 1 move -cwethv3, 1 move +native',
    ])
  })

  it('passes what is lent from wallet to wallet: the other is the counterparty', async () => {
    const [wallet, other] = [await walletWith({ usdc: usd('100') }), newWallet()]
    await play.compoundV3.supply(wallet, comet, usdc, usd('100'))
    const before = await bench.client.getBlockNumber()
    const sent = await bench.played(wallet, () => play.erc20.transfer(comet, wallet, other, usd('40')))
    const received = await bench.readSince(other, before)
    expectRead(sent, ['TRANSFEROUT null, send -cusdcv3'])
    expectRead(received, ['TRANSFERIN null, acquire +cusdcv3'])
    expect(sent[0]?.movements[0]?.counterparty).toBe(evmAddress(other))
    expect(received[0]?.movements[0]?.counterparty).toBe(evmAddress(wallet))
  })

  it('moves nothing in the wallet where collateral passes inside, and where another claims nothing', async () => {
    const [wallet, other] = [await walletWith({ weth: ether('2') }), newWallet()]
    await play.compoundV3.supply(wallet, comet, weth, ether('2'))
    const before = await bench.client.getBlockNumber()
    const found = await bench.played(wallet, async () => {
      await play.compoundV3.transferAsset(wallet, comet, weth, ether('1'), other)
      await play.compoundV3.claim(wallet, comet)
    })
    expectRead(found, ['INTERACTION compound_v3', 'INTERACTION compound_v3'])
    expectRead(await bench.readSince(other, before), ['INTERACTION null'])
  })

  it('pays rewards, also where another wallet claims them', async () => {
    const [wallet, other] = [await walletWith({ usdc: usd('10000') }), newWallet()]
    await play.compoundV3.supply(wallet, comet, usdc, usd('10000'))
    await bench.chain.travel(86_400)
    const found = await bench.played(wallet, async () => {
      await play.compoundV3.claim(wallet, comet)
      await bench.chain.travel(86_400)
      await play.compoundV3.claim(other, comet, wallet)
    })
    const claim = 'CLAIM compound_v3, income +comp'
    expectRead(found, [claim, claim])
  })

  it.each([
    ['0.0001', ''],
    ['0.72', ', repay +cusdcv3'],
  ])('is absorbed when its collateral falls to %s of its price', async (part, left) => {
    const [wallet, absorber] = [await walletWith({ link: ether('100') }), newWallet()]
    await play.compoundV3.supply(wallet, comet, at.tokens.link, ether('100'))
    await play.compoundV3.withdraw(wallet, comet, usdc, usd('1000'))
    const answer = await play.feeds.answer(at.feeds.linkUsd)
    await play.feeds.set(at.feeds.linkUsd, (answer * parseUnits(part, 4)) / 10_000n)
    const fromBlock = await bench.client.getBlockNumber()
    const found = await bench.played(wallet, () => play.compoundV3.absorb(absorber, comet, wallet))
    await play.feeds.set(at.feeds.linkUsd, answer)
    expectRead(found, [`REPAYVAULT compound_v3, repay cusdcv3${left}`])
    expectRead(await bench.readSince(absorber, fromBlock), ['INTERACTION compound_v3'])
  })
})

describe('morpho', () => {
  const { wethUsdc, wbtcWeth } = morphoMarkets
  const numbersIn = (found: readonly WalletTransaction[]) =>
    new Set(found.flatMap(({ movements }) => movements.flatMap(({ tokenId }) => tokenId ?? [])))
  const numberOf = (market: typeof wethUsdc | typeof wbtcWeth) => BigInt(marketId(market))

  it('supplies and withdraws, with what it earned', async () => {
    const wallet = await walletWith({ usdc: usd('1000') })
    const found = await bench.played(wallet, async () => {
      await play.morpho.supply(wallet, wethUsdc, usd('600'))
      await bench.chain.travel(86_400 * 30)
      await play.morpho.supply(wallet, wethUsdc, { shares: 10n ** 12n })
      await play.morpho.withdraw(wallet, wethUsdc, usd('100'))
      await play.morpho.withdraw(wallet, wethUsdc, { shares: await sharesOf(wallet) })
    })
    const [lend, withdraw] = ['LEND morpho, move -usdc, move blue', 'WITHDRAW morpho, move +usdc, move blue']
    expectRead(found, [lend, lend, withdraw, withdraw])
    expect(numbersIn(found)).toEqual(new Set([numberOf(wethUsdc)]))
  })

  it('puts in collateral, borrows, repays and takes it out, in two markets', async () => {
    const wallet = await walletWith({ weth: ether('2'), wbtc: 10n ** 8n })
    const found = await bench.played(wallet, async () => {
      await play.morpho.supplyCollateral(wallet, wethUsdc, ether('2'))
      await play.morpho.borrow(wallet, wethUsdc, usd('700'))
      await play.morpho.supplyCollateral(wallet, wbtcWeth, 10n ** 8n)
      await play.morpho.borrow(wallet, wbtcWeth, ether('1'))
      await play.morpho.repay(wallet, wethUsdc, usd('300'))
      await play.erc20.mint(usdc, wallet, usd('300'))
      await play.morpho.repay(wallet, wethUsdc, { shares: await debtSharesOf(wallet) })
      await play.morpho.withdrawCollateral(wallet, wethUsdc, ether('2'))
    })
    expectRead(found, [
      'DEPOSIT morpho, move -weth, move blue',
      'BORROW morpho, borrow +usdc, borrow blue',
      'DEPOSIT morpho, move -wbtc, move blue',
      'BORROW morpho, borrow +weth, borrow blue',
      'REPAYVAULT morpho, repay -usdc, repay blue',
      'TRANSFERIN null, acquire +usdc',
      'REPAYVAULT morpho, repay -usdc, repay blue',
      'WITHDRAW morpho, move +weth, move blue',
    ])
    expect(numbersIn(found)).toEqual(new Set([numberOf(wethUsdc), numberOf(wbtcWeth)]))
  })

  const positionOf = (wallet: Address) =>
    contract(at.morpho.blue).read<[bigint, bigint, bigint]>('position', marketId(wethUsdc), wallet)
  const sharesOf = async (wallet: Address) => (await positionOf(wallet))[0]
  const debtSharesOf = async (wallet: Address) => (await positionOf(wallet))[1]

  it('does all of it through a bundler, which pays and is paid', async () => {
    const wallet = await walletWith({ coin: ether('10'), usdc: usd('2000') })
    await play.erc20.allow(usdc, wallet, at.morpho.adapter)
    await play.morpho.authorize(wallet, at.morpho.adapter)
    const found = await bench.played(wallet, async () => {
      await play.morpho.bundle(
        wallet,
        [['wrap'], ['supplyCollateral', wethUsdc, maxUint256, wallet], ['borrow', wethUsdc, usd('500'), wallet]],
        ether('2'),
      )
      await play.morpho.bundle(wallet, [
        ['pull', usdc, usd('800')],
        ['supply', wethUsdc, usd('700'), wallet],
        ['sweep', usdc, wallet],
      ])
      await play.morpho.bundle(wallet, [
        ['pull', usdc, usd('600')],
        ['repay', wethUsdc, 0n, await debtSharesOf(wallet)],
        ['sweep', usdc, wallet],
        ['withdrawCollateral', wethUsdc, ether('2'), at.morpho.adapter],
        ['unwrap', wallet],
      ])
      await play.morpho.bundle(wallet, [['withdraw', wethUsdc, 0n, await sharesOf(wallet), wallet]])
    })
    expectRead(found, [
      'MULTITYPE morpho, move -native, move blue, 1 borrow +usdc, 1 borrow blue',
      'LEND morpho, move -usdc, move blue',
      'MULTITYPE morpho, 1 repay -usdc, 1 repay blue, move +native, move blue',
      'WITHDRAW morpho, move +usdc, move blue',
    ])
  })

  it('lends to vaults of both versions, by itself and through a bundler', async () => {
    const wallet = await walletWith({ usdc: usd('4000') })
    const { first, second } = morphoVaults()
    for (const vault of [first, second]) await play.erc20.allow(vault, wallet, at.morpho.adapter)
    await play.erc20.allow(usdc, wallet, at.morpho.adapter)
    await play.morpho.authorize(wallet, at.morpho.adapter)
    const found = await bench.played(wallet, async () => {
      for (const vault of [first, second]) {
        await play.morpho.deposit(wallet, vault, usd('900'))
        await play.morpho.bundle(wallet, [
          ['pull', usdc, usd('700')],
          ['deposit', usdc, vault, maxUint256, wallet],
        ])
        await bench.chain.travel(86_400)
        await play.morpho.redeem(wallet, vault, (await play.erc20.balanceOf(vault, wallet)) / 2n)
        await play.morpho.bundle(wallet, [['redeem', vault, await play.erc20.balanceOf(vault, wallet), wallet]])
      }
    })
    const steps = ['mvusdc', 'mvv2'].flatMap((name) => [
      ...[1, 2].map(() => `LEND morpho, move -usdc, move +${name}`),
      ...[1, 2].map(() => `WITHDRAW morpho, move -${name}, move +usdc`),
    ])
    expectRead(found, steps)
  })

  it('pays for another, and is paid out of the position of another', async () => {
    const [wallet, other] = [await walletWith({ usdc: usd('100') }), newWallet()]
    const before = await bench.client.getBlockNumber()
    const found = await bench.played(wallet, async () => {
      await play.morpho.supply(wallet, wethUsdc, usd('100'), other)
      await play.morpho.withdraw(other, wethUsdc, usd('40'), wallet)
    })
    expectRead(found, ['TRANSFEROUT morpho, send -usdc', 'TRANSFERIN null, acquire +usdc'])
    const sent = found.find(({ type }) => type === 'TRANSFEROUT')
    expect(sent?.movements[0]?.counterparty).toBe(evmAddress(other))
    const theirs = await bench.readSince(other, before)
    expectRead(theirs, ['INTERACTION null', 'INTERACTION morpho'])
  })

  it('is liquidated in part, then whole with bad debt: sold for what it relieves of the debt', async () => {
    const [wallet, liquidator] = [await walletWith({ weth: ether('10') }), newWallet()]
    await play.morpho.supplyCollateral(wallet, wethUsdc, ether('10'))
    await play.morpho.borrow(wallet, wethUsdc, usd('20000'))
    await play.erc20.mint(usdc, liquidator, usd('30000'))
    await play.erc20.allow(usdc, liquidator, at.morpho.blue)
    const price = await play.morpho.price(wethUsdc.oracle)
    await play.morpho.setPrice(wethUsdc.oracle, (price * 75n) / 100n)
    const before = await bench.client.getBlockNumber()
    await play.morpho.liquidate(liquidator, wethUsdc, wallet, ether('4'))
    await play.morpho.setPrice(wethUsdc.oracle, price / 3n)
    const [, debt] = await positionOf(wallet)
    await play.morpho.liquidate(liquidator, wethUsdc, wallet, ether('6'))
    await play.morpho.setPrice(wethUsdc.oracle, price)
    const found = await bench.readSince(wallet, before)
    const seized = 'REPAYVAULT morpho, move +weth, move blue, 1 swap -weth, 1 swap +usdc, 2 repay -usdc, 2 repay blue'
    expectRead(found, [seized, seized])
    expect(debt).toBeGreaterThan(0n)
    expect(await positionOf(wallet)).toEqual([0n, 0n, 0n])
    const amountsOf = (token: Address, index: number) =>
      found[index]?.movements.flatMap(({ token: one, amountRaw }) =>
        one === evmAddress(token) && amountRaw > 0n ? [amountRaw] : [],
      )
    expect([amountsOf(weth, 0), amountsOf(weth, 1)]).toEqual([[ether('4')], [ether('6')]])
    const relieved = [...(amountsOf(usdc, 0) ?? []), ...(amountsOf(usdc, 1) ?? [])].reduce((a, b) => a + b, 0n)
    // All of the debt, with the interest of a few blocks.
    expect(relieved).toBeGreaterThanOrEqual(usd('20000'))
    expect(relieved).toBeLessThan(usd('20001'))
    expectRead(await bench.readSince(liquidator, before), [
      'SWAP morpho, swap +weth, swap -usdc',
      'SWAP morpho, swap +weth, swap -usdc',
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
    const wallet = await walletWith({ usdc: usd('2000') }, loner())
    const found = await bench.played(wallet, async () => {
      await play.euler.call(wallet, vaults.usdc, 'deposit', usd('900'), wallet)
      await play.euler.batch(wallet, [[wallet, vaults.earn, 'deposit', usd('600'), wallet]])
      await bench.chain.travel(86_400 * 20)
      await play.euler.batch(wallet, [[wallet, vaults.usdc, 'withdraw', usd('100'), wallet, wallet]])
      const [shares, earned] = [
        await play.erc20.balanceOf(vaults.usdc, wallet),
        await play.erc20.balanceOf(vaults.earn, wallet),
      ]
      await play.euler.call(wallet, vaults.usdc, 'redeem', shares, wallet, wallet)
      await play.euler.call(wallet, vaults.earn, 'redeem', earned, wallet, wallet)
    })
    expectRead(found, [
      'LEND euler_v2, move -usdc, move +eusdc',
      'LEND euler_v2, move -usdc, move +earn',
      'WITHDRAW euler_v2, move -eusdc, move +usdc',
      'WITHDRAW euler_v2, move -eusdc, move +usdc',
      'WITHDRAW euler_v2, move -earn, move +usdc',
    ])
  })

  it('borrows and repays as the wallet itself: the token of the debt moves nothing', async () => {
    const wallet = await walletWith({ weth: ether('3') }, loner())
    const found = await bench.played(wallet, async () => {
      await play.euler.batch(wallet, openDebt(wallet, 0, ether('3'), usd('2000')))
      await bench.chain.travel(86_400 * 20)
      await play.euler.call(wallet, vaults.usdc, 'borrow', usd('300'), wallet)
      await play.euler.call(wallet, vaults.usdc, 'repay', usd('800'), wallet)
      await play.erc20.mint(usdc, wallet, usd('1000'))
      await play.euler.call(wallet, vaults.usdc, 'repay', 2n ** 256n - 1n, wallet)
      await play.euler.call(wallet, vaults.usdc, 'disableController')
    })
    const repaid = 'REPAYVAULT euler_v2, repay -usdc, repay evc'
    expectRead(found, [
      'MULTITYPE euler_v2, 1 move -weth, 1 move +eweth, borrow +usdc, borrow evc',
      'BORROW euler_v2, borrow +usdc, borrow evc',
      repaid,
      'TRANSFERIN null, acquire +usdc',
      repaid,
      'INTERACTION euler_v2',
    ])
    expect(numbersIn(found)).toEqual([0n, 0n, 0n, 0n])
  })

  it("uses sub-accounts: what goes there stays the wallet's, under the number of each", async () => {
    const wallet = await walletWith({ weth: ether('3'), usdc: usd('500') }, loner())
    const [first, second] = [eulerAccount(wallet, 7), eulerAccount(wallet, 200)]
    const found = await bench.played(wallet, async () => {
      await play.euler.batch(wallet, openDebt(wallet, 7, ether('3'), usd('2000')))
      await play.euler.call(wallet, vaults.usdc, 'deposit', usd('500'), second)
      await bench.chain.travel(86_400 * 20)
      await play.euler.batch(wallet, [[wallet, vaults.usdc, 'repay', usd('900'), first]])
      await play.euler.batch(wallet, [[first, vaults.weth, 'withdraw', ether('1'), wallet, first]])
      await play.euler.batch(wallet, [[second, vaults.usdc, 'transfer', wallet, usd('100')]])
      await play.euler.call(wallet, vaults.usdc, 'transfer', second, usd('40'))
      await play.euler.batch(wallet, [[second, vaults.usdc, 'redeem', usd('300'), wallet, second]])
    })
    expectRead(found, [
      'MULTITYPE euler_v2, move -weth, move evc, 1 borrow +usdc, 1 borrow evc',
      'LEND euler_v2, move -usdc, move evc',
      'REPAYVAULT euler_v2, repay -usdc, repay evc',
      'WITHDRAW euler_v2, move +weth, move evc',
      'WITHDRAW euler_v2, move +eusdc, move evc',
      'DEPOSIT euler_v2, move -eusdc, move evc',
      'WITHDRAW euler_v2, move +usdc, move evc',
    ])
    expect(numbersIn(found)).toEqual([7n, 7n, 200n, 7n, 7n, 200n, 200n, 200n])
  })

  it('repays the debt of a sub-account with its shares: both leave the position', async () => {
    const wallet = await walletWith({ weth: ether('3') }, loner())
    const account = eulerAccount(wallet, 3)
    const found = await bench.played(wallet, async () => {
      await play.euler.batch(wallet, openDebt(wallet, 3, ether('3'), usd('2000')))
      await play.euler.batch(wallet, [[wallet, vaults.usdc, 'deposit', usd('700'), account]])
      await play.euler.batch(wallet, [[account, vaults.usdc, 'repayWithShares', usd('600'), account]])
    })
    expectRead(found, [
      'MULTITYPE euler_v2, move -weth, move evc, 1 borrow +usdc, 1 borrow evc',
      'LEND euler_v2, move -usdc, move evc',
      'REPAYVAULT euler_v2, move +usdc, move evc, 2 repay -usdc, 2 repay evc',
    ])
  })

  it('is liquidated in a sub-account, then as itself; who takes over the debt is paid in shares', async () => {
    const [wallet, liquidator] = [loner(), loner()]
    const account = eulerAccount(wallet, 9)
    await play.erc20.mint(weth, wallet, ether('10'))
    await play.erc20.mint(weth, liquidator, ether('50'))
    for (const number of [9, 0]) {
      await play.euler.batch(wallet, openDebt(wallet, number, ether('5'), usd('10000')))
    }
    await play.euler.batch(liquidator, openDebt(liquidator, 0, ether('50'), 1n))
    await play.euler.setPrice(weth, 2200n * 10n ** 18n)
    const before = await bench.client.getBlockNumber()
    const all = 2n ** 256n - 1n
    await play.euler.call(liquidator, vaults.usdc, 'liquidate', account, vaults.weth, usd('3000'), 0n)
    await play.euler.call(liquidator, vaults.usdc, 'liquidate', wallet, vaults.weth, all, 0n)
    await play.euler.setPrice(weth, 3000n * 10n ** 18n)
    const found = await bench.readSince(wallet, before)
    expectRead(found, [
      'REPAYVAULT euler_v2, move +weth, move evc, 1 swap -weth, 1 swap +usdc, 2 repay -usdc, 2 repay evc',
      'REPAYVAULT euler_v2, repay -eweth, repay evc',
    ])
    const seizedRaw = found[0]?.movements.find(({ token }) => token === evmAddress(weth))?.amountRaw ?? 0n
    const left = await play.erc20.balanceOf(vaults.weth, account)
    const kept = await contract(vaults.weth).read('convertToAssets', left)
    // Seized and remaining assets make up the deposit and the interest of some blocks. Deposited shares, seized assets
    // and remaining assets are each rounded down.
    expect(seizedRaw + kept).toBeGreaterThanOrEqual(ether('5') - 3n)
    expect(seizedRaw + kept).toBeLessThan(ether('5.001'))
    expectRead(
      await bench.readSince(liquidator, before),
      [1, 2].map(() => 'TRANSFERIN euler_v2, acquire +eweth'),
    )
  })
})

it('erc4626 deposits and withdraws', async () => {
  const wallet = await walletWith({ usdc: usd('100') })
  const found = await bench.played(wallet, async () => {
    await play.vault.deposit(wallet, usd('100'))
    await play.vault.earn(usd('500'))
    await play.vault.redeem(wallet, await play.erc20.balanceOf(at.local.vault, wallet))
  })
  expectRead(found, ['DEPOSIT erc4626, move -usdc, move +vault', 'WITHDRAW erc4626, move -vault, move +usdc'])
})

it('lido stakes, wraps, unwraps and sends', async () => {
  const [wallet, other] = [newWallet(), newWallet()]
  const { steth, wsteth } = at.lido
  await bench.fund(wallet, ether('5'))
  const found = await bench.played(wallet, async () => {
    await bench.send(wallet, steth, contract(steth).data('submit', zeroAddress), ether('2'))
    await bench.send(wallet, wsteth, '0x', ether('1'))
    await play.lido.wrap(wallet, ether('1.5'))
    await play.lido.rebase(ether('50'))
    await play.lido.unwrap(wallet, await play.erc20.balanceOf(wsteth, wallet))
    await play.lido.transferShares(wallet, other, 12_345n)
    await play.erc20.transfer(steth, wallet, other, 54_321n)
  })
  expectRead(found, [
    'STAKE lido, move -native, move +steth, 1 fee -native',
    'STAKE lido, move -native, move +wsteth, 1 fee -native',
    'WRAP lido, move +wsteth, move -steth',
    'UNWRAP lido, move -wsteth, move +steth',
    'TRANSFEROUT null, send -steth',
    'TRANSFEROUT null, send -steth',
  ])
})

it('lido carries what coin cost through requests that pay less than was asked for', async () => {
  const wallet = await walletWith({ coin: ether('5') })
  const found = await bench.played(wallet, async () => {
    await play.lido.stake(wallet, ether('4'))
    await play.lido.request(wallet, [ether('1'), ether('0.5')])
    await play.lido.finalizeAll(10n ** 27n / 2n)
    await play.lido.claim(wallet, await play.lido.requestsOf(wallet))
  })
  const { costs } = namedHistory(bench, () => ({ coin: NATIVE, steth: at.lido.steth }))
  const booked = costs(wallet, 'coin 2000 had 5 at 1500, steth 1900', found)
  expect(booked).toMatchObject(unsold('7500'))
  expect(Object.keys(booked.held).toSorted()).toEqual(['coin', 'steth'])
  expect(await bench.client.getBalance({ address: wallet })).toBeLessThan(ether('2.5'))
})

it('lido moves stETH into a request and the request into coin, for any payer and amount', async () => {
  const wallet = newWallet()
  const other = newWallet()
  await bench.fund(wallet, ether('5'))
  await play.lido.submit(other, ether('1'))
  const found = await bench.played(wallet, async () => {
    await play.lido.stake(wallet, ether('4'))
    await play.lido.wrap(wallet, ether('1'))
    await play.lido.request(wallet, [ether('1'), ether('0.5')])
    await play.lido.request(wallet, [ether('0.25'), ether('0.125')], wallet, true)
    // For another wallet, and from another wallet.
    await play.lido.request(wallet, [ether('0.5')], other)
    await play.lido.request(other, [ether('0.5')], wallet)
    await play.lido.finalizeAll(10n ** 27n / 2n)
    const [first, second, third, fourth] = await play.lido.requestsOf(wallet)
    if (!first || !second || !third || !fourth) throw new Error('a request is missing')
    await play.lido.claim(wallet, [first, second])
    await play.lido.claim(wallet, [third], other)
    await play.lido.passRequest(wallet, other, fourth)
  })
  const queue = 'withdrawalQueue'
  expectRead(found, [
    'STAKE lido, move -native, move +steth',
    'WRAP lido, move +wsteth, move -steth',
    `UNSTAKE lido, move -steth, move +${queue}, 1 move -steth, 1 move +${queue}`,
    `UNSTAKE lido, move -wsteth, move +${queue}, 1 move -wsteth, 1 move +${queue}`,
    'TRANSFEROUT lido, send -steth',
    `TRANSFERIN null, acquire +${queue}`,
    `WITHDRAW lido, move -${queue}, 1 move -${queue}, move +native, 1 move +native`,
    `TRANSFEROUT null, send -${queue}`,
    `TRANSFEROUT null, send -${queue}`,
  ])
})

it('ethena moves what a cooldown burns into the silo, and out of it again', async () => {
  const wallet = newWallet()
  const { susde } = at.ethena
  const found = await bench.played(wallet, async () => {
    await play.ethena.stake(wallet, ether('1000'))
    await play.ethena.reward(ether('900'))
    await bench.chain.travel(86_400)
    await play.ethena.coolShares(wallet, ether('300'))
    await play.ethena.coolAssets(wallet, ether('100'))
    await play.erc20.transfer(susde, wallet, newWallet(), ether('1'))
    await bench.chain.travel(7 * 86_400)
    await play.ethena.unstake(wallet)
    await play.ethena.coolShares(wallet, ether('1'))
    await bench.chain.travel(7 * 86_400)
    // Another recipient's payment is no movement of the wallet.
    await play.ethena.unstake(wallet, newWallet())
  })
  const request = 'UNSTAKE ethena, move -susde, move +usde, 1 move -usde, 1 move silo'
  expectRead(found, [
    'TRANSFERIN null, acquire +usde',
    'STAKE ethena, move -usde, move +susde',
    ...[request, request],
    'TRANSFEROUT null, send -susde',
    'WITHDRAW ethena, move +usde, move silo',
    request,
    'INTERACTION ethena',
  ])
})

it('aave_safety_module stakes, cools down, claims and redeems: shares keep their cost', async () => {
  const [wallet, other] = [newWallet(), newWallet()]
  const found = await bench.played(wallet, async () => {
    await play.safetyModule.stake(wallet, ether('10'))
    await play.safetyModule.coolDown(wallet)
    await bench.chain.travel(20 * 86_400)
    await play.safetyModule.redeem(wallet, ether('4'))
    await play.safetyModule.claim(wallet)
    await bench.chain.travel(60)
    await play.safetyModule.redeem(wallet)
    await play.safetyModule.claim(wallet, other)
  })
  expectRead(found, [
    'TRANSFERIN null, acquire +aave',
    'STAKE aave_safety_module, move -aave, move +stkAave',
    'INTERACTION aave_safety_module',
    'UNSTAKE aave_safety_module, move -stkAave, move +aave',
    'CLAIM aave_safety_module, income +aave',
    'UNSTAKE aave_safety_module, move -stkAave, move +aave',
    'INTERACTION aave_safety_module',
  ])
})

it('ethena takes out what others unstake to the wallet, up to what waits there', async () => {
  const [wallet, other] = [newWallet(), newWallet()]
  for (const each of [wallet, other]) await play.ethena.stake(each, ether('1000'))
  await play.ethena.coolAssets(other, 1n)
  await bench.chain.travel(7 * 86_400)
  const found = await bench.played(wallet, () => play.ethena.unstake(other, wallet))
  expectRead(found, ['WITHDRAW ethena, move +usde, move silo'])
  expect(found[0]?.movements.map(({ amountRaw }) => amountRaw)).toEqual([1n, 0n])
})

it('uniswap_v2 adds, swaps and removes', async () => {
  const wallet = await walletWith({ weth: ether('3'), usdc: usd('3000') })
  const found = await bench.played(wallet, async () => {
    await play.uniswapV2.add(wallet, ...sides)
    await play.uniswapV2.swap(wallet, { token: weth, amount: ether('1') }, usdc)
    await play.uniswapV2.remove(wallet, weth, usdc)
  })
  expectRead(found, [
    'ADDLIQUIDITY uniswap_v2, move -weth, move -usdc, move +pair of usdc weth',
    'SWAP uniswap_v2, swap -weth, swap +usdc',
    'REMOVELIQUIDITY uniswap_v2, move -pair of usdc weth, move +usdc, move +weth',
  ])
})

it('uniswap_v3 mints, increases, swaps, collects fees, and takes all out', async () => {
  const wallet = await walletWith({ weth: ether('6'), usdc: usd('9000') })
  const trade = async () => {
    await play.uniswapV3.swap(wallet, { token: weth, amount: ether('0.5') }, usdc, 500)
    await play.uniswapV3.swap(wallet, { token: usdc, amount: usd('500') }, weth, 500)
  }
  const found = await bench.played(wallet, async () => {
    const id = await play.uniswapV3.mint(wallet, ...sides, 500, { below: 100, above: 100 })
    await play.uniswapV3.increase(wallet, id, usd('3000'), ether('1'))
    await trade()
    await play.uniswapV3.collect(wallet, id)
    await trade()
    await takeOut(wallet, id)
  })
  const swaps = ['SWAP uniswap_v3, swap +usdc, swap -weth', 'SWAP uniswap_v3, swap +weth, swap -usdc']
  expectRead(found, [
    'ADDLIQUIDITY uniswap_v3, move +manager, move -usdc, move -weth',
    'ADDLIQUIDITY uniswap_v3, move -usdc, move -weth, move manager',
    ...swaps,
    'COLLECT uniswap_v3, income +usdc, income +weth',
    ...swaps,
    'REMOVELIQUIDITY uniswap_v3, move +usdc, move +weth, move -manager, 1 income +usdc, 1 income +weth',
  ])
})

async function liquidityOf(id: bigint): Promise<bigint> {
  return (await contract(at.uniswapV3.manager).read<bigint[]>('positions', id))[7] ?? 0n
}

/** Takes everything out, collects, and burns the NFT in one transaction, like the web site. */
async function takeOut(wallet: Address, id: bigint): Promise<void> {
  const { data, write } = contract(at.uniswapV3.manager)
  const most = 2n ** 128n - 1n
  const out = { tokenId: id, liquidity: await liquidityOf(id), amount0Min: 0n, amount1Min: 0n, deadline: 2n ** 40n }
  await write(wallet, 'multicall', [
    data('decreaseLiquidity', out),
    data('collect', { tokenId: id, recipient: wallet, amount0Max: most, amount1Max: most }),
    data('burn', id),
  ])
}

it('uniswap_v3 takes out in two steps: what waited is no income', async () => {
  const wallet = await walletWith({ weth: ether('1'), usdc: usd('3000') })
  const id = await play.uniswapV3.mint(wallet, ...sides, 500, { below: 100, above: 100 })
  const found = await bench.played(wallet, async () => {
    await play.uniswapV3.decrease(wallet, id, await liquidityOf(id))
    await play.uniswapV3.collect(wallet, id)
  })
  expectRead(found, ['REMOVELIQUIDITY uniswap_v3', 'REMOVELIQUIDITY uniswap_v3, move +usdc, move +weth, move manager'])
})

describe('uniswap_v4', () => {
  const { coin, wrapped } = at.uniswapV4.pools
  const range = { below: 600, above: 600 }
  const liquidity = 10n ** 13n
  const trade = async () => {
    const trader = await walletWith({ usdc: usd('80000'), weth: ether('10') })
    await play.native.give(trader, ether('10'))
    for (const key of [coin, wrapped]) {
      await play.uniswapV4.swap(trader, { token: usdc, amount: usd('40000') }, key)
      const back = key === coin ? zeroAddress : weth
      await play.uniswapV4.swap(trader, { token: back, amount: ether('10') }, key)
    }
  }
  const rich = async () => {
    const wallet = await walletWith({ weth: ether('6'), usdc: usd('9000'), coin: ether('6') })
    return wallet
  }
  it.each([
    ['native coin', coin, 'native', ether('1')],
    ['a token', wrapped, 'weth', 0n],
  ] as const)('mints, increases, collects, decreases and burns, against %s', async (_, key, token, value) => {
    const wallet = await rich()
    const found = await bench.played(wallet, async () => {
      const id = await play.uniswapV4.mint(wallet, key, range, { liquidity, value })
      await play.uniswapV4.increase(wallet, id, liquidity, value)
      await trade()
      await play.uniswapV4.collect(wallet, id)
      await trade()
      await play.uniswapV4.decrease(wallet, id, liquidity)
      await play.uniswapV4.burn(wallet, id)
    })
    expectRead(found, [
      `ADDLIQUIDITY uniswap_v4, move +manager, move -${token}, move -usdc`,
      `ADDLIQUIDITY uniswap_v4, move manager, move -${token}, move -usdc`,
      `COLLECT uniswap_v4, income +${token}, income +usdc`,
      `REMOVELIQUIDITY uniswap_v4, move manager, move +${token}, move +usdc`,
      `REMOVELIQUIDITY uniswap_v4, move -manager, move +${token}, move +usdc`,
    ])
    // The zero amount links the leg to its position.
    for (const { movements } of found.filter(({ type }) => type === 'ADDLIQUIDITY')) {
      expect(movements.filter(({ tokenId }) => tokenId !== null).length).toBe(1)
    }
  })

  it.each([
    ['native coin', coin, 'native', [ether('3'), usd('3000')]],
    ['a token', wrapped, 'weth', [usd('3000'), ether('3')]],
  ] as const)('mints by a router that gives back what it does not need, against %s', async (_, key, token, most) => {
    const wallet = await rich()
    const found = await bench.played(wallet, () => play.uniswapV4.zap(wallet, key, range, { liquidity, most }))
    expectRead(found, [`ADDLIQUIDITY uniswap_v4, move +manager, move -${token}, move -usdc`])
  })

  it('collects of one and ends another in one call: each has its own payments', async () => {
    const wallet = await rich()
    const kept = await play.uniswapV4.mint(wallet, wrapped, range, { liquidity })
    const ended = await play.uniswapV4.mint(wallet, wrapped, range, { liquidity })
    await trade()
    const [found, ...others] = await bench.played(wallet, () => play.uniswapV4.collectAndBurn(wallet, kept, ended))
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
    const id = await play.uniswapV4.mint(wallet, wrapped, range, { liquidity })
    await trade()
    const found = await bench.played(wallet, () => play.uniswapV4.increase(wallet, id, 1n))
    expectRead(found, ['COLLECT uniswap_v4, income +usdc, income +weth'])
  })

  it('an NFT that another minted for the wallet comes from outside, and passes on without its tokens', async () => {
    const [wallet, other] = [await rich(), newWallet()]
    let id = 0n
    const mint = async () => {
      id = await play.uniswapV4.mint(wallet, wrapped, range, { liquidity, owner: other })
    }
    expectRead(await bench.played(wallet, mint), ['ADDLIQUIDITY uniswap_v4, move -usdc, move -weth, move manager'])
    const passed = await bench.played(other, () => play.uniswapV4.send(other, wallet, id))
    expectRead(passed, ['TRANSFEROUT null, send -manager'])
  })
})

it('staking_rewards stakes, claims, takes out and leaves', async () => {
  const wallet = await walletWith({ weth: ether('1'), usdc: usd('3000') })
  const [farm, pair] = [at.stakingRewards.usdcWeth, at.uniswapV2.pairs.usdcWeth]
  await play.uniswapV2.add(wallet, ...sides)
  const share = await play.erc20.balanceOf(pair, wallet)
  await play.stakingRewards.reward(farm, ether('1000'))
  const found = await bench.played(wallet, async () => {
    await play.stakingRewards.stake(wallet, farm, share)
    await bench.chain.travel(86_400)
    await play.stakingRewards.claim(wallet, farm)
    await play.stakingRewards.withdraw(wallet, farm, share / 3n)
    await bench.chain.travel(3_600)
    await play.stakingRewards.exit(wallet, farm)
    await play.stakingRewards.claim(wallet, farm)
  })
  const protocol = 'uniswap_liquidity_mining'
  expectRead(found, [
    `STAKE ${protocol}, move -pair of usdc weth, move farm`,
    `CLAIM ${protocol}, income +uni`,
    `UNSTAKE ${protocol}, move +pair of usdc weth, move farm`,
    `UNSTAKE ${protocol}, move +pair of usdc weth, move farm, 1 income +uni`,
    `INTERACTION ${protocol}`,
  ])
})

it('pancakeswap_v3_farms stakes an NFT, changes it where it lies, claims, and gives it back', async () => {
  const wallet = await walletWith({ weth: ether('6'), usdc: usd('9000') })
  await play.pancakeChef.fund(ether('3000'))
  const found = await bench.played(wallet, async () => {
    const id = await play.pancakeV3.mint(wallet, ...sides, 500, { below: 100, above: 100 })
    await play.pancakeChef.stake(wallet, id)
    await bench.chain.travel(86_400)
    await play.pancakeChef.harvest(wallet, id)
    await play.pancakeChef.increase(wallet, id, usd('3000'), ether('1'))
    await play.pancakeV3.swap(wallet, { token: weth, amount: ether('0.5') }, usdc, 500)
    await play.pancakeChef.collect(wallet, id)
    await bench.chain.travel(86_400)
    await play.pancakeChef.decrease(wallet, id, (await play.pancakeV3.position(id))[7])
    await play.pancakeChef.collect(wallet, id)
    await play.pancakeChef.unstake(wallet, id)
  })
  const farms = 'pancakeswap_v3_farms'
  expectRead(found, [
    'ADDLIQUIDITY pancakeswap_v3, move +manager, move -usdc, move -weth',
    `STAKE ${farms}, move -manager`,
    `CLAIM ${farms}, income +cake`,
    `ADDLIQUIDITY ${farms}, move -usdc, move -weth, move manager`,
    'SWAP null, swap +usdc, swap -weth',
    `COLLECT ${farms}, income +weth`,
    `REMOVELIQUIDITY ${farms}`,
    `REMOVELIQUIDITY ${farms}, move +usdc, move +weth, move manager`,
    `UNSTAKE ${farms}, income +cake, 1 move +manager`,
  ])
  const ids = found.flatMap(({ movements }) => movements.flatMap(({ tokenId }) => tokenId ?? []))
  expect(new Set(ids).size).toBe(1)
})

it('pancakeswap_v3_farms gives an NFT to another wallet: received from outside', async () => {
  const [wallet, other] = [await walletWith({ weth: ether('1'), usdc: usd('3000') }), newWallet()]
  const id = await play.pancakeV3.mint(wallet, ...sides, 500, { below: 100, above: 100 })
  await play.pancakeChef.stake(wallet, id)
  const before = await bench.client.getBlockNumber()
  const found = await bench.played(wallet, () => contract(at.pancakeV3.chef).write(wallet, 'withdraw', id, other))
  expectRead(found, ['INTERACTION pancakeswap_v3_farms'])
  const [received] = await bench.readSince(other, before)
  expect(received?.type).toBe('TRANSFERIN')
})

it('a setting of a market moves nothing', async () => {
  const wallet = await walletWith({ weth: ether('1') })
  await play.aaveV3.supply(wallet, weth, ether('1'))
  const found = await bench.played(wallet, () => play.aaveV3.useAsCollateral(wallet, weth, false))
  expectRead(found, ['INTERACTION aave_v3'])
})

// Runs last: it makes ether cheap.
it.each([false, true])('aave_v3 liquidates, the collateral paid out as what is lent: %s', async (receiveAToken) => {
  const [wallet, liquidator] = [await walletWith({ weth: ether('2') }), await walletWith({ usdc: usd('10000') })]
  await play.aaveV3.supply(wallet, weth, ether('2'))
  await play.feeds.set(at.feeds.ethUsd, parseUnits('3000', 8))
  await play.aaveV3.borrow(wallet, usdc, usd('4000'))
  await bench.chain.travel(86_400)
  await play.feeds.set(at.feeds.ethUsd, parseUnits('2000', 8))
  await play.erc20.allow(usdc, liquidator, at.aaveV3.pool)
  const call = () =>
    contract(at.aaveV3.pool).write(liquidator, 'liquidationCall', weth, usdc, wallet, usd('1000'), receiveAToken)
  const fromBlock = await bench.client.getBlockNumber()
  const [taken] = await bench.played(wallet, call)
  expect([taken?.type, taken?.protocol]).toEqual(['REPAYVAULT', 'aave_v3'])
  const [paid] = taken?.movements.filter(({ debt }) => debt) ?? []
  expect(paid).toMatchObject({ amountRaw: -usd('1000'), treatment: 'repay' })
  expect(new Set(taken?.movements.map(({ token, leg }) => `${leg} ${nameOf(token)}`))).toEqual(
    new Set(['0 debt of usdc', '0 supply of weth']),
  )
  const bought = await bench.readSince(liquidator, fromBlock)
  expectRead(bought, [`SWAP aave_v3, swap +${receiveAToken ? 'supply of weth' : 'weth'}, swap -usdc`])
})
