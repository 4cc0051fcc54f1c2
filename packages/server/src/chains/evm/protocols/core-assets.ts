/**
 * Tokens of most pools, by chain: pairs of any two are searched without knowing a wallet. Sources:
 * @aave-dao/aave-address-book, @beefyfinance/blockchain-addressbook.
 */
export const coreAssets: Readonly<Record<string, readonly string[]>> = {
  arbitrum: [
    '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', // WETH
    '0xaf88d065e77c8cc2239327c5edb3a432268e5831', // USDCn
    '0xff970a61a04b1ca14834a43f5de4533ebddb5cc8', // USDC
    '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9', // USDT
    '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1', // DAI
    '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f', // WBTC
    '0x912ce59144191c1204e64559fe8253a0e49e6548', // ARB
    '0xf97f4df75117a78c1a5a0dbb814af92458539fb4', // LINK
    '0x5979d7b546e38e414f7e9822514be443a4800529', // wstETH
    '0xfc5a1a6eb076a2c7ad06ed22c90d7e710e35ad0a', // GMX
  ],
  avalanche: [
    '0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7', // WAVAX
    '0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e', // USDC
    '0x9702230a8ea53601f5cd2dc00fdbc13d4df4a8c7', // USDt
    '0xd586e7f844cea2f87f50152665bcbc2c279d8d70', // DAIe
    '0x49d5c2bdffac6ce2bfdb6640f4f80f226bc10bab', // WETHe
    '0x50b7545627a5162f82a992c33b87adc75187b218', // WBTCe
    '0x152b9d0fdc40c096757f570a51e494bd4b943e50', // BTCb
    '0x2b2c81e08f1af8835a78bb2a90ae924ace0ea4be', // sAVAX
    '0x5947bb275c521040051d82396192181b413227a3', // LINKe
    '0xa7d7079b0fead91f3e65f86e8915cb59c1a4c664', // USDCe
    '0xc7198437980c041c805a1edcba50c1ce5db95118', // USDTe
    '0x6e84a6216ea6dacc71ee8e6b0a5b7322eebc0fdd', // JOE
    '0x60781c2586d68229fde47564546784ab3faca982', // PNG
  ],
  base: [
    '0x4200000000000000000000000000000000000006', // WETH
    '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913', // USDC
    '0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca', // USDbC
    '0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf', // cbBTC
    '0x2ae3f1ec7f1f5012cfeab0185bfc7aa3cf0dec22', // cbETH
    '0xc1cba3fcea344f92d9239c08c0568f6f2f0ee452', // wstETH
    '0x50c5725949a6f0c72e6c4a641f24049a917db0cb', // DAI
    '0x940181a94a35a4569e4529a3cdfb74e38fd98631', // AERO
  ],
  binance: [
    '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c', // WBNB
    '0x55d398326f99059ff775485246999027b3197955', // USDT
    '0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d', // USDC
    '0x2170ed0880ac9a755fd29b2688956bd959f933f8', // ETH
    '0x7130d2a12b9bcbfae4f2634d864a1ee1ce3ead9c', // BTCB
    '0x0e09fabb73bd3ade0a17ecc321fd13a19e81ce82', // Cake
    '0xc5f0f7b66764f6ec8c8dff7ba683102295e16409', // FDUSD
    '0xe9e7cea3dedca5984780bafc599bd69add087d56', // BUSD
    '0x1af3f329e8be154074d8769d1ffa4ee058b1dbc3', // DAI
  ],
  ethereum: [
    '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2', // WETH
    '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', // USDC
    '0xdac17f958d2ee523a2206206994597c13d831ec7', // USDT
    '0x6b175474e89094c44da98b954eedeac495271d0f', // DAI
    '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599', // WBTC
    '0x7f39c581f595b53c5cb19bd0b3f8da6c935e2ca0', // wstETH
    '0x514910771af9ca656af840dff83e8264ecf986ca', // LINK
    '0x1f9840a85d5af5bf1d1762f925bdaddc4201f984', // UNI
    '0x7fc66500c84a76ad7e9c93437bfc5ac33e2ddae9', // AAVE
    '0x9f8f72aa9304c8b593d555f12ef6589cc3a579a2', // MKR
    '0xd533a949740bb3306d119cc777fa900ba034cd52', // CRV
    '0xc011a73ee8576fb46f5e1c5751ca3b9fe0af2a6f', // SNX
    '0x5a98fcbea516cf06857215779fd812ca3bef1b32', // LDO
    '0x853d955acef822db058eb8505911ed77f175b99e', // FRAX
    '0x3432b6a60d23ca0dfca7761b7ab56459d9c964d0', // FXS
  ],
  fantom: [
    '0x21be370d5312f44cb42ce377bc9b8a0cef1a4c83', // WFTM
    '0x04068da6c83afcfa0e13ba15a6696662335d5b75', // USDC
    '0x8d11ec38a3eb5e956b052f67da8bdc9bef8abf3e', // DAI
    '0x049d68029688eabf473097a2fc38ef61633a3c7a', // fUSDT
    '0x74b23882a30290451a17c44f4f05243b6b58c76d', // ETH
    '0x321162cd933e2be498cd2267a90534a804051b11', // BTC
    '0x841fad6eae12c286d1fd18d1d525dffa75c7effe', // BOO
    '0x82f0b8b456c1a451378467398982d4834b6829c1', // MIM
    '0x28a92dde19d9989f39a49905d7c9c2fac7799bdf', // lzUSDC
    '0x1b6382dbdea11d97f24495c9a90b7c88469134a4', // axlUSDC
  ],
  gnosis: [
    '0xe91d153e0b41518a2ce8dd3d7944fa863463a97d', // WXDAI
    '0xddafbb505ad214d7b80b1f830fccc89b60fb7a83', // USDC
    '0x2a22f9c3b484c3629090feed35f17ff8f88f76f0', // USDCe
    '0x6a023ccd1ff6f2045c3309768ead9e68f978f6e1', // WETH
    '0x9c58bacc331c9aa871afd802db6379a98e80cedb', // GNO
    '0x6c76971f98945ae98dd7d4dfca8711ebea946ea6', // wstETH
    '0xaf204776c7245bf4147c2612bf6e5972ee483701', // sDAI
    '0x420ca0f9b9b604ce0fd9c18ef134c705e5fa3430', // EURe
    '0x4ecaba5870353805a9f068101a40e0f32ed605c6', // USDT
    '0x71850b7e9ee3f13ab46d67167341e4bdc905eef9', // HNY
  ],
  linea: [
    '0xe5d7c2a44ffddf6b295a15c148167daaaf5cf34f', // WETH
    '0x176211869ca2b568f2a7d4ee941e073a821ee1ff', // USDC
    '0xa219439258ca9da29e9cc4ce5596924745e12b93', // USDT
    '0x3aab2285ddcddad8edf438c1bab47e1a9d05a9b4', // WBTC
    '0xb5bedd42000b71fdde22d3ee8a79bd49a568fc8f', // wstETH
    '0x4af15ec2a0bd43db75dd04e62faa3b8ef36b00d5', // DAI
  ],
  optimism: [
    '0x4200000000000000000000000000000000000006', // WETH
    '0x0b2c639c533813f4aa9d7837caf62653d097ff85', // USDCn
    '0x7f5c764cbc14f9669b88837ca1490cca17c31607', // USDC
    '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58', // USDT
    '0xda10009cbd5d07dd0cecc66161fc93d7c9000da1', // DAI
    '0x68f180fcce6836688e9084f035309e29bf0a2095', // WBTC
    '0x4200000000000000000000000000000000000042', // OP
    '0x1f32b1c2345538c0c6f582fcb022739c4a194ebb', // wstETH
    '0x350a791bfc2c21f9ed5d10980dad2e2638ffa7f6', // LINK
  ],
  polygon: [
    '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270', // WPOL
    '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359', // USDCn
    '0x2791bca1f2de4661ed88a30c99a7a9449aa84174', // USDC
    '0xc2132d05d31c914a87c6611c10748aeb04b58e8f', // USDT0
    '0x8f3cf7ad23cd3cadbd9735aff958023239c6a063', // DAI
    '0x7ceb23fd6bc0add59e62ac25578270cff1b9f619', // WETH
    '0x1bfd67037b42cf73acf2047067bd4f2c47d9bfd6', // WBTC
    '0xd6df932a45c0f255f85145f286ea0b292b21c90b', // AAVE
    '0x53e0bca35ec356bd5dddfebbd1fc0fd03fabad39', // LINK
    '0x831753dd7087cac61ab5644b308642cc1c33dc13', // QUICK
    '0xb5c064f955d8e7f38fe0460c556a72987494ee17', // newQUICK
  ],
}
