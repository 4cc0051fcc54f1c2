import { addresses, type Devnet, type MarketParams, morphoMarkets, morphoVaults } from '@coffer/devnet'
import { type Address, maxUint256, parseAbi, parseEther, parseUnits, zeroAddress } from 'viem'
import type { Random } from './random-of.ts'

const at = addresses.ethereum
const { weth, usdc, dai } = at.tokens
const { ceth, cusdc, cdai } = at.compoundV2.markets
const { comets, rewardToken: comp } = at.compoundV3
const managerAbi = parseAbi([
  'function positions(uint256 id) view returns (uint96, address, address, address, uint24, int24, int24, uint128 liquidity, uint256, uint256, uint128, uint128)',
])

export type Play = (wallet: Address, random: Random) => Promise<unknown>

/** Sending may be wrapped. */
export type PlayedChain = Pick<Devnet['chains']['ethereum'], 'actions' | 'client' | 'travel'>

const someWeth = (random: Random, most = '2') => random.amount(1n, parseEther(most))
const someUsdc = (random: Random) => random.amount(1n, parseUnits('2000', 6))
const otherOf = (wallets: readonly Address[]) => (wallet: Address, random: Random) =>
  random.pick(wallets.filter((one) => one !== wallet))

/** Position NFTs of each wallet. */
function ownedNfts() {
  const owned = new Map<Address, bigint[]>()
  const of = (wallet: Address) => owned.get(wallet) ?? []
  return {
    of,
    keep: (wallet: Address, id: bigint) => owned.set(wallet, [...of(wallet), id]),
    lose(wallet: Address, id: bigint) {
      const left = of(wallet).filter((one) => one !== id)
      owned.set(wallet, left)
    },
    /** A play with one of the wallet's, if it has any. */
    play:
      (use: (wallet: Address, id: bigint, random: Random) => Promise<unknown>): Play =>
      async (wallet, random) => {
        const ids = of(wallet)
        if (ids.length > 0) await use(wallet, random.pick(ids), random)
      },
  }
}

/**
 * Repeatable, for every protocol. Contracts refuse what the wallet's means do not allow. No play gives coins without a
 * transaction.
 */
export function playsOf(chain: PlayedChain, wallets: readonly Address[]): Play[] {
  const { erc20, aaveV3, aaveV2, compoundV2, vault, lido, uniswapV2, uniswapV3, native } = chain.actions
  const positions = ownedNfts()
  const other = otherOf(wallets)
  const held = [
    ...[weth, usdc, dai, ceth, cusdc, cdai, at.local.vault, at.lido.steth, at.lido.wsteth],
    ...[at.uniswapV2.pairs.usdcWeth, comets.usdc, comets.weth, comp, ...Object.values(morphoVaults())],
  ]
  const liquidityOf = async (id: bigint) => {
    const call = { address: at.uniswapV3.manager, abi: managerAbi, functionName: 'positions', args: [id] } as const
    return (await chain.client.readContract(call))[7]
  }
  const lending = [aaveV3, aaveV2].flatMap((market): Play[] => [
    (wallet, random) => market.supply(wallet, weth, someWeth(random)),
    (wallet, random) => market.supply(wallet, usdc, someUsdc(random)),
    (wallet, random) => market.borrow(wallet, usdc, someUsdc(random)),
    (wallet, random) => market.borrow(wallet, dai, random.amount(1n, parseEther('500'))),
    (wallet, random) => market.repay(wallet, random.pick([usdc, dai]), random.pick([maxUint256, 1_000n])),
    (wallet, random) => market.withdraw(wallet, random.pick([weth, usdc]), random.pick([maxUint256, 7n, 10n ** 6n])),
  ])
  return [
    ...lending,
    ...cometPlays(chain, wallets),
    ...farmPlays(chain),
    ...v4Plays(chain, wallets),
    ...morphoPlays(chain, wallets),
    ...requestPlays(chain, wallets),
    async (wallet, random) => {
      const token = random.pick(held)
      const balance = await erc20.balanceOf(token, wallet)
      return erc20.transfer(token, wallet, other(wallet, random), random.amount(0n, balance))
    },
    (wallet, random) => native.send(wallet, other(wallet, random), random.amount(1n, parseEther('0.1'))),
    (wallet, random) => compoundV2.mint(wallet, ceth, random.amount(1n, parseEther('1'))),
    (wallet, random) => compoundV2.mint(wallet, cusdc, someUsdc(random)),
    (wallet, random) => compoundV2.borrow(wallet, random.pick([cdai, ceth]), random.amount(1n, parseEther('0.3'))),
    (wallet, random) => compoundV2.repay(wallet, random.pick([cdai, ceth]), random.amount(1n, parseEther('0.1'))),
    (wallet, random) => compoundV2.redeem(wallet, random.pick([ceth, cusdc]), random.amount(1n, 10n ** 9n)),
    (wallet, random) => vault.deposit(wallet, someUsdc(random)),
    async (wallet, random) => vault.redeem(wallet, random.amount(1n, await erc20.balanceOf(at.local.vault, wallet))),
    () => vault.earn(parseUnits('5', 6)),
    (wallet, random) => lido.wrap(wallet, random.amount(1n, parseEther('1'))),
    (wallet, random) => lido.unwrap(wallet, random.amount(1n, parseEther('1'))),
    (wallet, random) => lido.transferShares(wallet, other(wallet, random), random.amount(1n, parseEther('0.1'))),
    (_, random) => lido.rebase(random.amount(1n, parseEther('3'))),
    (wallet, random) =>
      uniswapV2.add(wallet, { token: weth, amount: someWeth(random) }, { token: usdc, amount: someUsdc(random) }),
    (wallet) => uniswapV2.remove(wallet, weth, usdc),
    (wallet, random) => uniswapV2.swap(wallet, { token: usdc, amount: someUsdc(random) }, weth),
    (wallet, random) => uniswapV3.swap(wallet, { token: weth, amount: someWeth(random) }, usdc, 500),
    async (wallet, random) => {
      const sides = [
        { token: weth, amount: someWeth(random) },
        { token: usdc, amount: someUsdc(random) },
      ] as const
      positions.keep(wallet, await uniswapV3.mint(wallet, ...sides, 500, { below: 100, above: 100 }))
    },
    positions.play((wallet, id, random) => uniswapV3.increase(wallet, id, someUsdc(random), someWeth(random))),
    positions.play(async (wallet, id) => uniswapV3.decrease(wallet, id, (await liquidityOf(id)) / 2n)),
    positions.play((wallet, id) => uniswapV3.collect(wallet, id)),
    (_, random) => chain.travel(random.index(86_400)),
  ]
}

