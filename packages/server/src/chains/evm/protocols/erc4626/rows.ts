import type { DeploymentRow } from '../adapter.ts'
import { legacyStata } from './legacy-stata.ts'

const vaults = (row: Omit<DeploymentRow, 'family' | 'deployment'>, addresses: readonly string[]): DeploymentRow => ({
  ...row,
  deployment: { vaults: addresses },
})

const aaveStata = (chain: string, addresses: readonly string[]): DeploymentRow =>
  vaults({ key: 'aave_v3_stata', name: 'Aave V3 wrapped aTokens', chain, siteUrl: 'https://app.aave.com' }, [
    ...addresses,
    ...(legacyStata[chain] ?? []),
  ])

const spark = (chain: string, addresses: readonly string[]): DeploymentRow =>
  vaults({ key: 'spark_savings', name: 'Spark Savings', chain, siteUrl: 'https://app.spark.fi' }, addresses)

const open = (chain: string): DeploymentRow => ({
  key: 'erc4626',
  name: 'ERC-4626 vaults',
  chain,
  deployment: { vaults: [], open: true },
})

/**
 * Sources: the Spark address registry, Sky's ChainLog, @aave-dao/aave-address-book 4.68.1, Balancer's registry of
 * reviewed rate providers, DefiLlama's adapters.
 */
