/**
 * Chain id 1. Existing contracts have their real addresses. Sources: @aave-dao/aave-address-book 4.68.1, Uniswap's
 * sdk-core, Compound's and Lido's deployments. Not on the real chain: `local`, `tokens.nova`, `tokens.spam`,
 * `tokens.orphan`.
 */
const ethereum = {
  multicall3: '0xcA11bde05977b3631167028862bE2a173976CA11',
  tokens: {
    weth: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
    usdc: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    dai: '0x6B175474E89094C44Da98b954EedeAC495271d0F',
    usdt: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
    wbtc: '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599',
    link: '0x514910771AF9Ca656af840dff83E8264EcF986CA',
    uni: '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984',
    /** Deep pools. Listed only in `devnetConfig()`. */
    nova: '0x3e3F1585374277Ba262b6f927C1aFcd691F84b11',
    /** Deep pools. Not listed anywhere. */
    orphan: '0xC688C5D1EF659885E6014849601567967742d930',
    /** A few dollars in its only pool, at an inflated price. */
    spam: '0x57ea253F0218a25d97A83917Ca1D2AC92ACB9041',
  },
  feeds: {
    ethUsd: '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419',
    btcUsd: '0xF4030086522a5bEEa4988F8cA5B36dbC97BeE88c',
    usdcUsd: '0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6',
    daiUsd: '0xAed0c38402a5d19df6E4c03F4E2DceD6e29c1ee9',
    usdtUsd: '0x3E7d1eAB13ad0104d2750B8863b489D65364e32D',
    linkUsd: '0x2c1d072e956AFFC0D435Cb7AC38EF18d24d9127c',
    uniUsd: '0x553303d460EE0afB37EdFf9bE42922D8FF63220e',
    aaveUsd: '0x547a514d5e3769680Ce22B2361c10Ea13619e8a9',
    compUsd: '0xdbd020CAeF83eFd542f4De03e3cF0C28A4428bd5',
    usdeUsd: '0xa569d910839Ae8865Da8F8e70FfFb0cBA869F961',
    stethUsd: '0xCfE54B5cD566aB89272946F602D76Ea879CAb4a8',
    usdcEth: '0x986b5E1e1755e3C2440e960477f25201B0a8bbD4',
    daiEth: '0x773616E4d11A78F511299002da57A0a94577F1f4',
    usdtEth: '0xEe9F2375b4bdF6387aa8265dD4FB8F16512A1d46',
    wbtcEth: '0xFD858c8bC5ac5e10f01018bC78471bb0DC392247',
    wbtcBtc: '0xfdFD9C85aD200c506Cf9e21F1FD8dd01932FBB23',
    linkEth: '0xDC530D9457755926550b59e8ECcdaE7624181557',
    stethEth: '0x86392dC19c0b719886221c78AB11eb8Cf5c52812',
  },
  uniswapV2: {
    factory: '0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f',
    router: '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D',
    pairs: {
      usdcWeth: '0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc',
      wethUsdt: '0x0d4a11d5EEaaC28EC3F61d100daF4d40471f1852',
      daiWeth: '0xA478c2975Ab1Ea89e8196811F51A7B7Ade33eB11',
      wbtcWeth: '0xBb2b8038a1640196FbE3e38816F3e67Cba72D940',
    },
  },
  /** Uniswap's liquidity mining of 2020. All pay UNI. */
  stakingRewards: {
    usdcWeth: '0x7FBa4B8Dc5E7616e59622806932DBea72537A56b',
    wethUsdt: '0x6C3e4cb2E96B01F4b866965A91ed4437839A121a',
    daiWeth: '0xa1484C3aa22a66C62b77E0AE78E15258bd0cB711',
    wbtcWeth: '0xCA35e32e7926b96A9988f61d510E038108d8068e',
  },
  uniswapV3: {
    factory: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
    manager: '0xC36442b4a4522E871399CD717aBDD847Ab11FE88',
    router: '0xE592427A0AEce92De3Edee1F18E0157C05861564',
    quoter: '0xb27308f9F90D607463bb33eA1BeBb41C27CE5AB6',
    quoterV2: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
    pools: {
      usdcWeth500: '0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640',
      usdcWeth3000: '0x8ad599c3A0ff1De082011EFDDc58f1908eb6e6D8',
      wbtcWeth3000: '0xCBCdF9626bC03E24f779434178A73a0B4bad62eD',
      daiUsdc100: '0x5777d92f208679DB4b9778590Fa3CAB3aC9e2168',
      linkWeth3000: '0xa6Cc3C2531FdaA6Ae1A3CA84c2855806728693e8',
      uniWeth3000: '0x1d42064Fc4Beb5F8aAF85F4617AE8b3b5B8Bd801',
    },
  },
  uniswapV4: {
    poolManager: '0x000000000004444c5dc75cB358380D2e3dE08A90',
    positionManager: '0xbD216513d74C8cf14cf4747E6AaA6420FF64ee9e',
    stateView: '0x7fFE42C4a5DEeA5b0feC41C94C136Cf115597227',
    permit2: '0x000000000022D473030F116dDEE9F6B43aC78BA3',
    pools: {
      coin: {
        currency0: '0x0000000000000000000000000000000000000000',
        currency1: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
        fee: 3000,
        tickSpacing: 60,
        hooks: '0x0000000000000000000000000000000000000000',
      },
      wrapped: {
        currency0: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
        currency1: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
        fee: 500,
        tickSpacing: 10,
        hooks: '0x0000000000000000000000000000000000000000',
      },
    },
  },
  /** Uniswap's contracts, whose interface PancakeSwap kept, and MasterChefV3. */
  pancakeV3: {
    factory: '0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865',
    manager: '0x46A15B0b27311cedF172AB29E4f4766fbE7F4364',
    router: '0x1b81D678ffb9C0263b24A97847620C99d213eB14',
    quoterV2: '0xB048Bbc1Ee6b733FFfCFb9e9CeF7375518e25997',
    chef: '0x556B9306565093C855AEA9AE92A594704c2Cd59e',
    cake: '0x152649eA73beAb28c5b49B26eb48f7EAD6d4c898',
  },
  aaveV3: {
    provider: '0x2f39d218133AFaB8F2B819B1066c7E434Ad94E9e',
    pool: '0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2',
    configurator: '0x64b761D848206f447Fe2dd461b0c635Ec39EbB27',
    aclManager: '0xc2aaCf6553D20d1e9d78E365AAba8032af9c85b0',
    dataProvider: '0x0a16f2FCC0D44FaE41cc54e079281D84A363bECD',
    oracle: '0x54586bE62E3c3580375aE3723C145253060Ca0C2',
    rewards: '0x8164Cc65827dcFe994AB23944CBC90e0aa80bFcb',
    emissionManager: '0x223d844fc4B006D67c0cDbd39371A9F73f69d974',
    collector: '0x464C71f6c2F760DdA6093dCB91C24c39e5d6e18c',
  },
  aaveV2: {
    provider: '0xB53C1a33016B2DC2fF3653530bfF1848a515c8c5',
    pool: '0x7d2768dE32b0b80b7a3454c06BdAc94A69DDc7A9',
    configurator: '0x311Bb771e4F8952E6Da169b425E7e92d6Ac45756',
    dataProvider: '0x057835Ad21a177dbdd3090bB1CAE03EaCF78Fc6d',
    oracle: '0xA50ba011c48153De246E5192C8f9258A2ba79Ca9',
    rateOracle: '0x8A32f49FFbA88aba6EFF96F45D8BD1D4b3f35c7D',
    collateralManager: '0xcc9632725266473ab5d42320E8Ae00437A1df3bB',
    collector: '0x464C71f6c2F760DdA6093dCB91C24c39e5d6e18c',
  },
  compoundV2: {
    comptroller: '0x3d9819210A31b4961b30EF54bE2aeD79B9c9Cd3B',
    oracle: '0x50ce56A3239671Ab62f185704Caedf626352741e',
    /** XVS, which the code names. The real chain has nothing here. Venus's claims: `claimVenus`. */
    rewardToken: '0xcF6BB5389c92Bdda8a3747Ddb454cB7a64626C63',
    markets: {
      /** No `underlying()`. */
      ceth: '0x4Ddc2D193948926D02f9B1fE9e1daa0718270ED5',
      cusdc: '0x39AA39c021dfbaE8faC545936693aC917d5E7563',
      cdai: '0x5d3a536E4D6DbD6114cc1Ead35777bAB948E3643',
      cwbtc: '0xccF4429DB6322D5C611ee964527D42E5d685DD6a',
    },
  },
  compoundV3: {
    comets: {
      usdc: '0xc3d688B66703497DAA19211EEdff47f25384cdc3',
      /** Pays no rewards. */
      weth: '0xA17581A9E3356d9A858b789D68B4d866e593aE94',
    },
    rewards: '0x1B0e765F6224C21223AeA2af16c1C46E38885a40',
    bulker: '0xa397a8C2086C554B531c02E29f3291c9704B00c7',
    /** COMP. */
    rewardToken: '0xc00e94Cb662C3520282E6f5717214004A7f26888',
  },
  morpho: {
    blue: '0xBBBBBbbBBb9cC5e90e3b3Af64bdAF62C37EEFFCb',
    irm: '0x870aC11D48B15DB9a138Cf899d20F13F79Ba00BC',
    vaultFactory: '0x1897A8997241C1cD4bD0698647e4EB7213535c24',
    vaultV2Factory: '0xA1D94F746dEfa1928926b84fB2596c06926C0405',
    marketAdapterFactory: '0x32BB1c0D48D8b1B3363e86eeB9A0300BAd61ccc1',
    vaultAdapterFactory: '0xD1B8E2dee25c2b89DCD2f98448a7ce87d6F63394',
    /** Stands between wallets and markets. */
    adapter: '0x4A6c312ec70E8747a587EE860a0353cd42Be0aE0',
    /** This project's: WETH in USDC, WBTC in WETH. */
    oracles: {
      wethUsdc: '0x0000000000000000000000000000000000b10e01',
      wbtcWeth: '0x0000000000000000000000000000000000b10E02',
    },
  },
  euler: {
    evc: '0x0C9a3dd6b8F28529d72d7f9cE918D493519EE383',
    factory: '0x29a56a1b8214D9Cf7c5561811750D5cBDb45CC8e',
    earnFactory: '0x59709B029B140C853FE28d277f83C3a65e308aF4',
    /** Governed vaults. */
    perspective: '0xC0121817FF224a018840e4D15a864747d36e6Eb2',
    /** This project's, like `rates`. */
    oracle: '0x00000000000000000000000000000000000Ec001',
    rates: '0x00000000000000000000000000000000000ec002',
  },
  lido: {
    steth: '0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84',
    wsteth: '0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0',
    withdrawalQueue: '0x889edC2eDab5f40e902b864aD4d7AdE8E412F9B1',
  },
  safetyModule: {
    aave: '0x7Fc66500c84A76Ad7e9c93437bFc5Ac33E2DDaE9',
    stkAave: '0x4da27a545c0c5B758a6BA100e3a049001de870f5',
    /** Pays the stakers. */
    rewardsVault: '0x25F2226B597E8F9514B3F68F00f494cF4f286491',
  },
  ethena: {
    usde: '0x4c9EDD5852cd905f086C759E8383e09bff1E68B3',
    susde: '0x9D39A5DE30e57443BfF2A8307A4256c8797A3497',
  },
  /** Last version of each factory. Deployed by `pendle.deploy`. */
  pendle: {
    token: '0x808507121B80c02388fAd14726482e061B8da827',
    yieldFactory: '0x3E6EBa46AbC5ab18ED95F6667d8B2fd4020E4637',
    marketFactory: '0x6d247b1c044fA1E22e6B04fA9F71Baf99EB29A9f',
    gauges: '0x47D74516B33eD5D70ddE7119A40839f6Fcc24e57',
    oracle: '0x5542be50420E88dd7D5B4a3D488FA6ED82F6DAc2',
    router: '0x888888888889758F76e7103c6CbF23ABbF58F946',
    lock: '0x4f30A9D41B80ecC5B94306AB4364951AE3170210',
    stake: '0x999999999991E178D52Cd95AFd4b00d066664144',
  },
  local: {
    /** ERC-4626 over USDC, in no catalog. */
    vault: '0x4D28A5B1705D53510F256ea0F8A8f322f961097C',
    /** Uniswap v4's test router. */
    v4Router: '0x8BF8E1D1c62E0e2EdC6b6e8dC7B4A9d1fe1a2F44',
    /** Mints v4 positions for its caller. */
    v4Zap: '0x5Fa1b0b8C7E0B4E4Cf3D23a84A35E7A0d4C3Be10',
    /** Farm of PancakeSwap's chef. */
    liquidityMining: '0x6f4A2E1df3e5BA3D54b8a9c2ffc7d0E10c0A5E33',
  },
} as const