/** Paid later: sUSDe cooldowns, and Lido withdrawals at the full rate or a third. */
function requestPlays({ actions, travel }: PlayedChain, wallets: readonly Address[]): Play[] {
  const { erc20, ethena, lido, safetyModule } = actions
  const shares = (wallet: Address) => erc20.balanceOf(at.ethena.susde, wallet)
  const some = (random: Random) => random.amount(100n, parseEther('1'))
  const withRequest = async (wallet: Address, random: Random, use: (id: bigint) => Promise<unknown>) => {
    const ids = await lido.requestsOf(wallet)
    if (ids.length > 0) await use(random.pick(ids))
  }
  return [
    (wallet, random) => ethena.stake(wallet, random.amount(1n, parseEther('2000'))),
    (_, random) => ethena.reward(random.amount(1n, parseEther('2000'))),
    async (wallet, random) => ethena.coolShares(wallet, random.amount(1n, await shares(wallet))),
    (wallet, random) => ethena.coolAssets(wallet, random.amount(1n, parseEther('500'))),
    async (wallet) => erc20.transfer(at.ethena.susde, wallet, wallets[0] ?? wallet, (await shares(wallet)) / 3n),
    async (wallet, random) => {
      await travel(7 * 86_400)
      await ethena.unstake(wallet, random.pick([wallet, wallet, random.pick(wallets)]))
    },
    (wallet, random) => safetyModule.stake(wallet, random.amount(1n, parseEther('5'))),
    (wallet) => safetyModule.coolDown(wallet),
    async (wallet, random) => {
      await travel(20 * 86_400)
      await safetyModule.redeem(wallet, random.pick([random.amount(1n, parseEther('3')), 10n ** 30n]))
    },
    (wallet, random) => safetyModule.claim(wallet, random.pick([wallet, random.pick(wallets)])),
    (wallet, random) => lido.request(wallet, random.pick([[some(random)], [some(random), 100n]])),
    (wallet, random) => lido.request(wallet, [some(random), some(random)], random.pick(wallets), true),
    (_, random) => lido.finalizeAll(random.pick([10n ** 27n / 3n, 10n ** 28n])),
    (wallet, random) =>
      withRequest(wallet, random, (id) => lido.claim(wallet, [id], random.pick([wallet, random.pick(wallets)]))),
    async (wallet) => lido.claim(wallet, await lido.requestsOf(wallet)),
    (wallet, random) => withRequest(wallet, random, (id) => lido.passRequest(wallet, random.pick(wallets), id)),
  ]
}

