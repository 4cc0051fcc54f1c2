/**
 * Earlier wrapped aTokens, by chain. `convertToAssets` is Aave's index. Source: @aave-dao/aave-address-book 4.68.1 (a
 * test compares them).
 */
export const legacyStata: Readonly<Record<string, readonly string[]>> = {
  arbitrum: [
    '0xc91c5297d7e161acc74b482aafcc75b85cc0bfed', // DAI
    '0x27de098ef2772386cbcf1a4c8beb886368b7f9a9', // LINK
    '0x0bc9e52051f553e75550ca22c196bf132c52cf0b', // USDC
    '0x32b95fbe04e5a51cf99feef4e57cf7e3fc9c5a93', // WBTC
    '0x352f3475716261dcc991bd5f2af973eb3d0f5878', // WETH
    '0xb165a74407fe1e519d6bcbdec1ed3202b35a4140', // USDT
    '0x1c0c8eced17ae093b3c1a1a8ffebe2e9513a9346', // AAVE
    '0x9a40747be51185a416b181789b671e78a8d045dd', // EURS
    '0x7775d4ae4dbb79a624fb96aacdb8ca74f671c0df', // wstETH
    '0xb4a0a2692d82301703b27082cda45b083f68cace', // MAI
    '0x68235105d6d33a19369d24b746cb7481fb2b34fd', // rETH
    '0xdbb6314b5b07e63b7101844c0346309b79f8c20a', // LUSD
    '0x7cfadfd5645b50be87d546f42699d863648251ad', // USDCn
    '0x89aec2023f89e26dbb7eaa7a98fe3996f9d112a8', // FRAX
    '0x9b5637d7952bc9fa2d693aae51f3103760bf2693', // ARB
    '0xd9fba68d89178e3538e708939332c79efc540179', // GHO
  ],
  avalanche: [
    '0x02f3f6c8a432c1e49f3359d7d36887c25d8a5888', // DAIe
    '0x8b773ab77dff01985d438961dbce58382a70ca52', // LINKe
    '0xc509ab7bb4edbf193b82264d499a7fc526cd01f4', // USDC
    '0xe3c0f42eaf1a4bfe37cba105e5463564ba7730ae', // WBTCe
    '0xf8e24175d01653fd6aa203c2c17b1e4dd1ca2731', // WETHe
    '0x5525ee69bc1e354b356864187de486fab5ad67d7', // USDt
    '0xac0746afd13debe2a43a6c8745fb83fd2a2909ca', // AAVEe
    '0x6a02c7a974f1f13a67980c80f774ec1d2ed8f98d', // WAVAX
    '0x4f059ca8a2a5bf8895ee731f2e901ccb769fb95f', // sAVAX
    '0xa3c2ffe702f4cd265b2249ab5f84fab81fff6c73', // FRAX
    '0x08cc59e51bb0bc322b4d251f7262db864d6150ce', // MAI
    '0x34d768cc830c32dcd743321c09a2a702651bf9a2', // BTCb
  ],
  base: [
    '0x468973e3264f2aeba0417a8f2cd0ec397e738898', // WETH
    '0x16a004065dfb11276dcb29dc03fb8a85f9a43c6e', // cbETH
    '0x6fce2756794128b1771324caa860965801dcbcdb', // USDbC
    '0x03916e49f794ab877efa23597627ee8094e6cbb0', // wstETH
    '0x4ea71a20e655794051d1ee8b6e4a3269b13ccacc', // USDC
    '0x588159e0d360ffaa978330812f9234818ab46e8e', // weETH
    '0xeacfa728623d0958e3c386baced79138bcafc50f', // cbBTC
  ],
  binance: [
    '0x3854354ce3681da1d7f550073061e92a4a7d1b27', // Cake
    '0x436bacb4c66583de4cb16e13a1a0d9a3075de425', // WBNB
    '0x1f66b530084079d35478a069d9c4424f9c9c320c', // BTCB
    '0x52077433fb7053d747e2846ad0c18ff5015c368e', // ETH
    '0x3906cddfb781f02b21f21bd81ed7fd8dc37075e1', // USDC
    '0x0471d185cc7be61e154277cab2396cd397663da6', // USDT
    '0x4d074aaa0821073da827f7bf6a02cf905b394ed0', // FDUSD
  ],
  ethereum: [
    '0x252231882fb38481497f3c767469106297c8d93b', // WETH
    '0x322aa5f5be95644d6c36544b6c5061f072d16df5', // wstETH
    '0xb07e357cc262e92eee03d8b81464d596b258ea7a', // WBTC
    '0x73eddfa87c71addc275c2b9890f5c3a8480bc9e6', // USDC
    '0xaf270c38ff895ea3f95ed488ceace2386f038249', // DAI
    '0x57bd8c73838d1781b4f6e0d5cf89eb676488d3df', // LINK
    '0xfeb859a50f92c6d5ad7c9ef7c2c060d164b3280f', // AAVE
    '0xe2a6863c8f043457b497667ef3c43073e2d69089', // cbETH
    '0x862c57d48becb45583aeba3f489696d22466ca1b', // USDT
    '0x867cf025b5da438c4e215c60b59bbb3afe896fda', // rETH
    '0xdbf5e36569798d1e39ee9d7b1c61a7409a74f23a', // LUSD
    '0x149ee12310d499f701b6a5714edad2c832008fd2', // CRV
    '0xaecebdfe454d869a626cab38226c52a1575d1866', // SNX
    '0x78fb5e79d5cb59729d0cd72bea7879ad2683454d', // UNI
    '0x1ea6e1ba21601258401d0b9db24ea0a07948458e', // LDO
    '0x2767c27eeaf3566082e74b963b6a0f5c9a46c8a1', // ENS
    '0xb490ff18e55b8881c9527fe7e358dd363780449f', // ONE_INCH
    '0xee66abd4d0f9908a48e08ae354b0f425de3e237e', // FRAX
    '0x048459e4fb3402e58d8900af7283ad574b91d742', // GHO
    '0x95ef7cb3494e65da4926ba330dbf540a13affd17', // RPL
    '0xfa7e3571786ce9489bbc58d9cb8ece8aae6b56f3', // sDAI
    '0x848107491e029afde0ac543779c7790382f15929', // crvUSD
    '0x00f2a835758b33f3ac53516ebd69f3dc77b0d152', // PYUSD
    '0x867b0cdc4b39a19945e616c29639b0390b39db3b', // weETH
    '0xe5248968166206d14ab57345971e32facd839ada', // osETH
    '0x46e5d6a33c8bd8ed38f3c95991c78c9b2ff3bc99', // USDe
    '0x7cc6694cf75c18d488d16fb4bf3c71a3b31cc7fb', // ETHx
    '0x54d612b000697bd8b0094889d7d6a92ba0bf2dea', // sUSDe
  ],
  gnosis: [
    '0xd843fb478c5aa9759fea3f3c98d467e2f136190a', // WETH
    '0xecfd0638175e291ba3f784a58fb9d38a25418904', // wstETH
    '0x2d737e2b0e175f05d0904c208d6c4e40da570f65', // GNO
    '0x270ba1f35d8b87510d24f693fccc0da02e6e4eeb', // USDC
    '0x7f0eae87df30c468e0680c83549d0b3de7664d4b', // WXDAI
    '0x8418d17640a74f1614ac3e1826f29e78714488a1', // EURe
    '0xf3f45960f8de00d8ed614d445a5a268c6f6dec4f', // sDAI
    '0xf0e7ec247b918311afa054e0aedb99d74c31b809', // USDCe
  ],
  optimism: [
    '0x6ddc64289be8a71a707fb057d5d07cc756055d6e', // DAI
    '0x39bcf217acc4bf2fcaf7bc8800e69d986912c75e', // LINK
    '0x9f281eb58fd98ad98ede0fc4c553ad4d73e7ca2c', // USDC
    '0x6d998feefc7b3664ead09caf02b5a0fc2e365f18', // WBTC
    '0x98d69620c31869fd4822ceb6adab31180475fd37', // WETH
    '0x035c93db04e5aaea54e6cd0261c492a3e0638b37', // USDT
    '0xae0ca1b1bc6cac26981b5e2b9c40f8ce8a9082ee', // AAVE
    '0x3a956e2fcc7e71ea14b0257d40bebdb287d19652', // sUSD
    '0xd4f1cf9a038269fe8f03745c2875591ad6438ab1', // OP
    '0xb972abef80046a57409e37a7df5def2638917516', // wstETH
    '0x84648dc3cefb601bc28a49a07a1a8bad04d30ad3', // LUSD
    '0x60495bc8d8baf7e866888ecc00491e37b47dff24', // MAI
    '0xf9ce3c97b4b54f3d16861420f4816d9f68190b7b', // rETH
    '0x4dd03dfd36548c840b563745e3fbec320f37ba7e', // USDCn
  ],
  polygon: [
    '0x83c59636e602787a6eebbda2915217b416193fcb', // DAI
    '0x37868a45c6741616f9e5a189dc0481ad70056b6a', // LINK
    '0x1017f4a86fc3a3c824346d0b8c5e96a5029bdaf9', // USDC
    '0xbc0f50ccb8514aa7dfeb297521c4bdebc9c7d22d', // WBTC
    '0xb3d5af0a52a35692d3fcbe37669b3b8c31ddde7d', // WETH
    '0x87a1fdc4c726c459f597282be639a045062c0e46', // USDT0
    '0xca2e1e33e5bcf4978e2d683656e1f5610f8c4a7e', // AAVE
    '0x98254592408e389d1dd2dba318656c2c5c305b4e', // WPOL
    '0x4356941463ed4d75381ac23c9ef799b5d7c52ad8', // CRV
    '0xe3ede71d32240b7ec355f0e5dd1131bbe029f934', // SUSHI
    '0x123319636a6a9c85d9959399304f4cb23f64327e', // GHST
    '0x1a8969fd39abaf228e690b172c4c3eb7c67f95e1', // BAL
    '0x73b788aca5f4f0eeb3c6da453cdf31041a77b36d', // DPI
    '0x02e26888ed3240bb38f26a2adf96af9b52b167ea', // EURS
    '0xd992dac78ef3f34614e6a7d325b7b6a320fc0ab5', // jEUR
    '0xd3eb8796ed36f58e03b7b4b5ad417fa74931d2c4', // EURA
    '0x8486b49433cced038b51d18ae3772cdb7e31ca5e', // miMATIC
    '0x867a180b7060fdc27610dc9096e93534f638a315', // stMATIC
    '0xbcdd5709641af4be99b1470a2b3a5203539132ec', // MaticX
    '0x5274453f4cd5dd7280011a1cca3b9e1b78ec59a6', // wstETH
    '0x2dca80061632f3f87c9ca28364d1d0c30cd79a19', // USDCn
  ],
}
