import type { FamilyRow } from '../family.ts'

export const lidoRow: FamilyRow = {
  key: 'lido',
  name: 'Lido',
  chain: 'ethereum',
  siteUrl: 'https://lido.fi',
  deployment: {
    stEth: '0xae7ab96520de3a18e5e111b5eaab095312d7fe84',
    wstEth: '0x7f39c581f595b53c5cb19bd0b3f8da6c935e2ca0',
    withdrawalQueue: '0x889edc2edab5f40e902b864ad4d7ade8e412f9b1',
  },
}
