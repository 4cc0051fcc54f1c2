import { rowsByChain } from '../adapter.ts'

type Facts = {
  evc: string
  factory: string
  earnFactories?: string[]
  perspectives: string[]
}

/**
 * Source: the addresses that Euler publishes with its interfaces. Perspectives open to anyone's vaults are left out.
 */
const deployments: Readonly<Record<string, Facts>> = {
  arbitrum: {
    evc: '0x6302ef0f34100cddfb5489fbcb6ee1aa95cd1066',
    factory: '0x78df1cf5bf06a7f27f2acc580b934238c1b80d50',
    earnFactories: ['0xb9b5d62b9fe9e1b505466e75817ab178a1d2ec9d'],
    perspectives: ['0xc7693ceef74bc7c8af703c5519f24bb5e6642643', '0xee3de4507cfac8756634dc5272b4a6bb7f00c49e'],
  },
  avalanche: {
    evc: '0xddcbe30a761edd2e19bba930a977475265f36fa1',
    factory: '0xaf4b4c18b17f6a2b32f6c398a3910bdcd7f26181',
    earnFactories: ['0x574b00f5a0c56d370f19fa887a5545d74f52fac2'],
    perspectives: ['0x0d1abccba91f074dea11adcc679c61326b6145ac', '0x23559ef969252b81d8da2b86a76d85fb602860ad'],
  },
  base: {
    evc: '0x5301c7dd20bd945d2013b48ed0dee3a284ca8989',
    factory: '0x7f321498a801a191a93c840750ed637149ddf8d0',
    earnFactories: ['0x75f49a2621b6dec6a5bab22ce961bf3e676efae6'],
    perspectives: ['0xafc8545c49df2c8216305922d9753bf60bf8c14a', '0x08b817c17d84df89aa371084d910081a5cc04724'],
  },
  berachain: {
    evc: '0x45334608ece7b2775136bc847eb92b5d332806a9',
    factory: '0x5c13fb43ae9bae8470f646ea647784534e9543af',
    earnFactories: ['0x9cbc3030e6d133d1aaa148d598fd82d70263495c'],
    perspectives: ['0xae06ad3a165aca82ac4efecde2d3875414c419b2', '0xff216ceb263b3be308de306dbc67e2d82ed70ea9'],
  },
  binance: {
    evc: '0xb2e5a73cee08593d1a076a2ae7a6e02925a640ea',
    factory: '0x7f53e2755eb3c43824e162f7f6f087832b9c9df6',
    earnFactories: ['0xc456d04e3f43597cc7e5a2af284ff4c4adda0cb1'],
    perspectives: ['0x775231e5da4f548555eee633ebf7355a83a0fc03', '0xef7599ef1cb0ec48ed6f4174641462d6919a7ce2'],
  },
  bob: {
    evc: '0x59f0feec4fa474ad4ffc357cc8d8595b68abe47d',
    factory: '0x046a9837a61d6b6263f54f4e27ee072ba4bdc7e4',
    earnFactories: ['0x8f01c6640a1c0a6085c79843f861ff0f89b9fed6'],
    perspectives: ['0xed62eba9552df86b5f7d995ed00c06494bbbb638', '0x7b4065698df1dd0df7ad4876a5050657295f836a'],
  },
  ethereum: {
    evc: '0x0c9a3dd6b8f28529d72d7f9ce918d493519ee383',
    factory: '0x29a56a1b8214d9cf7c5561811750d5cbdb45cc8e',
    earnFactories: ['0x59709b029b140c853fe28d277f83c3a65e308af4'],
    perspectives: ['0xc0121817ff224a018840e4d15a864747d36e6eb2', '0x492e9fe1289d43f8bb6275237bf16c9248c74d44'],
  },
  hyperevm: {
    evc: '0xceaa7cdcd7ddbee8601127a9abb17a974d613db4',
    factory: '0xcf5552580fd364cdbbfcb5ae345f75674c59273a',
    earnFactories: ['0x587dd8285c01526769ab4803e4f02433ddbbc00e'],
    perspectives: ['0x4936cd82936b6862fdd66cc8c36e1828127a6b57', '0x7b27ded9344d9c66feaf58d151b52d1359aea807'],
  },
  linea: {
    evc: '0xd8cecee9a04ea3d941a959f68fb4486f23271d09',
    factory: '0x84711986fd3bf0bfe4a8e6d7f4e22e67f7f27f04',
    earnFactories: ['0x377879a039343fec7564e54616e519328951da6d'],
    perspectives: ['0x74f9fd22aa0dd5bbf6006a4c9818248eb476c50a', '0xb42a9dd67bd6b48940a862c0f0c8a6c5dd26582f'],
  },
  monad: {
    evc: '0x7a9324e8f270413fa2e458f5831226d99c7477cd',
    factory: '0xba4dd672062de8feedb665dd4410658864483f1e',
    earnFactories: ['0xf463d4acb650cc6c4e1d6cd4d0d1b0cb224094cf'],
    perspectives: ['0x8707b105567661e7c6b41cdd1b3ec7d784e5fa50', '0xe4a695d715732db3d694e30ec57b1acc8cc4368b'],
  },
  plasma: {
    evc: '0x7bdbd0a7114aa42ca957f292145f6a931a345583',
    factory: '0x42388213c6f56d7e1477632b58ae6bba9adeeea3',
    earnFactories: ['0xa3843a73e6a9f81309b931237ca4759b3b02ff0e'],
    perspectives: ['0xbd62c2db0e21e4b9ee81701f130417b8400ec854', '0xaa8b9729a047568cb0614165509229a86e345be1'],
  },
  polygon: {
    evc: '0x90811daca4bd23fc79a87fbdff7522bed2d24b4b',
    factory: '0xb1771a13e2a13fcafa89b00335915e732b9466b7',
    perspectives: ['0x2fd99e75a242103c22fc622763207080b3103baa'],
  },
  sonic: {
    evc: '0x4860c903f6ad709c3eda46d3d502943f184d4315',
    factory: '0xf075cc8660b51d0b8a4474e3f47edac5fa034cfb',
    earnFactories: ['0x3397ec7d28cf645a017869fe4b41c75f5b0b75a8'],
    perspectives: ['0x93478469b049e75b8d20b6d2c5a8da84e35f14d0', '0x044dc2d44bc443c00f615cc453501f881e01e021'],
  },
  swellchain: {
    evc: '0x08739cbede6e28e387685ba20e6409bd16969cde',
    factory: '0x238bf86bb451ec3ca69bb855f91bda001ab118b9',
    earnFactories: ['0x3073e1b42f8cc933f2d678dda10acde51f4e49a3'],
    perspectives: ['0xda258ab9569d0156b99943adc4083e542f70a6f1', '0xd5491c7da8274016244af8a0bd3998bcc43e4b24'],
  },
  unichain: {
    evc: '0x2a1176964f5d7cae5406b627bf6166664fe83c60',
    factory: '0xbad8b5bdfb2bcbcd78cc9f1573d3aad6e865e752',
    earnFactories: ['0xd785add5f081f56616898e45b90de307e3dc7d3e'],
    perspectives: ['0x44d781d9f61649faceeec919c71c8537531df027', '0x16f187c4efccbbf5b530a9c64447b89c4d73f3f2'],
  },
}

export const eulerRows = rowsByChain(
  { key: 'euler_v2', name: 'Euler v2', siteUrl: 'https://app.euler.finance' },
  deployments,
)
