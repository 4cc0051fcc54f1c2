import type { endpoints } from '@coffer/contract'
import type { Samples } from './examination.ts'

/** The one bundle holds the first two addresses; the one virtual user has some money. */
export const saved = {
  addresses: ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string],
  bundleId: '0b7e6c1a-5f2d-4e43-9a8b-6d5c4b3a2f10',
  virtualUserId: '1c8f7d2b-6a3e-4f54-8b9c-7e6d5c4b3a21',
  webhookId: '2d9a8e3c-7b4f-4a65-9cad-8f7e6d5c4b32',
  watchId: '3e9a8e3c-7b4f-4a65-9cad-8f7e6d5c4b43',
  /** Wallet that did nothing; each sync of it is the first. */
  unsynced: `0x${'4'.repeat(40)}` as const,
  unsyncedOnSolana: '5'.repeat(43),
}

export const SNAPSHOT_DAY = '2026-01-02'

/** Wallet known from a snapshot only. */
export const solanaWallet = 'So11111111111111111111111111111111111111112'
const [first, second, third] = saved.addresses
const { bundleId, virtualUserId, webhookId } = saved
/** Recorded validator 3. */
export const validator =
  '0x88C141df77cd9d8d7a71a75c826c41a9c9f03c6ee1b180f3e7852f6a280099ded351b58d66e653af8e42816a4d8f532e'

/** For an account with `saved`. `wallet`: on EVM chains. */
export const samplesFor = (wallet: string): Samples<typeof endpoints> => ({
  listAddressBook: {},
  addToAddressBook: { body: { entries: [{ address: wallet, label: 'Demo' }, { address: first }] } },
  relabelAddress: { params: { address: first }, body: { label: 'Cold' } },
  removeFromAddressBook: { params: { address: first } },
  getAirdrops: { query: { addresses: solanaWallet } },
  listApprovals: { params: { chain: 'ethereum' }, query: { addresses: wallet, limit: 5 } },
  listBundles: {},
  createBundle: { body: { name: 'Second', addresses: [third] } },
  getBundle: { params: { bundleId } },
  renameBundle: { params: { bundleId }, body: { name: 'Treasury' } },
  removeBundle: { params: { bundleId } },
  addBundleAddress: { params: { bundleId }, body: { address: third } },
  removeBundleAddress: { params: { bundleId, address: second } },
  listWebhooks: {},
  createWebhook: { body: { url: 'https://hooks.example.invalid/coffer', kinds: ['sync.ended'] } },
  updateWebhook: { params: { webhookId }, body: { kinds: ['snapshot.taken', 'snapshot.missed'], enabled: false } },
  removeWebhook: { params: { webhookId } },
  rotateWebhookSecret: { params: { webhookId }, body: { graceHours: 24 } },
  testWebhook: { params: { webhookId } },
  listWebhookDeliveries: { params: { webhookId }, query: { state: 'delivered', limit: 5 } },
  replayWebhook: {
    params: { webhookId },
    body: { from: '2026-01-02T00:00:00.000Z', to: '2026-01-03T00:00:00.000Z', state: 'dead' },
  },
  listWatches: {},
  createWatch: { body: { type: 'credits', threshold: '1000' } },
  removeWatch: { params: { watchId: saved.watchId } },
  listChains: {},
  listProtocols: { params: { chainKey: 'ethereum' }, query: { limit: 3 } },
  getCredits: {},
  listTransactions: { query: { addresses: wallet, limit: 5, txTypes: 'SWAP' } },
  syncTransactions: { body: { addresses: [saved.unsynced] } },
  exportTransactions: { query: { addresses: wallet, format: 'koinly' } },
  exportHoldings: { query: { addresses: wallet, date: SNAPSHOT_DAY } },
  exportGains: {
    query: { addresses: wallet, from: '2026-01-01', to: '2027-01-01', format: 'form_8949', partial: true },
  },
  getPortfolio: { query: { addresses: wallet, includeImages: true, includeExplorerUrls: true } },
  getWallet: { query: { addresses: wallet, waitForSync: true } },
  getHistorical: { query: { addresses: wallet, date: SNAPSHOT_DAY } },
  getPortfolioAtBlock: { query: { addresses: wallet, date: '2001-01-01T00:00:00Z' } },
  getPortfolioSeries: { query: { addresses: wallet, from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' } },
  getNav: { query: { addresses: wallet, currency: 'eth' } },
  getStatus: { query: { addresses: wallet } },
  getTokenOverview: { query: { addresses: wallet, date: SNAPSHOT_DAY } },
  getValidatorDetailsByIndex: { params: { index: '3' } },
  getValidatorDetailsByPubkey: { params: { pubkey: validator } },
  listValidatorRewardsByIndex: {
    params: { index: '3' },
    query: { rangeType: 'epoch', rangeFrom: 10, rangeTo: 15, granularity: 'epoch', limit: 2 },
  },
  listValidatorRewardsByPubkey: {
    params: { pubkey: validator },
    query: { rangeType: 'timestamp', rangeFrom: 1_606_824_023, rangeTo: 1_606_910_423, granularity: 'month' },
  },
  listValidatorWithdrawalsByIndex: { params: { index: '3' }, query: { limit: 1 } },
  listValidatorWithdrawalsByPubkey: { params: { pubkey: validator }, query: { offset: 1 } },
  listValidatorDepositsByIndex: { params: { index: '3' }, query: { limit: 1 } },
  listValidatorDepositsByPubkey: { params: { pubkey: validator }, query: { offset: 1 } },
  listVirtualUsers: {},
  subscribeSnapshot: { body: { addresses: [{ address: wallet, description: 'Treasury' }, { address: first }] } },
  getVirtualUserPortfolio: { query: { addresses: `virtual:${virtualUserId}`, aggregated: true, includeImages: true } },
})

export const onSolanaFor = (wallet: string): Partial<Samples<typeof endpoints>> => ({
  listTransactions: { query: { addresses: `${wallet},${solanaWallet}`, limit: 5, txTypes: 'SWAP' } },
  syncTransactions: { body: { addresses: [saved.unsyncedOnSolana] } },
  exportTransactions: { query: { addresses: `${wallet},${solanaWallet}` } },
  exportHoldings: { query: { addresses: `${wallet},${solanaWallet}` } },
  exportGains: { query: { addresses: solanaWallet, from: '2026-01-01', to: '2027-01-01', partial: true } },
  getPortfolio: { query: { addresses: `${wallet},${solanaWallet}`, includeImages: true, includeExplorerUrls: true } },
  getWallet: { query: { addresses: solanaWallet, waitForSync: true } },
  getHistorical: { query: { addresses: solanaWallet, date: SNAPSHOT_DAY } },
  getNav: { query: { addresses: `${wallet},${solanaWallet}`, currency: 'eth' } },
  getStatus: { query: { addresses: `${wallet},${solanaWallet}` } },
  getTokenOverview: { query: { addresses: solanaWallet, date: SNAPSHOT_DAY } },
  subscribeSnapshot: { body: { addresses: [{ address: solanaWallet, description: 'Cold' }, { address: wallet }] } },
})
