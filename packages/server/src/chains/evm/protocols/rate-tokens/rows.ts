import type { DeploymentRow } from '../adapter.ts'

type Token = {
  label: string
  token: string
  view: string
  underlying?: string
  provider?: string
  decimals?: number
  kind?: 'yield'
}
type Listed = { chain: string; listed: Token }

const USDC_ETHEREUM = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const WETH_AVALANCHE = '0x49d5c2bdffac6ce2bfdb6640f4f80f226bc10bab'

const rows = (key: string, name: string, siteUrl: string, tokens: readonly Listed[]): DeploymentRow[] =>
  [...Map.groupBy(tokens, ({ chain }) => chain)].map(([chain, own]) => {
    return { key, name, siteUrl, chain, deployment: { tokens: own.map(({ listed }) => listed) } }
  })

const on = (chain: string, tokens: readonly Token[]): Listed[] => tokens.map((listed) => ({ chain, listed }))

/** By chain: the token and its rate provider. */
const rated = (label: string, chains: Readonly<Record<string, readonly [string, string]>>, underlying?: string) =>
  Object.entries(chains).map(([chain, [token, provider]]): Listed => {
    return { chain, listed: { label, token, view: 'getRate', provider, ...(underlying && { underlying }) } }
  })

/** Shares and the Accountant's rate have the decimals of the vault's base. */
const liquid = (token: string, provider: string, base: { underlying?: string; decimals?: number } = {}): Token => ({
  label: 'Liquid vault',
  token,
  view: 'getRate',
  provider,
  kind: 'yield',
  ...base,
})
const LIQUID_USD = { underlying: USDC_ETHEREUM, decimals: 6 }

/** sUSDS off Ethereum has no rate of its own: Spark's oracle brings it. */
const savings = (chain: string, token: string, provider: string, underlying: string): Listed => {
  return { chain, listed: { label: 'sUSDS', token, view: 'getRate', provider, underlying, kind: 'yield' } }
}

/**
 * Sources: rate providers reviewed as safe in Balancer's registry; DefiLlama's adapters of Ankr, ether.fi, Lista and
 * Binance; the Spark address registry; the protocols' interfaces.
 */
