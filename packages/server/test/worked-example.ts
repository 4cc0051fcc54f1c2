import type { Entry } from '../src/domain/accounting/entry.ts'
import { entry, moved } from './accounting-entries.ts'

/**
 * Eleven steps that touch every rule; figures worked out by hand as fractions and rounded to the digits shown. Gas is
 * taken after the legs. Final prices: ETH 4000, USDC 1, XYZ 1.5.
 */
type Step = {
  name: string
  entries: Entry[]
  eth: string
  average: { basis: string; closedPnl: string }
  fifo: { basis: string; closedPnl: string }
  income: string
  feesUsd: string
}

const gas = (amount: string, price: string) => moved('fee', 'ETH', `-${amount}`, price, { leg: 9 })

export const WORKED_EXAMPLE: readonly Step[] = [
  {
    name: 't1 10,000 USDC come from outside at 1',
    entries: [entry([moved('acquire', 'USDC', '10000', '1')], { type: 'TRANSFERIN' })],
    eth: '0',
    average: { basis: '0', closedPnl: '0' },
    fifo: { basis: '0', closedPnl: '0' },
    income: '0',
    feesUsd: '0',
  },
  {
    name: 't2 0.5 ETH come from outside at 2,000',
    entries: [entry([moved('acquire', 'ETH', '0.5', '2000')], { type: 'TRANSFERIN' })],
    eth: '0.5',
    average: { basis: '1000', closedPnl: '0' },
    fifo: { basis: '1000', closedPnl: '0' },
    income: '0',
    feesUsd: '0',
  },
  {
    name: 't3 4,000 USDC are swapped for 2 ETH at 2,000; gas 0.01 ETH',
    entries: [
      entry([moved('swap', 'USDC', '-4000', '1'), moved('swap', 'ETH', '2', '2000'), gas('0.01', '2000')], {
        type: 'SWAP',
      }),
    ],
    eth: '2.49',
    average: { basis: '4980', closedPnl: '0' },
    fifo: { basis: '4980', closedPnl: '0' },
    income: '0',
    feesUsd: '20',
  },
  {
    name: 't4 3,000 USDC are swapped for 1 ETH at 3,000; gas 0.01 ETH',
    entries: [
      entry([moved('swap', 'USDC', '-3000', '1'), moved('swap', 'ETH', '1', '3000'), gas('0.01', '3000')], {
        type: 'SWAP',
      }),
    ],
    eth: '3.48',
    average: { basis: '7957.13467', closedPnl: '0' },
    fifo: { basis: '7960', closedPnl: '0' },
    income: '0',
    feesUsd: '50',
  },
  {
    name: 't5 2 ETH go into a vault; gas 0.005 ETH at 3,000',
    entries: [
      entry([moved('move', 'ETH', '-2', '3000'), moved('move', 'SHARE', '2', '3000'), gas('0.005', '3000')], {
        type: 'DEPOSIT',
        protocol: 'vault',
      }),
    ],
    eth: '1.475',
    average: { basis: '3372.636103', closedPnl: '0' },
    fifo: { basis: '3950', closedPnl: '0' },
    income: '0',
    feesUsd: '65',
  },
  {
    name: 't6 0.1 ETH of rewards are claimed at 3,200',
    entries: [entry([moved('income', 'ETH', '0.1', '3200')], { type: 'CLAIM' })],
    eth: '1.575',
    average: { basis: '3692.636103', closedPnl: '0' },
    fifo: { basis: '4270', closedPnl: '0' },
    income: '320',
    feesUsd: '65',
  },
  {
    name: 't7 the vault gives 2.02 ETH back at 3,500',
    entries: [
      entry([moved('move', 'SHARE', '-2', '3535'), moved('move', 'ETH', '2.02', '3500')], {
        type: 'WITHDRAW',
        protocol: 'vault',
      }),
    ],
    eth: '3.595',
    average: { basis: '8335.702006', closedPnl: '0' },
    fifo: { basis: '8340', closedPnl: '0' },
    income: '390',
    feesUsd: '65',
  },
  {
    name: 't8 1.5 ETH are swapped for 5,250 USDC',
    entries: [entry([moved('swap', 'ETH', '-1.5', '3500'), moved('swap', 'USDC', '5250', '1')], { type: 'SWAP' })],
    eth: '2.095',
    average: { basis: '4857.662226', closedPnl: '1771.96022014' },
    fifo: { basis: '5340', closedPnl: '2250' },
    income: '390',
    feesUsd: '65',
  },
  {
    name: 't9 0.5 ETH go outside at 3,600',
    entries: [entry([moved('send', 'ETH', '-0.5', '3600')], { type: 'TRANSFEROUT' })],
    eth: '1.595',
    average: { basis: '3698.315633', closedPnl: '1771.96022014' },
    fifo: { basis: '4340', closedPnl: '2250' },
    income: '390',
    feesUsd: '65',
  },
  {
    name: 't10 an airdrop of 100 XYZ at 2',
    entries: [entry([moved('income', 'XYZ', '100', '2')], { type: 'AIRDROP' })],
    eth: '1.595',
    average: { basis: '3698.315633', closedPnl: '1771.96022014' },
    fifo: { basis: '4340', closedPnl: '2250' },
    income: '590',
    feesUsd: '65',
  },
  {
    name: 't11 0.3 ETH cross a bridge at 3,600; 0.299 arrive on base',
    entries: [
      entry([moved('bridge', 'ETH', '-0.3', '3600')], { type: 'BRIDGEOUT' }),
      entry([moved('bridge', 'ETH', '0.299', '3600')], { type: 'BRIDGEIN', chain: 'base' }),
    ],
    eth: '1.295',
    average: { basis: '3002.70767661', closedPnl: '1771.96022014' },
    fifo: { basis: '3740', closedPnl: '2250' },
    income: '590',
    feesUsd: '68.6',
  },
]
