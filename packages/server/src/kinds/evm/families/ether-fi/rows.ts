import type { FamilyRow } from '../family.ts'

/** Source: etherfi-protocol/smart-contracts (git b4a09680, 15 July 2026), `script/deploys/Deployed.s.sol`. */
export const etherFiRow: FamilyRow = {
  key: 'etherfi_stake',
  name: 'ether.fi Stake',
  chain: 'ethereum',
  siteUrl: 'https://www.ether.fi',
  deployment: {
    eEth: '0x35fa164735182de50811e8e2e824cfb9b6118ac2',
    weEth: '0xcd5fe23c85820f7b72d0926fc9b05b43e359b7ee',
    liquidityPool: '0x308861a430be4cce5502d0a12724771fc6daf216',
    withdrawRequestNft: '0x7d5706f6ef3f89b3951e23e557cdfbc3239d4e2c',
    withdrawAdapter: '0xfbfe6b9cee0e555bad7e2e7309effc75200cbe38',
  },
}
