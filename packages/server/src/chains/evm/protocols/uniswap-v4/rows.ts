import { rowsByChain } from '../adapter.ts'

type Deployment = { poolManager: string; positionManager: string; stateView: string }

/** Source: Uniswap's sdk-core. */
const deployments: Readonly<Record<string, Deployment>> = {
  arbitrum: {
    poolManager: '0x360e68faccca8ca495c1b759fd9eee466db9fb32',
    positionManager: '0xd88f38f930b7952f2db2432cb002e7abbf3dd869',
    stateView: '0x76fd297e2d437cd7f76d50f01afe6160f86e9990',
  },
  avalanche: {
    poolManager: '0x06380c0e0912312b5150364b9dc4542ba0dbbc85',
    positionManager: '0xb74b1f14d2754acfcbbe1a221023a5cf50ab8acd',
    stateView: '0xc3c9e198c735a4b97e3e683f391ccbdd60b69286',
  },
  base: {
    poolManager: '0x498581ff718922c3f8e6a244956af099b2652b2b',
    positionManager: '0x7c5f5a4bbd8fd63184577525326123b519429bdc',
    stateView: '0xa3c0c9b65bad0b08107aa264b0f3db444b867a71',
  },
  binance: {
    poolManager: '0x28e2ea090877bf75740558f6bfb36a5ffee9e9df',
    positionManager: '0x7a4a5c919ae2541aed11041a1aeee68f1287f95b',
    stateView: '0xd13dd3d6e93f276fafc9db9e6bb47c1180aee0c4',
  },
  blast: {
    poolManager: '0x1631559198a9e474033433b2958dabc135ab6446',
    positionManager: '0x4ad2f4cca2682cbb5b950d660dd458a1d3f1baad',
    stateView: '0x12a88ae16f46dce4e8b15368008ab3380885df30',
  },
  celo: {
    poolManager: '0x288dc841a52fca2707c6947b3a777c5e56cd87bc',
    positionManager: '0xf7965f3981e4d5bc383bfbcb61501763e9068ca9',
    stateView: '0xbc21f8720babf4b20d195ee5c6e99c52b76f2bfb',
  },
  ethereum: {
    poolManager: '0x000000000004444c5dc75cb358380d2e3de08a90',
    positionManager: '0xbd216513d74c8cf14cf4747e6aaa6420ff64ee9e',
    stateView: '0x7ffe42c4a5deea5b0fec41c94c136cf115597227',
  },
  ink: {
    poolManager: '0x360e68faccca8ca495c1b759fd9eee466db9fb32',
    positionManager: '0x1b35d13a2e2528f192637f14b05f0dc0e7deb566',
    stateView: '0x76fd297e2d437cd7f76d50f01afe6160f86e9990',
  },
  linea: {
    poolManager: '0x248083fb965359d82b06c1f5322480dcfc1ad857',
    positionManager: '0xddcad5775b2816a87495f207731b3571d7ee3c76',
    stateView: '0xe861de206e460a8b936b05ad3816520b58ccdf9b',
  },
  megaeth: {
    poolManager: '0xacb7e78fa05d562e0a5d3089ec896d57d057d38e',
    positionManager: '0x9ae0921e981aaa7308f176f8d4f9129b9247c89d',
    stateView: '0x726f84e1dfb8d375a365e0808282f40d52d3e4e8',
  },
  monad: {
    poolManager: '0x188d586ddcf52439676ca21a244753fa19f9ea8e',
    positionManager: '0x5b7ec4a94ff9bedb700fb82ab09d5846972f4016',
    stateView: '0x77395f3b2e73ae90843717371294fa97cc419d64',
  },
  optimism: {
    poolManager: '0x9a13f98cb987694c9f086b1f5eb990eea8264ec3',
    positionManager: '0x3c3ea4b57a46241e54610e5f022e5c45859a1017',
    stateView: '0xc18a3169788f4f75a170290584eca6395c75ecdb',
  },
  polygon: {
    poolManager: '0x67366782805870060151383f4bbff9dab53e5cd6',
    positionManager: '0x1ec2ebf4f37e7363fdfe3551602425af0b3ceef9',
    stateView: '0x5ea1bd7974c8a611cbab0bdcafcb1d9cc9b3ba5a',
  },
  soneium: {
    poolManager: '0x360e68faccca8ca495c1b759fd9eee466db9fb32',
    positionManager: '0x1b35d13a2e2528f192637f14b05f0dc0e7deb566',
    stateView: '0x76fd297e2d437cd7f76d50f01afe6160f86e9990',
  },
  unichain: {
    poolManager: '0x1f98400000000000000000000000000000000004',
    positionManager: '0x4529a01c7a0410167c5740c487a8de60232617bf',
    stateView: '0x86e8631a016f9068c3f085faf484ee3f5fdee8f2',
  },
  worldchain: {
    poolManager: '0xb1860d529182ac3bc1f51fa2abd56662b7d13f33',
    positionManager: '0xc585e0f504613b5fbf874f21af14c65260fb41fa',
    stateView: '0x51d394718bc09297262e368c1a481217fdeb71eb',
  },
  zora: {
    poolManager: '0x0575338e4c17006ae181b47900a84404247ca30f',
    positionManager: '0xf66c7b99e2040f0d9b326b3b7c152e9663543d63',
    stateView: '0x385785af07d63b50d0a0ea57c4ff89d06adf7328',
  },
}

export const uniswapV4Rows = rowsByChain(
  { key: 'uniswap_v4', name: 'Uniswap V4', siteUrl: 'https://app.uniswap.org' },
  deployments,
)