export const vaultRows: readonly DeploymentRow[] = [
  // A vault that a later row names belongs to that row.
  ...['arbitrum', 'avalanche', 'base', 'binance', 'ethereum', 'fantom', 'gnosis', 'linea', 'optimism', 'polygon'].map(
    open,
  ),
  vaults({ key: 'sky', name: 'Sky', chain: 'ethereum', siteUrl: 'https://sky.money' }, [
    '0x83f20f44975d03b1b09e64809b757c47f942beea', // sDAI
    '0xa3931d71877c0e7a3148cb7eb4463524fec27fbd', // sUSDS
    '0x99cd4ec3f88a45940936f469e4bb72a2a701eeb9', // stUSDS
  ]),
  vaults({ key: 'sky', name: 'Sky', chain: 'gnosis', siteUrl: 'https://sky.money' }, [
    '0xaf204776c7245bf4147c2612bf6e5972ee483701', // sDAI
  ]),
  spark('ethereum', [
    '0xbc65ad17c5c0a2a4d159fa5a503f4992c7b545fe', // sUSDC
    '0x28b3a8fb53b741a8fd78c0fb9a6b2393d896a43d', // spUSDC
    '0xe2e7a17dff93280dec073c995595155283e3c372', // spUSDT
    '0xfe6eb3b609a7c8352a241f7f3a21cea4e9209b8f', // spETH
    '0x80128dbb9f07b93dde62a6daeadb69ed14a7d354', // spPYUSD
  ]),
  spark('arbitrum', [
    '0x940098b108fb7d0a7e374f6eded7760787464609', // sUSDC
    '0x45d91340b3b7b96985a72b5c678f7d9e8d664b62', // spUSDT
  ]),
  spark('avalanche', ['0x28b3a8fb53b741a8fd78c0fb9a6b2393d896a43d']), // spUSDC
  spark('base', ['0x3128a0f7f0ea68e7b7c9b00afa7e41045828e858']), // sUSDC
  spark('optimism', ['0xcf9326e24ebffbef22ce1050007a43a3c0b6db55']), // sUSDC
  spark('unichain', ['0x14d9143becc348920b68d123687045db49a016c6']), // sUSDC
  vaults({ key: 'frax', name: 'Frax', chain: 'ethereum', siteUrl: 'https://frax.com' }, [
    '0xac3e018457b222d93114458476f3e3416abbe38f', // sfrxETH
    '0xcf62f905562626cfcdd2261162a51fd02fc9c5b6', // sfrxUSD
  ]),
  vaults({ key: 'gogopool', name: 'GoGoPool', chain: 'avalanche', siteUrl: 'https://www.gogopool.com' }, [
    '0xa25eaf2906fa1a3a13edac9b9657108af7b703e3', // ggAVAX
  ]),
  vaults({ key: 'origin', name: 'Origin', chain: 'ethereum', siteUrl: 'https://www.originprotocol.com' }, [
    '0xdcee70654261af21c44c093c300ed3bb97b78192', // wOETH
  ]),
  vaults({ key: 'puffer', name: 'Puffer', chain: 'ethereum', siteUrl: 'https://www.puffer.fi' }, [
    '0xd9a442856c234a39a81a089c06451ebaa4306a72', // pufETH
  ]),
  aaveStata('arbitrum', [
    '0xf253bd61aed0e9d62523ea76cd6f38b4a51da145',
    '0xeab84053b99f2ec4433f5121a1cb1524c8c998f8',
    '0xe6d5923281c89dc989d00817387292387552d5c1',
    '0x52dc1feefa4f9a99221f93d79da46ae89b8c0967',
    '0x4ce13a79f45c1be00bdabd38b764ac28c082704e',
    '0xa6d12574efb239fc1d2099732bd8b5dc6306897f',
    '0xd3642a6e9fa95961130497727dc3ae6c38d625e7',
    '0xe98fc055c99decd8da0c111b090885d5d15c774e',
    '0xbb8a61425dfe172aa3a6f882aafaba00b32b7d59',
    '0x7f6501d3b98ee91f9b9535e4b0ac710fb0f9e0bc',
    '0xf09edbf2655b2a56753bd60d22ceab2ac5d04188',
    '0xd9e3ef2c12de90e3b03f7b7e3964956a71920d40',
    '0xd089b4cb88dacf4e27be869a00e9f7e2e3c18193',
    '0x4ff50c17df0d1b788d021acd85039810a1aa68a1',
  ]),
  aaveStata('avalanche', [
    '0xc38ad3527a4b821bf437639cba8bf567bfa63a13',
    '0x61933af56431280ee4e5667133d8af6322d64b32',
    '0xe1bfc96d95badcb10ff013cb0c9c6c737ca07009',
    '0xdfd2b2437a94108323045c282ff1916de5ac6af7',
    '0x59933c571d200dc6a7fd1cda22495db442082e34',
    '0x7883978d1f322641a3aaa82bac3b0a6dee7a171e',
    '0xd7da0de6ef4f51d6206bf2a35fcd2030f54c3f7b',
    '0x7d0394f8898fba73836bf12bd606228887705895',
    '0x3929336afd0bba6fcabb67dfb78610379c66b43b',
    '0x2d324fd1ca86d90f61b0965d2db2f86d22ea4b74',
    '0x45cf39eeb437fa95bb9b52c0105254a6bd25d01e',
    '0x79459f4c9afc902488109d058c3e76ed0b037c41',
  ]),
  aaveStata('base', [
    '0xe298b938631f750dd409fb18227c4a23dcdaab9b',
    '0x5e8b674127b321dc344c078e58bbacc3f3008962',
    '0x74d4d1d440c9679b1013999bd91507eaa2fff651',
    '0x0830820d1a9aa1554364752d6d8f55c836871b74',
    '0xc768c589647798a6ee01a91fde98ef2ed046dbd6',
    '0x6acd0a165fd70a84b6b50d955ff3628700baaf4b',
    '0xfa2a03b6f4a65fb1af64f7d935fdbf78693df9af',
    '0xf8f10f39116716e89498c1c5e94137ada11b2bc7',
    '0x88b1cd4b430d95b406e382c3cdbae54697a0286e',
    '0xca79190050739d27b61e24b085dd4af990254ec2',
    '0x729f75aff28c726e32403e80cef2afb518cfbfa7',
    '0x4170aa42631d60160171c60d523a2783565261b9',
    '0xad785bd1666c582fcab74088ce73bdf4c9da1f20',
  ]),
  aaveStata('binance', []),
  aaveStata('ethereum', [
    '0x0bfc9d54fc184518a81162f8fb99c2eaca081202',
    '0x2a5d51e22a8010701674e0c3d45e9acf7b9c8a62',
    '0xd4fa2d31b7968e448877f69a96de69f5de8cd23e',
    '0x5caf5a86f39073637ac7c8a7b5290871de80cb9b',
    '0x7bc3485026ac48b6cf9baf0a377477fff5703af8',
    '0x91ad1f5443cf356010d2171d6d26b11c309c4b16',
    '0xb51edddd8c47856d81c8681ea71404cec93e92c6',
    '0x5f9d59db355b4a60501544637b00e94082ca575b',
    '0xb80b3215ea8183a064073f9892eb64236160a4df',
    '0x6a1792a91c08e9f0bfe7a990871b786643237f0f',
    '0x2fe4dc166adbc0b39edb47f4324f00a7374dabf7',
    '0x476a2d04ab8a7fb93e13ac14f2c077866ff13500',
    '0x2df6dfbd281f127a3690c87e4572076778a9eda5',
    '0x775f661b0bd1739349b9a2a3ef60be277c5d2d29',
    '0x0fe906e030a44ef24ca8c7dc7b7c53a6c4f00ce9',
    '0xc71ea051a5f82c67adcf634c36ffe6334793d24c',
  ]),
  aaveStata('gnosis', [
    '0x57f664882f762fa37903fc864e2b633d384b411a',
    '0x773cda0cade2a3d86e6d4e30699d40bb95174ff2',
    '0x7c16f0185a26db0ae7a9377f23bc18ea7ce5d644',
    '0x417bc5b940475203a18c2f320a5ba470d6c5e463',
    '0x51350d88c1bd32cc6a79368c9fb70373fb71f375',
    '0x58d9acac48a4077e4909181c48decd00e5ba5de4',
  ]),
  aaveStata('linea', ['0xbc3af484919304e005ca8b735a0d463b876aeb52', '0x4d11f27b1c4a5d232a200d2256a4e3d9baaccf05']),
  aaveStata('optimism', [
    '0x61b620fad391b53a2d0973b10a3ed69558d5c66e',
    '0xc438643b0eee8a314eec53eb8a1ee6467c88fc24',
    '0x0b590ef479c8e03825ae779839acb4583acc15fd',
    '0xea9020a9e04c557478dad749a1aad242b443042c',
    '0x464b808c2c7e04b07e860fdf7a91870620246148',
    '0x927cff131fd5b43fc992d071929b2c095d6e4b70',
    '0x527604e4d87a7562ec653dbe2878d0dcab7f1972',
    '0x0ec63a55a688e5ba26afe8d9250114505e8b60a0',
    '0x712ef4d78f43ecafa106ea003704a908c99d7f11',
    '0xbaf95bb30cdab3d5b7a11b67edef5631bd62be86',
    '0x413093e03d6aee4f2f7e48d4b88881bf4932b249',
    '0x8e6a81b9d541a0cea090818b62c4b2de7f2a2cf7',
    '0x41b334e9f2c0ed1f30fd7c351874a6071c53a78e',
  ]),
  aaveStata('polygon', [
    '0xe1a9178ad1815099004145ec00eb516b54c93ceb',
    '0x2ead203c5c1c00612b1ddbbb20e4180da822d6ff',
    '0x79261231698b26ed9085b59ae89d59843ae925a8',
  ]),
]
