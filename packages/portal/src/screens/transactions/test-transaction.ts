import type { Asset, Sync, Transaction } from './transaction.ts'

export const WALLET = '0x00000000000000000000000000000000000000aa'
export const OTHER = '0x1111111111111111111111111111111111111111'

export const sync = (state: Sync['state'], address = WALLET): Sync => ({
  address,
  state,
  reason: null,
  action: 'none',
  advice: null,
  requestedAt: null,
  newTransactions: '0',
  chains: [],
})

export const asset = (parts: Partial<Asset> = {}): Asset => ({
  balance: '1',
  symbol: 'usdc',
  name: 'usd coin',
  displaySymbol: 'USDC',
  displayName: 'USD Coin',
  decimal: '6',
  price: '1',
  value: '1',
  priceSource: 'fixed',
  contract: '0x2222222222222222222222222222222222222222',
  chainKey: 'base',
  chainContract: 'base:0x22',
  explorerUrl: '',
  from: OTHER,
  to: WALLET,
  isAssetIn: true,
  isNativeAssetFees: false,
  costBasis: '1',
  totalCostBasis: '1',
  closedPnl: '0',
  ...parts,
})

/** Without movements and gas. */
export const transaction = (parts: Partial<Transaction> = {}): Transaction => ({
  address: WALLET,
  hash: '0xabc',
  confirmed: 'CONFIRMED',
  chain: { key: 'base', name: 'Base' },
  timestamp: '1700000000',
  blockNumber: '7',
  from: WALLET,
  to: OTHER,
  type: 'INTERACTION',
  functionName: '',
  value: '0',
  valueFiat: '0',
  fees: '0',
  feesFiat: '0',
  closedPnl: '0',
  protocol: { key: 'unknown', name: 'Unknown' },
  subProtocol: { key: 'unknown', name: 'Unknown' },
  assetsIn: [],
  assetsOut: [],
  explorerUrl: '',
  nativeAssetFees: asset({ balance: '0', symbol: 'eth', priceSource: null, isAssetIn: false, isNativeAssetFees: true }),
  ...parts,
})
