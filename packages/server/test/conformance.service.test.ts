import { endpoints } from '@coffer/contract'
import { startDevnet, wallets } from '@coffer/devnet'
import { startSolanaDevnet } from '@coffer/devnet/solana'
import { expect, inject } from 'vitest'
import { evmAddress } from '../src/domain/evm-address.ts'
import { openPeppers } from '../src/features/keys/peppers.ts'
import { createMasterKeys } from '../src/features/secrets/master-keys.ts'
import { openVault } from '../src/features/secrets/secret-vault.ts'
import { secret } from '../src/lib/secret.ts'
import { byPath, recorded, startBeaconServer } from './beacon/beacon-server.ts'
import { conformance } from './conformance/conformance.ts'
import { databaseCallers } from './conformance/database-callers.ts'
import type { Samples } from './conformance/examination.ts'
import { withFaults } from './conformance/faults.ts'
import {
  putSnapshot,
  putSolanaSnapshot,
  putValidator,
  putWebhook,
  resetOwnData,
  SNAPSHOT_DAY,
  saved,
} from './conformance/own-data.ts'
import { startService } from './harness.ts'

const wallet = wallets.demo.address
/** It holds nothing but what a snapshot says. */
const solanaWallet = 'So11111111111111111111111111111111111111112'
const [first, second, third] = saved.addresses
const { bundleId, virtualUserId, webhookId } = saved
const MASTER_KEY = '5'.repeat(64)
/** Of the recorded validator 3. */
const validator = '0x88C141df77cd9d8d7a71a75c826c41a9c9f03c6ee1b180f3e7852f6a280099ded351b58d66e653af8e42816a4d8f532e'

/** Every endpoint needs one: without it this does not compile, and the suite fails. */
const samples: Samples<typeof endpoints> = {
  listAddressBook: {},
  addToAddressBook: { body: { entries: [{ address: wallet, label: 'Demo' }, { address: first }] } },
  relabelAddress: { params: { address: first }, body: { label: 'Cold' } },
  removeFromAddressBook: { params: { address: first } },
  getAirdrops: { query: { addresses: 'So11111111111111111111111111111111111111112' } },
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
}

/** Of the routes that take wallets on Solana. */
const onSolana: Partial<Samples<typeof endpoints>> = {
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
}

const states = '/eth/v1/beacon/states/head'
const beaconAnswers = {
  '/eth/v1/beacon/genesis': recorded('genesis'),
  '/eth/v1/config/spec': recorded('spec'),
  '/eth/v1/node/syncing': recorded('syncing'),
  [`${states}/finality_checkpoints`]: recorded('finality'),
  [`${states}/validators/3`]: recorded('validator'),
  [`${states}/validators/${validator.toLowerCase()}`]: recorded('validator'),
}

// Every endpoint of the service as it is wired for operators, over local chains.
conformance({
  endpoints,
  samples,
  further: { 'of wallets on Solana': onSolana },
  async start(faults) {
    const devnet = await startDevnet({ state: inject('devnetState') })
    const solana = await startSolanaDevnet()
    const beacon = await startBeaconServer(byPath(beaconAnswers))
    const service = await startService({
      devnet,
      endpoints: { solana: [solana.url] },
      env: { COFFER_TRUST_PROXY: 'true', COFFER_BEACON_URL: beacon.url, COFFER_MASTER_KEY: MASTER_KEY },
      // A request that is shed has taken its place in the rate limit, so one that is sent again would be another case.
      eventLoopDelayMs: () => 0,
      wrapHandlers: (handlers) => withFaults<typeof endpoints>(handlers, faults),
    })
    await service.client.getPortfolio({ query: { addresses: wallet, waitForSync: true } })
    const { db } = service.context.database
    const vault = await openVault(db, createMasterKeys({ configured: [secret(MASTER_KEY)], dataDir: '' }))
    await putValidator(db, { index: 3, pubkey: validator.toLowerCase() })
    return {
      origin: service.url,
      newCaller: databaseCallers(db, await openPeppers(db, [])),
      async reset(accountId) {
        await resetOwnData(db, accountId)
        await putWebhook(db, vault, accountId)
        await putSnapshot(db, accountId, evmAddress(wallet))
        await putSolanaSnapshot(db, accountId, solanaWallet)
      },
      idle: service.context.service.load.idle,
      async stop() {
        expect(await service.ledgerProblems()).toEqual([])
        await service.stop()
        await devnet.stop()
        await solana.stop()
        await beacon.stop()
      },
    }
  },
})
