import { rowsByChain } from '../adapter.ts'

type Facts = {
  blue: string
  /** Ethereum and Base have versions 1.0 and 1.1. */
  vaultFactories?: string[]
  vaultV2Factories?: string[]
  marketAdapterFactories?: string[]
  vaultAdapterFactories?: string[]
  bundlers: string[]
}

/** Sources: the deployments of Morpho's SDK; factory 1.0 from Ledger's plugin for Morpho. */
const deployments: Readonly<Record<string, Facts>> = {
  abstract: {
    blue: '0xc85ce8ffda27b646d269516b8d0fa6ec2e958b55',
    vaultFactories: ['0x83a7f60c9fc57cef1e8001bda98783aa1a53e4b1'],
    bundlers: ['0xc13a3ca3b0120ee6121d1e0ca9da22fdd7ed28cd', '0x3716aa06304d1bc70f553da44904d13086a4a791'],
  },
  arbitrum: {
    blue: '0x6c247b1f6182318877311737bac0844baa518f5e',
    vaultFactories: ['0x878988f5f561081deea117717052164ea1ef0c82'],
    vaultV2Factories: ['0x6b46fa3cc9ebf8ab230abac664e37f2966bf7971'],
    marketAdapterFactories: [
      '0x96456bf888d4de607bf3ca0b3c8e4df9b0d0ad47',
      '0xef84b1ecebe43283ec5af95d7a5c4d7de0a9859b',
    ],
    vaultAdapterFactories: ['0xd8fc8a85779551e78b516da9f74061cb3b086793'],
    bundlers: [
      '0x1fa4431bc113d308bee1d46b0e98cb805fb48c13',
      '0x9954afb60bb5a222714c478ac86990f221788b88',
      '0xaa5c30c1482c189ca0d56057d3ac4dd7af1e4726',
      '0x1923670d4f4eb7435d865e7477d28feaffa40c93',
      '0x86ca77a4a37a9cdbe9bbf4975f6d69531b96444b',
    ],
  },
  base: {
    blue: '0xbbbbbbbbbb9cc5e90e3b3af64bdaf62c37eeffcb',
    vaultFactories: ['0xa9c3d3a366466fa809d1ae982fb2c46e5fc41101', '0xff62a7c278c62ed665133147129245053bbf5918'],
    vaultV2Factories: ['0x4501125508079a99ebbebce205dec9593c2b5857'],
    marketAdapterFactories: [
      '0x133bac94306b99f6dad85c381a5be851d8dd717c',
      '0x9a1b378c43ba535cdb89934230f0d3890c51c0eb',
    ],
    vaultAdapterFactories: ['0xf42d9c36b34c9c2cf3bc30ed2a52a90eeb604642'],
    bundlers: [
      '0x6bfd8137e702540e7a42b74178a4a49ba43920c4',
      '0xb98c948cfa24072e58935bc004a8a7b376ae746a',
      '0x6abe8abd0275e5564ed1336f0243a52c32562f71',
      '0xdeef55f0a7366cc3baf5e04313269389fe17e9ae',
      '0x85d4812ef92c040d4270ed8547b6835e41fbbb70',
      '0xb27aa2a964ead5ed661d86974b37e4fb995b36f5',
    ],
  },
  binance: {
    blue: '0x01b0bd309aa75547f7a37ad7b1219a898e67a83a',
    vaultFactories: ['0x92983687e672ca6d96530f9dbe11a196ce905d72'],
    bundlers: ['0x16d40b9df1497468195bfafeb2718e486e15bf91', '0x87c93660ece6e68c6492eabbbbdbaafa102ae3a3'],
  },
  celo: {
    blue: '0xd24ecdd8c1e0e57a4e26b1a7bbeaa3e95466a569',
    vaultFactories: ['0x6870aa9f66c1e5efe8dbe8730e86e9e91f688275'],
    bundlers: ['0xbd142f98f847c170d51d8b23e5febc51fc9a67d9', '0x3e7544a07157d03a49359ee89f2fcac9a6467230'],
  },
  cronos: {
    blue: '0xdf9a1dc07e5dee5ccccabec35e446c70faf7434e',
    vaultFactories: ['0xea67e5566ca2c0176d9db172a7f9a1e1f22e9d3a'],
    vaultV2Factories: ['0x05519a0835a1bfd90f110aa7ca46e9a5f81ed3b4'],
    marketAdapterFactories: [
      '0xacff4ad3b357f5a43a20570cf3eb9ba0086d4e9a',
      '0xe39f6b5dd03f4ce8c201b946e662e653d94fa121',
    ],
    vaultAdapterFactories: ['0x8840f99bb2d4f69fb02b2d019384c5c98a11746c'],
    bundlers: ['0xb1c59fe6a0dce25b804f6113c441bf4f3a4ab6bc', '0xca470cbbc3de56fde336466f2107cc969174d513'],
  },
  ethereum: {
    blue: '0xbbbbbbbbbb9cc5e90e3b3af64bdaf62c37eeffcb',
    vaultFactories: ['0xa9c3d3a366466fa809d1ae982fb2c46e5fc41101', '0x1897a8997241c1cd4bd0698647e4eb7213535c24'],
    vaultV2Factories: ['0xa1d94f746defa1928926b84fb2596c06926c0405'],
    marketAdapterFactories: [
      '0xb049465969ac6355127cdf9e88dee63d25204d5d',
      '0x32bb1c0d48d8b1b3363e86eeb9a0300bad61ccc1',
    ],
    vaultAdapterFactories: ['0xd1b8e2dee25c2b89dcd2f98448a7ce87d6f63394'],
    bundlers: [
      '0x6566194141eefa99af43bb5aa71460ca2dc90245',
      '0x4a6c312ec70e8747a587ee860a0353cd42be0ae0',
      '0x03b5259bd204bfd4a616e5b79b0b786d90c6c38f',
      '0xf83d17dfe160597b19e4fdd8ea61a23e9a87f962',
      '0x9b89c07f480df1945279031b5fc6ff241b8f1101',
      '0xdba5bde29ea030bfa6a608592dfca1d02cb26773',
      '0x40288815c399709dfc0875a384b637ffe387961b',
      '0xb09e40ebe31b738fbf20289270a397118707d475',
      '0x2cc8d502a65824b4cf9a58db03490ba024bdb806',
      '0x4011dc6581fa05f9b0c7a12adcd676e2b1a59ca3',
      '0x9e2ea2d5785598a163d569d795f286f5c55ad972',
    ],
  },
  fraxtal: {
    blue: '0xa6030627d724ba78a59acf43be7550b4c5a0653b',
    vaultFactories: ['0x27d4af0ac9e7fdfa6d0853236f249cc27ae79488'],
    bundlers: ['0xa7a414823ef0f8cfb2c4f67f2f445da940641d91', '0x228ddf333ddf6d1895da1de8a846edd27f1284ed'],
  },
  hyperevm: {
    blue: '0x68e37de8d93d3496ae143f2e900490f6280c57cd',
    vaultFactories: ['0xec051b19d654c48c357dc974376deb6272f24e53'],
    vaultV2Factories: ['0xd7217e5687ff1071356c780b5fe4803d9d967da7'],
    marketAdapterFactories: [
      '0xc6b8b565c715134b0ca3d6fa3d29b25759d0b9e2',
      '0xaeff6ef4b7bbfbaadb18b634a8f11392cbeb72be',
    ],
    vaultAdapterFactories: ['0xdf5202e29654e02011611a086f15477880580cac'],
    bundlers: ['0xa3f50477afa601c771874260a3b34b40e244fa0e', '0xd7f48ade56613e8605863832b7b8a1985b934ae4'],
  },
  ink: {
    blue: '0x857f3eefe8cbda3bc49367c996cd664a880d3042',
    vaultFactories: ['0xd3f39505d0c48afed3549d625982fdc38ea9904b'],
    bundlers: ['0x7db0f1e2bf1f47ec82220090f388d75d8b9bb6bc', '0xb8b2addcde1cdc94aae18a0f8a19df03d8683610'],
  },
  katana: {
    blue: '0xd50f2dfffd62f94ee4aed9ca05c61d0753268abc',
    vaultFactories: ['0x1c8de6889acee12257899bfeaa2b7e534de32e16'],
    vaultV2Factories: ['0xfcb8b57e56787bb29e130fca67f3c5a1232975d1'],
    marketAdapterFactories: [
      '0x2e6be3a3a27fb45c6aba2d1833eea48e8788538e',
      '0x6d6a3ba62836d6b40277767dcac8fd390d4bcedc',
    ],
    vaultAdapterFactories: ['0xc8d22b1add3d176600e9952e7876e9249254caaf'],
    bundlers: ['0xa8c5e23c9c0df2b6ff716486c6bbebb6661548c8', '0x916aa175c36e845db45ff6ddb886ae437d403b61'],
  },
  linea: {
    blue: '0x6b0d716ac0a45536172308e08fc2c40387262c9f',
    vaultFactories: ['0xa148a8223b622a72dc36472de1492abb5c089ba7'],
    vaultV2Factories: ['0x5dc11cf8ba4c39d1194f91218d35008d9f52a5d0'],
    marketAdapterFactories: ['0x3267bbdc94274b4be081c01ffc6123da12e8c043'],
    vaultAdapterFactories: ['0x6faf26dd640e22457ca4fd5da702ba3e169eed87'],
    bundlers: ['0x1ee8ec299e8014760d50a4e3cfc3b44cc2242625', '0x454dab6ce9891245696b239b4845a1cdc268255d'],
  },
  megaeth: {
    blue: '0x18120312a7cf44dcfec6dce5632a431579ed9100',
    vaultV2Factories: ['0xf133fa5a78c398b31cc4a180e6ae84111d6dcf5b'],
    marketAdapterFactories: ['0x00a58b7a9b3e86cb21f5f11f29f4a12346457012'],
    bundlers: ['0xf53d4c8f0f83f697cd6bb303567400ccf411aa63', '0x74d3cbc721613c8461df92658d0a20df275ca31b'],
  },
  mode: {
    blue: '0xd85ce6bd68487e0aafb0858fde1cd18c76840564',
    vaultFactories: ['0xae5b0884bfff430493d6c844b9fd052af7d79278'],
    bundlers: ['0xfea0edfa081c8d5960ec9bf6684981db1834305d', '0xf53925b95cc409447066cd5c1a7756084b2ee0a4'],
  },
  monad: {
    blue: '0xd5d960e8c380b724a48ac59e2dff1b2cb4a1eaee',
    vaultFactories: ['0x33f20973275b2f574488b18929cd7dcbf1abf275'],
    vaultV2Factories: ['0x8b2f922162fbb60a6a072cc784a2e4168fb0bb0c'],
    marketAdapterFactories: [
      '0x8da54fbf89b3d6fc6dcc92f31cf75a211acf3d46',
      '0xa00666e86c7e2fa8d2c78d9481e687e098340180',
    ],
    vaultAdapterFactories: ['0x9f3c0999425656fd189c69a8ad68cb64986d644a'],
    bundlers: ['0x82b684483e844422fd339df0b67b3b111f02c66e', '0x725ab8cad931bcb80fdbf10955a806765cce00e5'],
  },
  optimism: {
    blue: '0xce95afbb8ea029495c66020883f87aae8864af92',
    vaultFactories: ['0x3bb6a6a0bc85b367efe0a5bac81c5e52c892839a'],
    vaultV2Factories: ['0x6128b680b277bf4df80dfe9d8c55a498660870ef'],
    marketAdapterFactories: [
      '0x65956d5ba4974983ecce111612fc0a0c22650a11',
      '0x71b299bdb52b6396429cd1e11c418324502cb434',
    ],
    vaultAdapterFactories: ['0xee9f7c64dd827ed7b5caa2272936366faca00cf3'],
    bundlers: [
      '0xfbcd3c258feb131d8e038f2a3a670a7be0507c05',
      '0x79481c87f24a3c4332442a2e9faaf675e5f141f0',
      '0x31f539f4ed14fa1fd18781e93f6739249692adc5',
    ],
  },
  plume: {
    blue: '0x42b18785ce0aed7bf7ca43a39471ed4c0a3e0bb5',
    vaultFactories: ['0x2525d453d9ba13921d5ab5d8c12f9202b0e19456'],
    vaultV2Factories: ['0x4f0a370bb367843cfd914c4d9972523ad2f8fcc9'],
    marketAdapterFactories: [
      '0x1675357fda9e6784ddad7ad5b3c3df1fdd4dc4c9',
      '0xb7c243afacb25870775adfdae9d0eac2324dd152',
    ],
    vaultAdapterFactories: ['0x5935ffcd1c5d269840ae7c685bc957a73e04aedb'],
    bundlers: ['0x5437c8788f4cfbaa55be6fbf30379bc7dd7f69c3', '0x65ff368930cb7eb4ca5c5ebc58bb69e6ed198ba5'],
  },
  polygon: {
    blue: '0x1bf0c2541f820e775182832f06c0b7fc27a25f67',
    vaultFactories: ['0xa9c87dab340631c34bb738625c70499e29dddc98'],
    vaultV2Factories: ['0xc11a53ee9b1ecc7a068d8e40f8f17926584f97cf'],
    marketAdapterFactories: [
      '0xd1a0c86f28ecd1657ad06415c2b230cc89d9b6dd',
      '0xc0006f52b38625c283dd2f972dd9b779a5851dd0',
    ],
    vaultAdapterFactories: ['0xeb174fea51da241eb3b516959b216e013de2888a'],
    bundlers: [
      '0x2d9c3a9e67c966c711208cc78b34fb9e9f8db589',
      '0xb261b51938a9767406ef83bbfbaafe16691b7047',
      '0x5f2617f12d1fdd1e43e72cb80c92dfce8124db8d',
      '0xb34d2f54139ba12defc315c0822adf9a5eb9a9b7',
      '0x43980ae597f12ff64690506b2aeeffb4d8beaf2a',
      '0xecb1662a1dff5c20650cf98c3334d2fddcd50742',
    ],
  },
  scroll: {
    blue: '0x2d012edbadc37edc2bc62791b666f9193fdf5a55',
    vaultFactories: ['0x56b65742ade55015e6480959808229ad6dbc9295'],
    bundlers: ['0x60f9159d4dcd724e743212416fd57d8ac0b60768', '0xd2780fae0869cdc06ee202152304a39653361525'],
  },
  sei: {
    blue: '0xc9cdac20fceaaf616f7eb0bb6cd2c69dcfa9094c',
    vaultFactories: ['0x8dea49ec5bd5aeac8bcf96b3e187f59354118291'],
    bundlers: ['0xf9457356f18a3349bb317ac144c3bcc62e5761ad', '0x02e0e71e145f254820b9d89c9e6068f08256f601'],
  },
  soneium: {
    blue: '0xe75fc5ea6e74b824954349ca351eb4e671ada53a',
    vaultFactories: ['0x7026b436f294e560b3c26e731f5cac5992ca2b33'],
    bundlers: ['0x461378b79d400c963f48f57b3a99416bc3c5c6a6', '0xa47eede3aac741b830e394b2e291f6774bd8bb48'],
  },
  sonic: {
    blue: '0xd6c916eb7542d0ad3f18aed0fcbd50c582cfa95f',
    vaultFactories: ['0x0ce9e3512cb4df8ae7e265e62fb9258dc14f12e8'],
    bundlers: ['0xb06f1ad8c908b958e596c42973f67f2f1d9a9aff', '0x31d5aee8d75eeab548cfa0d11c4f9843a5201eaf'],
  },
  unichain: {
    blue: '0x8f5ae9cddb9f68de460c77730b018ae7e04a140a',
    vaultFactories: ['0xe9ede3929f43a7062a007c3e8652e4aca610bdc0'],
    vaultV2Factories: ['0xc9b34c108014b44e5a189a830e7e04c56704a0c9'],
    marketAdapterFactories: [
      '0x117b92ab1c025b175ed38a0cde5a067a745224a0',
      '0x9a13bda35f98811fbacf097966b2c838f3f9c58c',
    ],
    vaultAdapterFactories: ['0xf1ab9e885c0faa0cbced407498bba895537ad754'],
    bundlers: [
      '0x7dd85759182495af7f6757da75036d24a9b58bc3',
      '0xc11329d19c2275c9e759867e879ecfceed7e30a0',
      '0xaa870da2a9f611a3a53d0d2aee5664b3700a59c9',
      '0x617f8d7885cce689115af04576f7cb6f2534fa9a',
    ],
  },
  worldchain: {
    blue: '0xe741bc7c34758b4cae05062794e8ae24978af432',
    vaultFactories: ['0x4dbb3a642a2146d5413750cca3647086d9ba5f12'],
    vaultV2Factories: ['0x6846ea318b6b987ee6b28ebfd87c3409f1d13108'],
    marketAdapterFactories: [
      '0xaf93f2d8508053432659d509b0210fdf1472493d',
      '0xed0b06fcddb6dd0985e2de9d22ad034d313b7dbd',
    ],
    vaultAdapterFactories: ['0xbf7dea3756668c7e396c655d646c039826ba8416'],
    bundlers: ['0x3d07bf2ffb23248034bf704f3a4786f1ffe2a448', '0x30fa9a3cf56931aceea42e28d35519a97d90aa67'],
  },
}

export const morphoRows = rowsByChain({ key: 'morpho', name: 'Morpho', siteUrl: 'https://app.morpho.org' }, deployments)
