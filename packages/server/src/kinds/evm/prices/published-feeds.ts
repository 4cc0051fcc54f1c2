import { NATIVE } from '../../../domain/evm-address.ts'
import type { FeedLeg } from './chainlink-feed.ts'
import heartbeats from './chainlink-heartbeats.json' with { type: 'json' }
import type { FeedRow } from './chainlink-prices.ts'

const HOUR = 3600
/**
 * Heartbeat of feeds whose own is not known, and of all feeds at past blocks, when most promised no more than one
 * update a day.
 */
const DAY = 24 * HOUR
/** Currency markets close from Friday to Sunday night; the last figure of a week stands for two days. */
const FX = 2 * DAY

/** Seconds by aggregator, from `scripts/chainlink-heartbeats.ts`; those of Optimism and Gnosis are not known. */
const PROMISED = new Map(Object.values(heartbeats).flatMap((ofChain) => Object.entries<number>(ofChain)))

type ChainFeeds = {
  aggregators: Readonly<Record<string, FeedLeg>>
  /** Token address to the pairs whose product is its price in USD. */
  tokens: Readonly<Record<string, readonly string[]>>
}

/**
 * Chainlink's published aggregators, as `@aave-dao/aave-address-book` lists them (a test compares them), and the tokens
 * that they price; the other pairs are for exchange rates. The wrapped native coin follows the native one. POL is
 * priced by the feed MATIC/USD, whose coin it replaced one to one, and xDAI by DAI/USD. Fantom has no published feed:
 * it needs pools over an anchor of the configuration, or an API.
 */
