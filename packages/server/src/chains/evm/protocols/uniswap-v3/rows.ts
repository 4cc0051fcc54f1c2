import { type DeploymentRow, rowsByChain } from '../adapter.ts'
import { PANCAKE_V3 } from '../shared/v3-positions.ts'

type Contracts = readonly [manager: string, factory: string]

/** The same addresses on the first chains. */
const UNISWAP: Contracts = ['0xc36442b4a4522e871399cd717abdd847ab11fe88', '0x1f98431c8ad98523631ae4a59f267346ea31f984']
const PANCAKE = { ...PANCAKE_V3, feeTiers: [100, 500, 2_500, 10_000] }

const rows = (key: string, name: string, siteUrl: string, chains: Readonly<Record<string, Contracts>>) =>
  Object.entries(chains).map(([chain, [manager, factory]]): DeploymentRow => {
    return { key, name, siteUrl, chain, deployment: { manager, factory } }
  })

/** Sources: Uniswap's sdk-core (Gnosis: its deployment there), PancakeSwap's v3-sdk, SushiSwap's deployments. */
export const uniswapV3Rows: readonly DeploymentRow[] = [
  ...rows('uniswap_v3', 'Uniswap V3', 'https://app.uniswap.org', {
    arbitrum: UNISWAP,
    avalanche: ['0x655c406ebfa14ee2006250925e54ec43ad184f8b', '0x740b1c1de25031c31ff4fc9a62f554a55cdc1bad'],
    base: ['0x03a520b32c04bf3beef7beb72e919cf822ed34f1', '0x33128a8fc17869897dce68ed026d694621f6fdfd'],
    binance: ['0x7b8a01b39d58278b5de7e48c8449c9f4f5170613', '0xdb1d10011ad0ff90774d0c6bb92e5c5c8b4461f7'],
    ethereum: UNISWAP,
    linea: ['0x4615c383f85d0a2bbed973d83ccecf5cb7121463', '0x31fafd4889fa1269f7a13a66ee0fb458f27d72a9'],
    optimism: UNISWAP,
    polygon: UNISWAP,
    gnosis: ['0xae8fbe656a77519a7490054274910129c9244fa3', '0xe32f7dd7e3f098d518ff19a22d5f028e076489b1'],
  }),
  ...rowsByChain(
    { key: 'pancakeswap_v3', name: 'PancakeSwap V3', siteUrl: 'https://pancakeswap.finance' },
    {
      arbitrum: PANCAKE,
      base: PANCAKE,
      binance: PANCAKE,
      ethereum: PANCAKE,
      linea: PANCAKE,
      opbnb: PANCAKE,
      polygon_zkevm: PANCAKE,
    },
  ),
  ...rows('sushiswap_v3', 'SushiSwap V3', 'https://www.sushi.com', {
    arbitrum: ['0xf0cbce1942a68beb3d1b73f0dd86c8dcc363ef49', '0x1af415a1eba07a4986a52b6f2e7de7003d82231e'],
    avalanche: ['0x18350b048ab366ed601ffdbc669110ecb36016f3', '0x3e603c14af37ebdad31709c4f848fc6ad5bec715'],
    base: ['0x80c7dd17b01855a6d2347444a0fcc36136a314de', '0xc35dadb65012ec5796536bd9864ed8773abc74c4'],
    binance: ['0xf70c086618dcf2b1a461311275e00d6b722ef914', '0x126555dd55a39328f69400d6ae4f782bd4c34abb'],
    ethereum: ['0x2214a42d8e2a1d20635c2cb0664422c528b6a432', '0xbaceb8ec6b9355dfc0269c18bac9d6e2bdc29c4f'],
    fantom: ['0x10c19390e1ac2fd6d0c3643a2320b0aba38e5baa', '0x7770978eed668a3ba661d51a773d3a992fc9ddcb'],
    gnosis: ['0xab235da7f52d35fb4551afba11bfb56e18774a65', '0xf78031cbca409f2fb6876bdfdbc1b2df24cf9bef'],
    linea: ['0x80c7dd17b01855a6d2347444a0fcc36136a314de', '0xc35dadb65012ec5796536bd9864ed8773abc74c4'],
    optimism: ['0x1af415a1eba07a4986a52b6f2e7de7003d82231e', '0x9c6522117e2ed1fe5bdb72bb0ed5e3f2bde7dbe0'],
    polygon: ['0xb7402ee99f0a008e461098ac3a27f4957df89a40', '0x917933899c6a5f8e37f31e19f92cdbff7e8ff0e2'],
  }),
]