/** Chain id 8453. */
const base = {
  multicall3: '0xcA11bde05977b3631167028862bE2a173976CA11',
  tokens: {
    weth: '0x4200000000000000000000000000000000000006',
    usdc: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    wsteth: '0xc1CBa3fCea344f92D9239c08C0568f6F2F0ee452',
    orphan: '0xC688C5D1EF659885E6014849601567967742d930',
  },
  feeds: {
    ethUsd: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70',
    usdcUsd: '0x7e860098F58bBFC8648a4311b374B1D669a2bc6B',
    /** Aave's source. Chainlink has no US dollar feed here. */
    wstethUsd: '0x1AFC5010Fb182B6e62D6a3B522F09F644Fb62EfD',
    wstethEth: '0x43a5C292A453A3bF3606fa856197f09D7B74251a',
  },
  uniswapV2: {
    factory: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6',
    router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
    pairs: { wethUsdc: '0x88A43bbDF9D098eEC7bCEda4e2494615dfD9bB9C' },
  },
  uniswapV3: {
    factory: '0x33128a8fC17869897dcE68Ed026d694621f6FDfD',
    manager: '0x03a520b32C04BF3bEEf7BEb72E919cf822Ed34f1',
    /** The real chain has SwapRouter02 here. Pools cannot tell. */
    router: '0x2626664c2603336E57B271c5C0b26F421741e481',
    quoterV2: '0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a',
    pools: { wethUsdc500: '0xd0b53D9277642d899DF5C87A3966A349A798F224' },
  },
  aaveV3: {
    provider: '0xe20fCBdBfFC4Dd138cE8b2E6FBb6CB49777ad64D',
    pool: '0xA238Dd80C259a72e81d7e4664a9801593F98d1c5',
    configurator: '0x5731a04B1E775f0fdd454Bf70f3335886e9A96be',
    aclManager: '0x43955b0899Ab7232E3a454cf84AedD22Ad46FD33',
    dataProvider: '0x0F43731EB8d45A581f4a36DD74F5f358bc90C73A',
    oracle: '0x2Cc0Fc26eD4563A5ce5e8bdcfe1A2878676Ae156',
    rewards: '0xf9cc4F0D883F1a1eb2c253bdb46c254Ca51E1F44',
    emissionManager: '0x6533A273F3aC84Df91DCD654D6EBAbA73687e246',
    collector: '0xBA9424d650A4F5c80a0dA641254d1AcCE2A37057',
  },
  local: {
    vault: '0x4D28A5B1705D53510F256ea0F8A8f322f961097C',
  },
} as const

export const addresses = { ethereum, base } as const