const FEEDS: Readonly<Record<string, ChainFeeds>> = {
  ethereum: {
    aggregators: {
      'ETH/USD': leg('0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419'),
      'WBTC/BTC': leg('0xfdFD9C85aD200c506Cf9e21F1FD8dd01932FBB23'),
      'BTC/USD': leg('0xF4030086522a5bEEa4988F8cA5B36dbC97BeE88c'),
      'USDC/USD': leg('0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6'),
      'USDT/USD': leg('0x3E7d1eAB13ad0104d2750B8863b489D65364e32D'),
      'DAI/USD': leg('0xAed0c38402a5d19df6E4c03F4E2DceD6e29c1ee9'),
      'LINK/USD': leg('0x2c1d072e956AFFC0D435Cb7AC38EF18d24d9127c'),
      'UNI/USD': leg('0x553303d460EE0afB37EdFf9bE42922D8FF63220e'),
      'AAVE/USD': leg('0x547a514d5e3769680Ce22B2361c10Ea13619e8a9'),
      'STETH/USD': leg('0xCfE54B5cD566aB89272946F602D76Ea879CAb4a8'),
      'EUR/USD': leg('0xb49f677943BC038e9857d61E7d053CaA2C1734C1', FX),
      'GBP/USD': leg('0x5c0Ab2d9b5a7ed9f470386e82BB36A3613cDd4b5', FX),
      'JPY/USD': leg('0xBcE206caE7f0ec07b545EddE332A47C2F75bbeb3', FX),
      'CNY/USD': leg('0xeF8A4aF35cd47424672E3C590aBD37FBB7A7759a', FX),
      'CAD/USD': leg('0xa34317DB73e77d453b1B8d04550c44D10e981C8e', FX),
      'CHF/USD': leg('0x449d117117838fFA61263B61dA6301AA2a88B13A', FX),
      'AUD/USD': leg('0x77F9710E7d0A19669A13c055F62cd80d313dF022', FX),
      'SGD/USD': leg('0xe25277fF4bbF9081C75Ab0EB13B4A13a721f3E13', FX),
      'SOL/USD': leg('0x4ffC43a60e009B551865A93d232E33Fce9f01507'),
      'BNB/USD': leg('0x14e613AC84a31f709eadbdF89C6CC390fDc9540A'),
    },
    tokens: {
      [NATIVE]: ['ETH/USD'],
      '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599': ['WBTC/BTC', 'BTC/USD'],
      '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48': ['USDC/USD'],
      '0xdAC17F958D2ee523a2206206994597C13D831ec7': ['USDT/USD'],
      '0x6B175474E89094C44Da98b954EedeAC495271d0F': ['DAI/USD'],
      '0x514910771AF9Ca656af840dff83E8264EcF986CA': ['LINK/USD'],
      '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984': ['UNI/USD'],
      '0x7Fc66500c84A76Ad7e9c93437bFc5Ac33E2DDaE9': ['AAVE/USD'],
      '0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84': ['STETH/USD'],
    },
  },
  arbitrum: {
    aggregators: {
      'ETH/USD': leg('0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612'),
      'WBTC/USD': leg('0xd0C7101eACbB49F3deCcCc166d238410D6D46d57'),
      'USDC/USD': leg('0x50834F3163758fcC1Df9973b6e91f0F0F0434aD3'),
      'USDT/USD': leg('0x3f3f5dF88dC9F13eac63DF89EC16ef6e7E25DdE7'),
      'DAI/USD': leg('0xc5C8E77B397E531B8EC06BFb0048328B30E9eCfB'),
      'LINK/USD': leg('0x86E53CF1B870786351Da77A57575e79CB55812CB'),
      'UNI/USD': leg('0x9C917083fDb403ab5ADbEC26Ee294f6EcAda2720'),
      'AAVE/USD': leg('0xaD1d5344AaDE45F43E596773Bcc4c423EAbdD034'),
      'WSTETH/ETH': leg('0xb523AE262D20A936BC152e6023996e46FDC2A95D'),
      'EUR/USD': leg('0xA14d53bC1F1c0F31B4aA3BD109344E5009051a84', FX),
      'GBP/USD': leg('0x9C4424Fd84C6661F97D8d6b3fc3C1aAc2BeDd137', FX),
      'JPY/USD': leg('0x3dD6e51CB9caE717d5a8778CF79A04029f9cFDF8', FX),
      'CNY/USD': leg('0xcC3370Bde6AFE51e1205a5038947b9836371eCCb', FX),
      'CAD/USD': leg('0xf6DA27749484843c4F02f5Ad1378ceE723dD61d4', FX),
      'CHF/USD': leg('0xe32AccC8c4eC03F6E75bd3621BfC9Fbb234E1FC3', FX),
      'AUD/USD': leg('0x9854e9a850e7C354c1de177eA953a6b1fba8Fc22', FX),
      'SGD/USD': leg('0xF0d38324d1F86a176aC727A4b0c43c9F9d9c5EB1', FX),
      'BTC/USD': leg('0x6ce185860a4963106506C203335A2910413708e9'),
      'SOL/USD': leg('0x24ceA4b8ce57cdA5058b924B9B9987992450590c'),
      'BNB/USD': leg('0x6970460aabF80C5BE983C6b74e5D06dEDCA95D4A'),
    },
    tokens: {
      [NATIVE]: ['ETH/USD'],
      '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f': ['WBTC/USD'],
      '0xaf88d065e77c8cC2239327C5EDb3A432268e5831': ['USDC/USD'],
      '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8': ['USDC/USD'],
      '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9': ['USDT/USD'],
      '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1': ['DAI/USD'],
      '0xf97f4df75117a78c1A5a0DBb814Af92458539FB4': ['LINK/USD'],
      '0xFa7F8980b0f1E64A2062791cc3b0871572f1F7f0': ['UNI/USD'],
      '0xba5DdD1f9d7F570dc94a51479a000E3BCE967196': ['AAVE/USD'],
      '0x5979D7b546E38E414F7E9822514be443A4800529': ['WSTETH/ETH', 'ETH/USD'],
    },
  },
  base: {
    aggregators: {
      'ETH/USD': leg('0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70'),
      'USDC/USD': leg('0x7e860098F58bBFC8648a4311b374B1D669a2bc6B'),
      'USDT/USD': leg('0xf19d560eB8d2ADf07BD6D13ed03e1D11215721F9'),
      'DAI/USD': leg('0x591e79239a7d679378eC8c847e5038150364C78F'),
      'LINK/USD': leg('0x17CAb8FE31E32f08326e5E27412894e49B0f9D65'),
      'AAVE/USD': leg('0x3d6774EF702A10b20FCa8Ed40FC022f7E4938e07'),
      'WSTETH/ETH': leg('0x43a5C292A453A3bF3606fa856197f09D7B74251a'),
      'EUR/USD': leg('0xc91D87E81faB8f93699ECf7Ee9B44D11e1D53F0F', FX),
      'GBP/USD': leg('0xCceA6576904C118037695eB71195a5425E69Fa15', FX),
      'CAD/USD': leg('0xA840145F87572E82519d578b1F36340368a25D5d', FX),
      'CHF/USD': leg('0x3A1d6444fb6a402470098E23DaD0B7E86E14252F', FX),
      'AUD/USD': leg('0x46e51B8cA41d709928EdA9Ae43e42193E6CDf229', FX),
      'SGD/USD': leg('0x81575495532fB311Efc5C993B612564274F0949b', FX),
      'BTC/USD': leg('0x64c911996D3c6aC71f9b455B1E8E7266BcbD848F'),
      'SOL/USD': leg('0x975043adBb80fc32276CbF9Bbcfd4A601a12462D'),
      'BNB/USD': leg('0x4b7836916781CAAfbb7Bd1E5FDd20ED544B453b1'),
    },
    tokens: {
      [NATIVE]: ['ETH/USD'],
      '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913': ['USDC/USD'],
      '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA': ['USDC/USD'],
      '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2': ['USDT/USD'],
      '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb': ['DAI/USD'],
      '0x88Fb150BDc53A65fe94Dea0c9BA0a6dAf8C6e196': ['LINK/USD'],
      '0x63706e401c06ac8513145b7687A14804d17f814b': ['AAVE/USD'],
      '0xc1CBa3fCea344f92D9239c08C0568f6F2F0ee452': ['WSTETH/ETH', 'ETH/USD'],
    },
  },
  optimism: {
    aggregators: {
      'ETH/USD': leg('0x13e3Ee699D1909E989722E753853AE30b17e08c5'),
      'WBTC/USD': leg('0x718A5788b89454aAE3A028AE9c111A29Be6c2a6F'),
      'USDC/USD': leg('0x16a9FA2FDa030272Ce99B29CF780dFA30361E0f3'),
      'USDT/USD': leg('0xECef79E109e997bCA29c1c0897ec9d7b03647F5E'),
      'DAI/USD': leg('0x8dBa75e83DA73cc766A7e5a0ee71F656BAb470d6'),
      'LINK/USD': leg('0xCc232dcFAAE6354cE191Bd574108c1aD03f86450'),
      'AAVE/USD': leg('0x338ed6787f463394D24813b297401B9F05a8C9d1'),
      'WSTETH/USD': leg('0x698B585CbC4407e2D54aa898B2600B53C68958f7'),
      'EUR/USD': leg('0x3626369857A10CcC6cc3A6e4f5C2f5984a519F20', FX),
      'JPY/USD': leg('0x536944c3A71FEb7c1E5C66Ee37d1a148d8D8f619', FX),
      'AUD/USD': leg('0x39be70E93D2D285C9E71be7f70FC5a45A7777B14', FX),
      'BTC/USD': leg('0xD702DD976Fb76Fffc2D3963D037dfDae5b04E593'),
      'SOL/USD': leg('0xC663315f7aF904fbbB0F785c32046dFA03e85270'),
      'BNB/USD': leg('0xD38579f7cBD14c22cF1997575eA8eF7bfe62ca2c'),
    },
    tokens: {
      [NATIVE]: ['ETH/USD'],
      '0x68f180fcCe6836688e9084f035309E29Bf0A2095': ['WBTC/USD'],
      '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85': ['USDC/USD'],
      '0x7F5c764cBc14f9669B88837ca1490cCa17c31607': ['USDC/USD'],
      '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58': ['USDT/USD'],
      '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1': ['DAI/USD'],
      '0x350a791Bfc2C21F9Ed5d10980Dad2e2638ffa7f6': ['LINK/USD'],
      '0x76FB31fb4af56892A25e32cFC43De717950c9278': ['AAVE/USD'],
      '0x1F32b1c2345538c0c6f582fCB022739c4A194Ebb': ['WSTETH/USD'],
    },
  },
  polygon: {
    aggregators: {
      'MATIC/USD': leg('0xAB594600376Ec9fD91F8e885dADF0CE036862dE0'),
      'ETH/USD': leg('0xF9680D99D6C9589e2a93a78A04A279e509205945'),
      'WBTC/USD': leg('0xDE31F8bFBD8c84b5360CFACCa3539B938dd78ae6'),
      'USDC/USD': leg('0xfE4A8cc5b5B2366C1B58Bea3858e81843581b2F7'),
      'USDT/USD': leg('0x0A6513e40db6EB1b165753AD52E80663aeA50545'),
      'DAI/USD': leg('0x4746DeC9e833A82EC7C2C1356372CcF2cfcD2F3D'),
      'LINK/USD': leg('0xd9FFdb71EbE7496cC440152d43986Aae0AB76665'),
      'UNI/USD': leg('0xdf0Fb4e4F928d2dCB76f438575fDD8682386e13C'),
      'AAVE/USD': leg('0x72484B12719E23115761D5DA1646945632979bB6'),
      'WSTETH/ETH': leg('0x10f964234cae09cB6a9854B56FF7D4F38Cda5E6a'),
      'EUR/USD': leg('0x73366Fe0AA0Ded304479862808e02506FE556a98', FX),
      'GBP/USD': leg('0x099a2540848573e94fb1Ca0Fa420b00acbBc845a', FX),
      'JPY/USD': leg('0xD647a6fC9BC6402301583C91decC5989d8Bc382D', FX),
      'CNY/USD': leg('0x04bB437Aa63E098236FA47365f0268547f6EAB32', FX),
      'CAD/USD': leg('0xACA44ABb8B04D07D883202F99FA5E3c53ed57Fb5', FX),
      'CHF/USD': leg('0xc76f762CedF0F78a439727861628E0fdfE1e70c2', FX),
      'AUD/USD': leg('0x062Df9C4efd2030e243ffCc398b652e8b8F95C6f', FX),
      'SGD/USD': leg('0x8CE3cAc0E6635ce04783709ca3CC4F5fc5304299', FX),
      'BTC/USD': leg('0xc907E116054Ad103354f2D350FD2514433D57F6f'),
      'SOL/USD': leg('0x10C8264C0935b3B9870013e057f330Ff3e9C56dC'),
      'BNB/USD': leg('0x82a6c4AF830caa6c97bb504425f6A66165C2c26e'),
    },
    tokens: {
      [NATIVE]: ['MATIC/USD'],
      '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619': ['ETH/USD'],
      '0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6': ['WBTC/USD'],
      '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359': ['USDC/USD'],
      '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174': ['USDC/USD'],
      '0xc2132D05D31c914a87C6611C10748AEb04B58e8F': ['USDT/USD'],
      '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063': ['DAI/USD'],
      '0x53E0bca35eC356BD5ddDFebbD1Fc0fD03FaBad39': ['LINK/USD'],
      '0xb33EaAd8d922B1083446DC23f610c2567fB5180f': ['UNI/USD'],
      '0xD6DF932A45C0f255f85145f286eA0b292B21C90B': ['AAVE/USD'],
      '0x03b54A6e9a984069379fae1a4fC4dBAE93B3bCCD': ['WSTETH/ETH', 'ETH/USD'],
    },
  },
  binance: {
    aggregators: {
      'BNB/USD': leg('0x0567F2323251f0Aab15c8dFb1967E4e8A7D42aeE'),
      'ETH/USD': leg('0x9ef1B8c0E4F7dc8bF5719Ea496883DC6401d5b2e'),
      'BTC/USD': leg('0x264990fbd0A4796A3E3d8E37C4d5F87a3aCa5Ebf'),
      'USDC/USD': leg('0x51597f405303C4377E36123cBc172b13269EA163'),
      'USDT/USD': leg('0xB97Ad0E74fa7d920791E90258A6E2085088b4320'),
      'DAI/USD': leg('0x132d3C0B1D2cEa0BC552588063bdBb210FDeecfA'),
      'LINK/USD': leg('0xca236E327F629f9Fc2c30A4E95775EbF0B89fac8'),
      'UNI/USD': leg('0xb57f259E7C24e56a1dA00F66b55A5640d9f9E7e4'),
      'AAVE/USD': leg('0xA8357BF572460fC40f4B0aCacbB2a6A61c89f475'),
      'WSTETH/USD': leg('0xd97aB9e5bD461eBcD55009791C410294f7B42Cdb'),
      'EUR/USD': leg('0x0bf79F617988C472DcA68ff41eFe1338955b9A80', FX),
      'GBP/USD': leg('0x8FAf16F710003E538189334541F5D4a391Da46a0', FX),
      'JPY/USD': leg('0x22Db8397a6E77E41471dE256a7803829fDC8bC57', FX),
      'CHF/USD': leg('0x964261740356cB4aaD0C3D2003Ce808A4176a46d', FX),
      'AUD/USD': leg('0x498F912B09B5dF618c77fcC9E8DA503304Df92bF', FX),
      'SGD/USD': leg('0x3065b2369820f76C829b9BBCAF4B90F9f47d6314', FX),
      'SOL/USD': leg('0x0E8a53DD9c13589df6382F13dA6B3Ec8F919B323'),
    },
    tokens: {
      [NATIVE]: ['BNB/USD'],
      '0x2170Ed0880ac9A755fd29B2688956BD959F933F8': ['ETH/USD'],
      '0x7130d2A12B9BCbFAe4f2634d864A1Ee1Ce3Ead9c': ['BTC/USD'],
      '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d': ['USDC/USD'],
      '0x55d398326f99059fF775485246999027B3197955': ['USDT/USD'],
      '0x1AF3F329e8BE154074D8769D1FFa4eE058B1DBc3': ['DAI/USD'],
      '0xF8A0BF9cF54Bb92F17374d9e9A321E6a111a51bD': ['LINK/USD'],
      '0xBf5140A22578168FD562DCcF235E5D43A02ce9B1': ['UNI/USD'],
      '0xfb6115445Bff7b52FeB98650C87f44907E58f802': ['AAVE/USD'],
      '0x26c5e01524d2E6280A48F2c50fF6De7e52E9611C': ['WSTETH/USD'],
    },
  },
  avalanche: {
    aggregators: {
      'AVAX/USD': leg('0x0A77230d17318075983913bC2145DB16C7366156'),
      'ETH/USD': leg('0x976B3D034E162d8bD72D6b9C989d545b839003b0'),
      'WBTC/USD': leg('0x86442E3a98558357d46E6182F4b262f76c4fa26F'),
      'BTC/USD': leg('0x2779D32d5166BAaa2B2b658333bA7e6Ec0C65743'),
      'USDC/USD': leg('0xF096872672F44d6EBA71458D74fe67F9a77a23B9'),
      'USDT/USD': leg('0xEBE676ee90Fe1112671f19b6B7459bC678B67e8a'),
      'DAI/USD': leg('0x51D7180edA2260cc4F6e4EebB82FEF5c3c2B8300'),
      'LINK/USD': leg('0x49ccd9ca821EfEab2b98c60dC60F518E765EDe9a'),
      'AAVE/USD': leg('0x3CA13391E9fb38a75330fb28f8cc2eB3D9ceceED'),
      'EUR/USD': leg('0x192f2DBA961Bb0277520C082d6bfa87D5961333E', FX),
      'JPY/USD': leg('0xf8B283aD4d969ECFD70005714DD5910160565b94', FX),
      'CHF/USD': leg('0xA418573AB5226711c8564Eeb449c3618ABFaf677', FX),
      'SGD/USD': leg('0x05950959B6d876ae0fed1BBe5Caa2d74d8659D59', FX),
      'BNB/USD': leg('0xBb92195Ec95DE626346eeC8282D53e261dF95241'),
    },
    tokens: {
      [NATIVE]: ['AVAX/USD'],
      '0x49D5c2BdFfac6CE2BFdB6640F4F80f226bc10bAB': ['ETH/USD'],
      '0x50b7545627a5162F82A992c33b87aDc75187B218': ['WBTC/USD'],
      '0x152b9d0FdC40C096757F570A51E494bd4b943E50': ['BTC/USD'],
      '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E': ['USDC/USD'],
      '0xA7D7079b0FEaD91F3e65f86E8915Cb59c1a4C664': ['USDC/USD'],
      '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7': ['USDT/USD'],
      '0xc7198437980c041c805A1EDcbA50c1Ce5db95118': ['USDT/USD'],
      '0xd586E7F844cEa2F87f50152665BCbc2C279D8d70': ['DAI/USD'],
      '0x5947BB275c521040051D82396192181b413227A3': ['LINK/USD'],
      '0x63a72806098Bd3D9520cC43356dD78afe5D386D9': ['AAVE/USD'],
    },
  },
  gnosis: {
    aggregators: {
      'DAI/USD': leg('0x678df3415fc31947dA4324eC63212874be5a82f8'),
      'ETH/USD': leg('0xa767f745331D267c7751297D982b050c93985627'),
      'USDC/USD': leg('0x26C31ac71010aF62E6B486D1132E266D6298857D'),
      'USDT/USD': leg('0x68811D7DF835B1c33e6EEae8E7C141eF48d48cc7'),
      'EUR/USD': leg('0xab70BCB260073d036d1660201e9d5405F5829b7a', FX),
      'JPY/USD': leg('0x2AfB993C670C01e9dA1550c58e8039C1D8b8A317', FX),
      'CHF/USD': leg('0xFb00261Af80ADb1629D3869E377ae1EEC7bE659F', FX),
      'BTC/USD': leg('0x6C1d7e76EF7304a40e8456ce883BC56d3dEA3F7d'),
      'SOL/USD': leg('0xB7B7d008c49295A0FF6Eed6dF4Ad3052Fd39d5e6'),
      'BNB/USD': leg('0x6D42cc26756C34F26BEcDD9b30a279cE9Ea8296E'),
    },
    tokens: {
      [NATIVE]: ['DAI/USD'],
      '0x6A023CCd1ff6F2045C3309768eAd9E68F978f6e1': ['ETH/USD'],
      '0xDDAfbb505ad214D7b80b1f830fcCc89B60fb7A83': ['USDC/USD'],
      '0x2a22f9c3b484c3629090FeED35F17Ff8F88f76F0': ['USDC/USD'],
      '0x4ECaBa5870353805a9F068101A40E0f32ed605C6': ['USDT/USD'],
    },
  },
  linea: {
    aggregators: {
      'ETH/USD': leg('0x3c6Cd9Cc7c7a4c2Cf5a82734CD249D7D593354dA'),
      'BTC/USD': leg('0x7A99092816C8BD5ec8ba229e3a6E6Da1E628E1F9'),
      'USDC/USD': leg('0xAADAa473C1bDF7317ec07c915680Af29DeBfdCb5'),
      'USDT/USD': leg('0xefCA2bbe0EdD0E22b2e0d2F8248E99F4bEf4A7dB'),
      'DAI/USD': leg('0x5133D67c38AFbdd02997c14Abd8d83676B4e309A'),
      'WSTETH/USD': leg('0x8eCE1AbA32716FdDe8D6482bfd88E9a0ee01f565'),
      'EUR/USD': leg('0x637cf12017219Dd3A758818eD63185f7acF7D935', FX),
    },
    tokens: {
      [NATIVE]: ['ETH/USD'],
      '0x3aAB2285ddcDdaD8edf438C1bAB47e1a9D05a9b4': ['BTC/USD'],
      '0x176211869cA2b568f2A7D4EE941E073a821EE1ff': ['USDC/USD'],
      '0xA219439258ca9da29E9Cc4cE5596924745e12B93': ['USDT/USD'],
      '0x4AF15ec2A0BD43Db75dd04E62FAA3B8EF36b00d5': ['DAI/USD'],
      '0xB5beDd42000b71FddE22D3eE8a79Bd49A568fC8F': ['WSTETH/USD'],
    },
  },
}

