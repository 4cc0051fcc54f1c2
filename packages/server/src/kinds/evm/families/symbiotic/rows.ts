import type { FamilyRow } from '../family.ts'

/** Source: sparkdotfi/spark-address-registry (19 August 2026), `Ethereum.sol`. */
export const symbioticRow: FamilyRow = {
  key: 'symbiotic',
  name: 'Symbiotic',
  chain: 'ethereum',
  siteUrl: 'https://symbiotic.fi',
  deployment: {
    vaults: ['0xc6132faf04627c8d05d6e759fabb331ef2d8f8fd'], // stSPK
  },
}