export const rateTokenRows: readonly DeploymentRow[] = [
  ...rows('coinbase', 'Coinbase', 'https://www.coinbase.com/cbeth', [
    ...rated('cbETH', {
      arbitrum: ['0x1debd73e752beaf79865fd6446b0c970eae7732f', '0xd983d5560129475bfc210332422fadcb4ecd09b0'],
      base: ['0x2ae3f1ec7f1f5012cfeab0185bfc7aa3cf0dec22', '0x3786a6caab433f5dfe56503207df31df87c5b5c1'],
    }),
    ...on('ethereum', [{ label: 'cbETH', token: '0xbe9895146f7af43049ca1c1ae358b0541ea49704', view: 'exchangeRate' }]),
  ]),
  ...rows('rocketpool', 'Rocket Pool', 'https://rocketpool.net', [
    ...rated('rETH', {
      arbitrum: ['0xec70dcb4a1efa46b8f2d97c310c9c4790ba5ffa8', '0xd4e96ef8eee8678dbff4d535e033ed1a4f7605b7'],
      base: ['0xb6fe221fe9eef5aba221c348ba20a1bf5e73624c', '0x039f7205c2cba4535c2575123ac3d657263892c4'],
      optimism: ['0x9bcef72be871e61ed4fbbc7630889bee758eb81d', '0x658843bb859b7b85ceab5cf77167e3f0a78dfe7f'],
    }),
    ...on('ethereum', [{ label: 'rETH', token: '0xae78736cd615f374d3085123a210448e74fc6393', view: 'getEthValue' }]),
  ]),
  ...rows('binance_staking', 'Binance Staking', 'https://www.binance.com/en/wbeth', [
    ...on('binance', [
      {
        label: 'wBETH',
        token: '0xa2e3356610840701bdf5611a53974510ae27e2e1',
        view: 'exchangeRate',
        underlying: '0x2170ed0880ac9a755fd29b2688956bd959f933f8',
      },
    ]),
    ...on('ethereum', [{ label: 'wBETH', token: '0xa2e3356610840701bdf5611a53974510ae27e2e1', view: 'exchangeRate' }]),
  ]),
  ...rows('mantle', 'Mantle', 'https://www.methprotocol.xyz', [
    ...on('ethereum', [
      {
        label: 'mETH',
        token: '0xd5f7838f5c461feff7fe49ea5ebaf7728bb0adfa',
        view: 'mETHToETH',
        provider: '0xe3cbd06d7dadb3f4e6557bab7edd924cd1489e8f',
      },
    ]),
  ]),
  ...rows('swell', 'Swell', 'https://www.swellnetwork.io', [
    ...on('ethereum', [
      { label: 'swETH', token: '0xf951e335afb289353dc249e82926178eac7ded78', view: 'getRate' },
      { label: 'rswETH', token: '0xfae103dc9cf190ed75350761e95403b7b8afa6c0', view: 'getRate' },
    ]),
  ]),
  ...rows('renzo', 'Renzo', 'https://www.renzoprotocol.com', [
    ...rated('ezETH', {
      arbitrum: ['0x2416092f143378750bb29b79ed961ab195cceea5', '0xf25484650484de3d554fb0b7125e7696efa4ab99'],
      base: ['0x2416092f143378750bb29b79ed961ab195cceea5', '0x6ac3b3bece5aa61c6ab5d50ecd2d47b1f18ace49'],
      ethereum: ['0xbf5495efe5db9ce00f80364c8b423567e58d2110', '0x387dbc0fb00b26fb085aa658527d5be98302c84c'],
    }),
  ]),
  ...rows('kelp', 'Kelp', 'https://kelpdao.xyz', [
    ...rated('rsETH', {
      arbitrum: ['0x4186bfc76e2e237523cbc30fd220fe055156b41f', '0x3222d3de5a9a3ab884751828903044cc4adc627e'],
      ethereum: ['0xa1290d69c65a6fe4df752f95823fae25cb99e5a7', '0x746df66bc1bb361b9e8e2a794c299c3427976e6c'],
      optimism: ['0x4186bfc76e2e237523cbc30fd220fe055156b41f', '0x1373a61449c26cc3f48c1b4c547322edaa36eb12'],
    }),
  ]),
  ...rows('stakewise', 'StakeWise', 'https://stakewise.io', [
    ...rated('osETH', {
      arbitrum: ['0xf7d4e7273e5015c96728a6b02f31c505ee184603', '0xba74737a078c05500dd98c970909e4a3b90c35c6'],
    }),
    ...on('ethereum', [
      {
        label: 'osETH',
        token: '0xf1c9acdc66974dfb6decb12aa385b9cd01190e38',
        view: 'convertToAssets',
        provider: '0x2a261e60fb14586b474c208b1b7ac6d0f5000306',
      },
    ]),
    ...rated(
      'osGNO',
      { gnosis: ['0xf490c80aae5f2616d3e3bda2483e30c4cb21d1a0', '0x9b1b13afa6a57e54c03ad0428a4766c39707d272'] },
      '0x9c58bacc331c9aa871afd802db6379a98e80cedb',
    ),
  ]),
  ...rows('stader', 'Stader', 'https://www.staderlabs.com', [
    ...rated('ETHx', {
      arbitrum: ['0xed65c5085a18fa160af0313e60dcc7905e944dc7', '0x8581953084ffddbb82fc63f30f11bdb0e7300284'],
      ethereum: ['0xa35b1b31ce002fbf2058d22f30f95d405200a15b', '0xaae054b9b822554dd1d9d1f48f892b4585d3bbf0'],
    }),
    ...rated('MaticX', {
      polygon: ['0xfa68fb4628dff1028cfec22b4162fccd0d45efb6', '0xee652bbf72689aa59f0b8f981c9c90e2a8af8d8f'],
    }),
  ]),
  ...rows('lido', 'Lido', 'https://lido.fi', [
    ...rated('stMATIC', {
      polygon: ['0x3a58a54c066fdc0f2d55fc9c89f0415c92ebf3c4', '0xded6c522d803e35f65318a9a4d7333a22d582199'],
    }),
  ]),
  ...rows('ankr', 'Ankr', 'https://www.ankr.com/staking-crypto', [
    ...rated('ankrETH', {
      arbitrum: ['0xe05a08226c49b636acf99c40da8dc6af83ce5bb3', '0xfc8d81a01ded207ad3deb4fe91437cae52ded0b5'],
      optimism: ['0xe05a08226c49b636acf99c40da8dc6af83ce5bb3', '0x97b323fc033323b66159402bcdb9d7b9dc604235'],
    }),
    ...on('avalanche', [{ label: 'ankrAVAX', token: '0xc3344870d52688874b06d844e0c36cc39fc727f6', view: 'ratio' }]),
    ...rated(
      'ankrETH',
      { avalanche: ['0x12d8ce035c5de3ce39b1fdd4c1d5a745eaba3b8c', '0xd6fd021662b83bb1aabc2006583a62ad2efb8d4a'] },
      WETH_AVALANCHE,
    ),
    ...on('binance', [{ label: 'ankrBNB', token: '0x52f24a5e03aee338da5fd9df68d2b6fae1178827', view: 'ratio' }]),
    ...on('ethereum', [{ label: 'ankrETH', token: '0xe95a203b1a91a908f9b9ce46459d101078c2c3cb', view: 'ratio' }]),
    ...on('fantom', [{ label: 'ankrFTM', token: '0xcfc785741dc0e98ad4c9f6394bb9d43cd1ef5179', view: 'ratio' }]),
  ]),
  ...rows('benqi_staked_avax', 'BENQI Liquid Staking', 'https://benqi.fi', [
    ...on('avalanche', [
      { label: 'sAVAX', token: '0x2b2c81e08f1af8835a78bb2a90ae924ace0ea4be', view: 'getPooledAvaxByShares' },
    ]),
  ]),
  ...rows('lista', 'Lista', 'https://lista.org', [
    ...on('binance', [
      {
        label: 'slisBNB',
        token: '0xb0b84d294e0c75a6abe60171b70edeb2efd14a1b',
        view: 'convertSnBnbToBnb',
        provider: '0x1adb950d8bb3da4be104211d5ab038628e477fe6',
      },
    ]),
  ]),
  ...rows('cryptocom', 'Crypto.com', 'https://crypto.com/staking', [
    ...rated('CDCETH', {
      ethereum: ['0xfe18ae03741a5b84e39c295ac9c856ed7991c38e', '0x3f032432f239d86d36ccf01fb0c86399a33bd004'],
    }),
  ]),
  ...rows('stafi', 'StaFi', 'https://www.stafi.io', [
    ...rated('rETH', {
      ethereum: ['0x9559aaa82d9649c7a7b220e7c461d2e74c9a3593', '0x3d40f9dd83bd404fa4047c15da494e58c3c1f1ac'],
    }),
  ]),
  ...rows('etherfi', 'ether.fi', 'https://www.ether.fi', [
    ...rated('weETH', {
      arbitrum: ['0x35751007a407ca6feffe80b3cb397736d2cf4dbe', '0xcd9e3fb32c8f258555b8292531112bbb5b87e2f4'],
      base: ['0x04c0599ae5a44757c0af6f9ec3b93da8976c150a', '0x5a7a419c59eaadec8dc00bc93ac95612e6e154cf'],
      optimism: ['0x5a7facb970d094b6c7ff1df0ea68d99e6e73cbff', '0xef42d000a3e85c4e71c57e2c6a1e600e86f5a91b'],
    }),
    ...rated(
      'weETH',
      { avalanche: ['0xa3d68b74bf0528fdd07263c60d6488749044914b', '0x332648a03fe7f43f6d835d9547cd0fd1bb420944'] },
      WETH_AVALANCHE,
    ),
    ...on('ethereum', [
      { label: 'weETH', token: '0xcd5fe23c85820f7b72d0926fc9b05b43e359b7ee', view: 'getRate' },
      liquid('0xf0bb20865277abd641a307ece5ee04e79073416c', '0x0d05d94a5f1e76c18fbeb7a13d17c8a314088198'),
      liquid('0x917cee801a67f933f2e6b33fc0cd1ed2d5909d88', '0xbe16605b22a7facef247363312121670dfe5afbe'),
      liquid('0x7223442cad8e9ca474fc40109ab981608f8c4273', '0x126af21dc55c300b7d0bbfc4f3898f558ae8156b'),
      liquid('0x83599937c2c9bea0e0e8ac096c6f32e86486b410', '0x04b8136820598a4e50bee21b8b6a23fe25df9bd8'),
      liquid('0xca8711daf13d852ed2121e4be3894dae366039e4', '0x075e60550c6f77f430b284e76af699bc31651f75'),
      liquid('0xc673ef7791724f0dcca38adb47fbb3aef3db6c80', '0xf44bd12956a0a87c2c20113ddfe1537a442526b5', {
        underlying: '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599',
        decimals: 8,
      }),
      liquid('0x08c6f91e2b681faf5e17227f2a44c307b3c1364c', '0xc315d6e14ddcdc7407784e2caf815d131bc1d3e7', LIQUID_USD),
      liquid('0x352180974c71f84a934953cf49c4e538a6f9c997', '0xbae19b38bf727be64af0b578c34985c3d612e2ba', LIQUID_USD),
      liquid('0xeda663610638e6557c27e2f4e973d3393e844e70', '0x1d4f0f05e50312d3e7b65659ef7d06aa74651e0c', LIQUID_USD),
      liquid('0xbc0f3b23930fff9f4894914bd745ababa9588265', '0x95fe19b324be69250138fe8ee50356e9f6d17cfe', LIQUID_USD),
    ]),
  ]),
  ...rows('sky', 'Sky', 'https://sky.money', [
    savings(
      'arbitrum',
      '0xddb46999f8891663a8f2828d25298f70416d7610',
      '0xc0737f29b964e6fc8025f16b30f2ea4c2e2d6f22',
      '0x6491c05a82219b8d1479057361ff1654749b876b',
    ),
    savings(
      'base',
      '0x5875eee11cf8398102fdad704c9e96607675467a',
      '0x49af4ee75ae62c2229bb2486a59aa1a999f050f0',
      '0x820c137fa70c8691f0e44dc420a5e53c168921dc',
    ),
    savings(
      'optimism',
      '0xb5b2dc7fd34c249f4be7fb1fcea07950784229e0',
      '0xe1e4953c93da52b95edd0ffd910565d3369acd6b',
      '0x4f13a96ec5c4cf34e442b46bbd98a0791f20edc3',
    ),
  ]),
]