/**
 * Chainlink's directory states how long each feed may be silent: on some chains half a minute. A node may lag by more,
 * so that the heartbeat is at least an hour.
 */
function leg(aggregator: string, heartbeatSeconds?: number): FeedLeg {
  const promised = PROMISED.get(aggregator.toLowerCase()) ?? DAY
  return {
    aggregator,
    heartbeatSeconds: heartbeatSeconds ?? Math.max(promised, HOUR),
    pastSeconds: heartbeatSeconds ?? DAY,
  }
}

/** Addresses of a chain's published aggregators. */
export function aggregatorsOf(chain: string): string[] {
  return Object.values(FEEDS[chain]?.aggregators ?? {}).map(({ aggregator }) => aggregator)
}

/** A published aggregator by chain and pair, e.g. `ethereum`, `EUR/USD`. */
export function findAggregator(chain: string, pair: string): FeedLeg | undefined {
  return FEEDS[chain]?.aggregators[pair]
}

/** Chains with published aggregators, in the order in which they are worth asking for an exchange rate. */
export const aggregatorChains: readonly string[] = Object.keys(FEEDS)

export const PUBLISHED_FEEDS: readonly FeedRow[] = Object.entries(FEEDS).flatMap(([chain, { tokens }]) =>
  Object.entries(tokens).map(([token, pairs]) => ({
    chain,
    token,
    path: pairs.flatMap((pair) => findAggregator(chain, pair) ?? []),
  })),
)
