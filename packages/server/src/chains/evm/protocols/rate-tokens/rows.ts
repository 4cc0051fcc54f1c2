import type { DeploymentRow } from '../adapter.ts'
import { rated, rows, shareRows, WETH_AVALANCHE } from './share-rows.ts'

/**
 * Sources: rate providers reviewed as safe in Balancer's registry; DefiLlama's adapters of Ankr, ether.fi, Lista and
 * Binance; the Spark address registry; the protocols' interfaces.
 */
export const rateTokenRows: readonly DeploymentRow[] = [
  ...rows({
    key: 'coinbase',
    name: 'Coinbase',
    siteUrl: 'https://www.coinbase.com/cbeth',
    tokens: {
      arbitrum: [
        rated('cbETH', '0x1debd73e752beaf79865fd6446b0c970eae7732f', '0xd983d5560129475bfc210332422fadcb4ecd09b0'),
      ],
      base: [
        rated('cbETH', '0x2ae3f1ec7f1f5012cfeab0185bfc7aa3cf0dec22', '0x3786a6caab433f5dfe56503207df31df87c5b5c1'),
      ],
      ethereum: [{ label: 'cbETH', token: '0xbe9895146f7af43049ca1c1ae358b0541ea49704', view: 'exchangeRate' }],
    },
  }),
  ...rows({
    key: 'rocketpool',
    name: 'Rocket Pool',
    siteUrl: 'https://rocketpool.net',
    tokens: {
      arbitrum: [
        rated('rETH', '0xec70dcb4a1efa46b8f2d97c310c9c4790ba5ffa8', '0xd4e96ef8eee8678dbff4d535e033ed1a4f7605b7'),
      ],
      base: [rated('rETH', '0xb6fe221fe9eef5aba221c348ba20a1bf5e73624c', '0x039f7205c2cba4535c2575123ac3d657263892c4')],
      ethereum: [{ label: 'rETH', token: '0xae78736cd615f374d3085123a210448e74fc6393', view: 'getEthValue' }],
      optimism: [
        rated('rETH', '0x9bcef72be871e61ed4fbbc7630889bee758eb81d', '0x658843bb859b7b85ceab5cf77167e3f0a78dfe7f'),
      ],
    },
  }),
  ...rows({
    key: 'binance_staking',
    name: 'Binance Staking',
    siteUrl: 'https://www.binance.com/en/wbeth',
    tokens: {
      binance: [
        {
          label: 'wBETH',
          token: '0xa2e3356610840701bdf5611a53974510ae27e2e1',
          view: 'exchangeRate',
          underlying: '0x2170ed0880ac9a755fd29b2688956bd959f933f8',
        },
      ],
      ethereum: [{ label: 'wBETH', token: '0xa2e3356610840701bdf5611a53974510ae27e2e1', view: 'exchangeRate' }],
    },
  }),
  ...rows({
    key: 'mantle',
    name: 'Mantle',
    siteUrl: 'https://www.methprotocol.xyz',
    tokens: {
      ethereum: [
        {
          label: 'mETH',
          token: '0xd5f7838f5c461feff7fe49ea5ebaf7728bb0adfa',
          view: 'mETHToETH',
          provider: '0xe3cbd06d7dadb3f4e6557bab7edd924cd1489e8f',
        },
      ],
    },
  }),
  ...rows({
    key: 'swell',
    name: 'Swell',
    siteUrl: 'https://www.swellnetwork.io',
    tokens: {
      ethereum: [
        { label: 'swETH', token: '0xf951e335afb289353dc249e82926178eac7ded78', view: 'getRate' },
        { label: 'rswETH', token: '0xfae103dc9cf190ed75350761e95403b7b8afa6c0', view: 'getRate' },
      ],
    },
  }),
  ...rows({
    key: 'renzo',
    name: 'Renzo',
    siteUrl: 'https://www.renzoprotocol.com',
    tokens: {
      arbitrum: [
        rated('ezETH', '0x2416092f143378750bb29b79ed961ab195cceea5', '0xf25484650484de3d554fb0b7125e7696efa4ab99'),
      ],
      base: [
        rated('ezETH', '0x2416092f143378750bb29b79ed961ab195cceea5', '0x6ac3b3bece5aa61c6ab5d50ecd2d47b1f18ace49'),
      ],
      ethereum: [
        rated('ezETH', '0xbf5495efe5db9ce00f80364c8b423567e58d2110', '0x387dbc0fb00b26fb085aa658527d5be98302c84c'),
      ],
    },
  }),
  ...rows({
    key: 'kelp',
    name: 'Kelp',
    siteUrl: 'https://kelpdao.xyz',
    tokens: {
      arbitrum: [
        rated('rsETH', '0x4186bfc76e2e237523cbc30fd220fe055156b41f', '0x3222d3de5a9a3ab884751828903044cc4adc627e'),
      ],
      ethereum: [
        rated('rsETH', '0xa1290d69c65a6fe4df752f95823fae25cb99e5a7', '0x746df66bc1bb361b9e8e2a794c299c3427976e6c'),
      ],
      optimism: [
        rated('rsETH', '0x4186bfc76e2e237523cbc30fd220fe055156b41f', '0x1373a61449c26cc3f48c1b4c547322edaa36eb12'),
      ],
    },
  }),
  ...rows({
    key: 'stakewise',
    name: 'StakeWise',
    siteUrl: 'https://stakewise.io',
    tokens: {
      arbitrum: [
        rated('osETH', '0xf7d4e7273e5015c96728a6b02f31c505ee184603', '0xba74737a078c05500dd98c970909e4a3b90c35c6'),
      ],
      ethereum: [
        {
          label: 'osETH',
          token: '0xf1c9acdc66974dfb6decb12aa385b9cd01190e38',
          view: 'convertToAssets',
          provider: '0x2a261e60fb14586b474c208b1b7ac6d0f5000306',
        },
      ],
      gnosis: [
        rated(
          'osGNO',
          '0xf490c80aae5f2616d3e3bda2483e30c4cb21d1a0',
          '0x9b1b13afa6a57e54c03ad0428a4766c39707d272',
          '0x9c58bacc331c9aa871afd802db6379a98e80cedb',
        ),
      ],
    },
  }),
  ...rows({
    key: 'stader',
    name: 'Stader',
    siteUrl: 'https://www.staderlabs.com',
    tokens: {
      arbitrum: [
        rated('ETHx', '0xed65c5085a18fa160af0313e60dcc7905e944dc7', '0x8581953084ffddbb82fc63f30f11bdb0e7300284'),
      ],
      ethereum: [
        rated('ETHx', '0xa35b1b31ce002fbf2058d22f30f95d405200a15b', '0xaae054b9b822554dd1d9d1f48f892b4585d3bbf0'),
      ],
      polygon: [
        rated('MaticX', '0xfa68fb4628dff1028cfec22b4162fccd0d45efb6', '0xee652bbf72689aa59f0b8f981c9c90e2a8af8d8f'),
      ],
    },
  }),
  ...rows({
    key: 'lido',
    name: 'Lido',
    siteUrl: 'https://lido.fi',
    tokens: {
      polygon: [
        rated('stMATIC', '0x3a58a54c066fdc0f2d55fc9c89f0415c92ebf3c4', '0xded6c522d803e35f65318a9a4d7333a22d582199'),
      ],
    },
  }),
  ...rows({
    key: 'ankr',
    name: 'Ankr',
    siteUrl: 'https://www.ankr.com/staking-crypto',
    tokens: {
      arbitrum: [
        rated('ankrETH', '0xe05a08226c49b636acf99c40da8dc6af83ce5bb3', '0xfc8d81a01ded207ad3deb4fe91437cae52ded0b5'),
      ],
      avalanche: [
        { label: 'ankrAVAX', token: '0xc3344870d52688874b06d844e0c36cc39fc727f6', view: 'ratio' },
        rated(
          'ankrETH',
          '0x12d8ce035c5de3ce39b1fdd4c1d5a745eaba3b8c',
          '0xd6fd021662b83bb1aabc2006583a62ad2efb8d4a',
          WETH_AVALANCHE,
        ),
      ],
      binance: [{ label: 'ankrBNB', token: '0x52f24a5e03aee338da5fd9df68d2b6fae1178827', view: 'ratio' }],
      ethereum: [{ label: 'ankrETH', token: '0xe95a203b1a91a908f9b9ce46459d101078c2c3cb', view: 'ratio' }],
      fantom: [{ label: 'ankrFTM', token: '0xcfc785741dc0e98ad4c9f6394bb9d43cd1ef5179', view: 'ratio' }],
      optimism: [
        rated('ankrETH', '0xe05a08226c49b636acf99c40da8dc6af83ce5bb3', '0x97b323fc033323b66159402bcdb9d7b9dc604235'),
      ],
    },
  }),
  ...rows({
    key: 'benqi_staked_avax',
    name: 'BENQI Liquid Staking',
    siteUrl: 'https://benqi.fi',
    tokens: {
      avalanche: [
        { label: 'sAVAX', token: '0x2b2c81e08f1af8835a78bb2a90ae924ace0ea4be', view: 'getPooledAvaxByShares' },
      ],
    },
  }),
  ...rows({
    key: 'lista',
    name: 'Lista',
    siteUrl: 'https://lista.org',
    tokens: {
      binance: [
        {
          label: 'slisBNB',
          token: '0xb0b84d294e0c75a6abe60171b70edeb2efd14a1b',
          view: 'convertSnBnbToBnb',
          provider: '0x1adb950d8bb3da4be104211d5ab038628e477fe6',
        },
      ],
    },
  }),
  ...rows({
    key: 'cryptocom',
    name: 'Crypto.com',
    siteUrl: 'https://crypto.com/staking',
    tokens: {
      ethereum: [
        rated('CDCETH', '0xfe18ae03741a5b84e39c295ac9c856ed7991c38e', '0x3f032432f239d86d36ccf01fb0c86399a33bd004'),
      ],
    },
  }),
  ...rows({
    key: 'stafi',
    name: 'StaFi',
    siteUrl: 'https://www.stafi.io',
    tokens: {
      ethereum: [
        rated('rETH', '0x9559aaa82d9649c7a7b220e7c461d2e74c9a3593', '0x3d40f9dd83bd404fa4047c15da494e58c3c1f1ac'),
      ],
    },
  }),
  ...shareRows,
]