/** Both sides of zero, collateral, rewards, and all of it through the bulker. */
function cometPlays({ actions: { compoundV3 } }: PlayedChain, wallets: readonly Address[]): Play[] {
  const { usdc: cusdcv3, weth: cwethv3 } = comets
  const other = otherOf(wallets)
  return [
    (wallet, random) =>
      compoundV3.supply(wallet, cusdcv3, usdc, random.pick([someUsdc(random), 1n, maxUint256]), random.pick(wallets)),
    (wallet, random) => compoundV3.withdraw(wallet, cusdcv3, usdc, random.pick([someUsdc(random), 1n, maxUint256])),
    (wallet, random) => compoundV3.supply(wallet, cusdcv3, weth, someWeth(random)),
    (wallet, random) => compoundV3.withdraw(wallet, cusdcv3, weth, someWeth(random)),
    (wallet, random) => compoundV3.supply(wallet, cwethv3, weth, random.pick([someWeth(random), maxUint256])),
    (wallet, random) => compoundV3.withdraw(wallet, cwethv3, weth, random.pick([someWeth(random), maxUint256])),
    (wallet, random) => compoundV3.supply(wallet, cwethv3, usdc, someUsdc(random)),
    (wallet, random) => compoundV3.withdraw(wallet, cwethv3, usdc, someUsdc(random)),
    (wallet, random) =>
      compoundV3.transferAsset(wallet, cusdcv3, random.pick([usdc, weth]), someUsdc(random), other(wallet, random)),
    (wallet, random) => compoundV3.claim(random.pick(wallets), cusdcv3, wallet),
    (wallet, random) => {
      const [amount, back] = [random.amount(1n, parseEther('0.5')), random.amount(1n, parseEther('0.1'))]
      return compoundV3.bulk(
        wallet,
        [
          ['ACTION_SUPPLY_NATIVE_TOKEN', random.pick([cusdcv3, cwethv3]), wallet, amount],
          ['ACTION_WITHDRAW_NATIVE_TOKEN', random.pick([cusdcv3, cwethv3]), wallet, back],
          ['ACTION_CLAIM_REWARD', cusdcv3, at.compoundV3.rewards, wallet, true],
        ],
        amount + random.amount(0n, 9n),
      )
    },
  ]
}

function farmPlays({ actions, travel }: PlayedChain): Play[] {
  const { erc20, stakingRewards, pancakeV3, pancakeChef } = actions
  const farm = at.stakingRewards.usdcWeth
  const share = (wallet: Address) => erc20.balanceOf(at.uniswapV2.pairs.usdcWeth, wallet)
  const staked = ownedNfts()
  return [
    async (wallet, random) => stakingRewards.stake(wallet, farm, random.amount(1n, await share(wallet))),
    async (wallet, random) =>
      stakingRewards.withdraw(wallet, farm, random.amount(1n, await erc20.balanceOf(farm, wallet))),
    (wallet) => stakingRewards.claim(wallet, farm),
    (wallet) => stakingRewards.exit(wallet, farm),
    async (wallet, random) => {
      const sides = [
        { token: weth, amount: random.amount(10n ** 15n, parseEther('1')) },
        { token: usdc, amount: random.amount(10n ** 6n, parseUnits('2000', 6)) },
      ] as const
      const id = await pancakeV3.mint(wallet, ...sides, 500, { below: 100, above: 100 })
      await pancakeChef.stake(wallet, id)
      staked.keep(wallet, id)
    },
    staked.play((wallet, id, random) => pancakeChef.increase(wallet, id, 10n ** 7n, random.amount(1n, 10n ** 16n))),
    staked.play((wallet, id) => pancakeChef.decrease(wallet, id, 10n ** 10n)),
    staked.play((wallet, id) => pancakeChef.collect(wallet, id)),
    staked.play((wallet, id) => pancakeChef.harvest(wallet, id)),
    staked.play((wallet, id) => pancakeChef.unstake(wallet, id)),
    (_, random) => travel(random.index(86_400)),
  ]
}

