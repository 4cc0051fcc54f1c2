import type { FamilyRow } from '../family.ts'

/** Source: rocket-pool/rocketpool (git fef41a4f, 17 April 2026); RPL by Ethereum's token lists. */
export const rocketPoolRow: FamilyRow = {
  key: 'rocketpool_nodes',
  name: 'Rocket Pool nodes',
  chain: 'ethereum',
  siteUrl: 'https://rocketpool.net',
  deployment: {
    store: '0x1d8f8f00cfa6758d7be78336684788fb0ee0fa46',
    rpl: '0xd33526068d116ce69f19a9ee46f0bd304f21a51f',
  },
}