/** Against the native and the wrapped coin: by the manager, by a zap, two in one call. */
function v4Plays({ actions: { uniswapV4 } }: PlayedChain, wallets: readonly Address[]): Play[] {
  const { coin, wrapped } = at.uniswapV4.pools
  const { of, keep, lose, play } = ownedNfts()
  const other = otherOf(wallets)
  const value = parseEther('2')
  const valueFor = async (id: bigint) => ((await uniswapV4.keyOf(id)).currency0 === zeroAddress ? value : 0n)
  const some = (random: Random) => random.amount(10n ** 9n, 2n * 10n ** 13n)
  const range = { below: 600, above: 600 }
  return [
    async (wallet, random) =>
      keep(wallet, await uniswapV4.mint(wallet, coin, range, { liquidity: some(random), value })),
    async (wallet, random) => keep(wallet, await uniswapV4.mint(wallet, wrapped, range, { liquidity: some(random) })),
    async (wallet, random) => {
      const owner = random.pick(wallets)
      keep(owner, await uniswapV4.mint(wallet, wrapped, range, { liquidity: some(random), owner }))
    },
    async (wallet, random) => {
      const [key, most] = random.pick([
        [coin, [value, parseUnits('3000', 6)]],
        [wrapped, [parseUnits('3000', 6), parseEther('1')]],
      ] as const)
      keep(wallet, await uniswapV4.zap(wallet, key, range, { liquidity: some(random), most }))
    },
    play(async (wallet, id, random) => uniswapV4.increase(wallet, id, some(random), await valueFor(id))),
    play(async (wallet, id) => uniswapV4.decrease(wallet, id, (await uniswapV4.liquidityOf(id)) / 2n)),
    play((wallet, id) => uniswapV4.collect(wallet, id)),
    play(async (wallet, id) => {
      await uniswapV4.burn(wallet, id)
      lose(wallet, id)
    }),
    async (wallet) => {
      const [kept, ended] = of(wallet)
      if (kept === undefined || ended === undefined) return
      await uniswapV4.collectAndBurn(wallet, kept, ended)
      lose(wallet, ended)
    },
    play(async (wallet, id, random) => {
      const to = other(wallet, random)
      await uniswapV4.send(wallet, to, id)
      lose(wallet, id)
      keep(to, id)
    }),
    (wallet, random) => uniswapV4.swap(wallet, { token: usdc, amount: someUsdc(random) }, random.pick([coin, wrapped])),
    (wallet, random) => uniswapV4.swap(wallet, { token: zeroAddress, amount: someWeth(random, '0.5') }, coin),
  ]
}

/** Both sides of two markets, for oneself and others, vaults of both versions, all also through the bundler. */
function morphoPlays({ actions: { morpho } }: PlayedChain, wallets: readonly Address[]): Play[] {
  const { wethUsdc, wbtcWeth } = morphoMarkets
  const { adapter } = at.morpho
  /** A market, and an amount of what it lends. */
  const loanOf = (random: Random): [MarketParams, bigint] => {
    const market = random.pick([wethUsdc, wbtcWeth])
    return [market, market === wethUsdc ? someUsdc(random) : someWeth(random, '1')]
  }
  const vaultOf = (random: Random) => random.pick(Object.values(morphoVaults()))
  return [
    (wallet, random) => morpho.supply(wallet, ...loanOf(random), random.pick(wallets)),
    (wallet, random) => morpho.withdraw(wallet, ...loanOf(random), random.pick(wallets)),
    (wallet, random) => morpho.supplyCollateral(wallet, wethUsdc, someWeth(random, '1'), random.pick(wallets)),
    (wallet, random) => morpho.withdrawCollateral(wallet, wethUsdc, someWeth(random, '1'), random.pick(wallets)),
    (wallet, random) => morpho.borrow(wallet, wethUsdc, someUsdc(random), random.pick(wallets)),
    (wallet, random) => morpho.repay(wallet, wethUsdc, someUsdc(random), random.pick(wallets)),
    (wallet, random) => morpho.deposit(wallet, vaultOf(random), someUsdc(random), random.pick(wallets)),
    (wallet, random) => morpho.redeem(wallet, vaultOf(random), random.amount(1n, parseEther('500'))),
    (wallet, random) =>
      morpho.bundle(
        wallet,
        [
          ['wrap'],
          ['supplyCollateral', wethUsdc, maxUint256, wallet],
          ['borrow', wethUsdc, random.amount(1n, parseUnits('100', 6)), wallet],
        ],
        random.amount(1n, parseEther('0.5')),
      ),
    (wallet, random) => {
      const amount = someUsdc(random)
      return morpho.bundle(wallet, [
        ['pull', usdc, amount],
        ['repay', wethUsdc, amount / 2n, 0n],
        ['withdrawCollateral', wethUsdc, random.amount(1n, parseEther('0.1')), adapter],
        ['unwrap', wallet],
        random.pick([
          ['sweep', usdc, wallet],
          ['deposit', usdc, vaultOf(random), maxUint256, wallet],
        ] as const),
      ])
    },
  ]
}
