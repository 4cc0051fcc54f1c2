import type { Db } from '../../src/db/tables.ts'
import { ONE } from '../../src/domain/decimal.ts'
import { type EvmAddress, NATIVE } from '../../src/domain/evm-address.ts'
import { NATIVE_SOL, type SolanaAddress } from '../../src/domain/solana-address.ts'
import type { WalletRead } from '../../src/domain/wallet-read.ts'
import { insertEntries } from '../../src/features/address-book/address-book.ts'
import { removeWebhook } from '../../src/features/events/webhooks.ts'
import type { SecretVault } from '../../src/features/secrets/secret-vault.ts'
import { saveSnapshot } from '../../src/features/snapshots/snapshot-store.ts'
import { createDepositStore } from '../../src/features/validators/deposits/deposit-store.ts'
import { createValidatorStore, type Validator } from '../../src/features/validators/validator-store.ts'
import { createWithdrawalStore } from '../../src/features/validators/withdrawals.ts'
import { recordBalance } from '../../src/features/virtual-users/balances.ts'
import { createReach } from '../../src/lib/public-network.ts'
import { heldOf, lendingOf, priceOf, readOf, tokenOf } from '../wallet-reads.ts'
import { SNAPSHOT_DAY, saved } from './contract-samples.ts'

export async function resetOwnData(db: Db, accountId: string): Promise<void> {
  const account_id = BigInt(accountId)
  const { addresses, bundleId, virtualUserId, watchId } = saved
  await db.transaction().execute(async (trx) => {
    await trx.deleteFrom('bundle').where('account_id', '=', account_id).execute()
    await trx.deleteFrom('history_sync').where('wallet', 'in', [saved.unsynced, saved.unsyncedOnSolana]).execute()
    // An ID belongs to one account at a time.
    await trx.deleteFrom('bundle').where('id', '=', bundleId).execute()
    await trx.deleteFrom('virtual_user').where('id', '=', virtualUserId).execute()
    await trx
      .deleteFrom('watch')
      .where((eb) => eb.or([eb('account_id', '=', account_id), eb('id', '=', watchId)]))
      .execute()
    await trx.deleteFrom('snapshot_subscription').where('account_id', '=', account_id).execute()
    await trx.deleteFrom('address_book_entry').where('account_id', '=', account_id).execute()
    await insertEntries(
      trx,
      accountId,
      addresses.map((address) => ({ address, label: '' })),
    )
    await trx.insertInto('bundle').values({ id: bundleId, account_id, name: 'First' }).execute()
    const members = addresses.slice(0, 2).map((address) => ({ account_id, bundle_id: bundleId, address }))
    await trx.insertInto('bundle_member').values(members).execute()
    await trx.insertInto('virtual_user').values({ id: virtualUserId, account_id, type: 'BALANCE', label: '' }).execute()
    const limit = { is_above: false, threshold: '100' }
    await trx
      .insertInto('watch')
      .values({ id: watchId, account_id, type: 'credits', ...limit })
      .execute()
    const asset = { symbol: 'USD', priceSource: 'fx' }
    await recordBalance(trx, { virtualUserId, asset, amount: ONE, changedAt: new Date() })
  })
}

export async function putWebhook(db: Db, vault: SecretVault, accountId: string): Promise<void> {
  const account_id = BigInt(accountId)
  // An ID belongs to one account at a time.
  const gone = await db
    .selectFrom('webhook')
    .select(['id', 'account_id'])
    .where((eb) => eb.or([eb('account_id', '=', account_id), eb('id', '=', saved.webhookId)]))
    .execute()
  const context = { db, vault, reach: createReach([]) }
  for (const row of gone) await removeWebhook(context, { accountId: String(row.account_id), id: row.id })
  await db.transaction().execute(async (trx) => {
    const secretId = await vault.put(trx, { accountId, purpose: 'webhook', text: `whsec_${'A'.repeat(44)}` })
    const own = { id: saved.webhookId, account_id, url: 'https://hooks.example.invalid/saved', kinds: ['sync.ended'] }
    await trx
      .insertInto('webhook')
      .values({ ...own, secret_id: secretId, old_secret_id: null, old_secret_until: null })
      .execute()
  })
}

/** Epochs 0 to 20, each with an attestation and some income; a proposal in epoch 12. */
export async function putValidator(db: Db, validator: Validator): Promise<void> {
  const store = createValidatorStore(db)
  await store.track(validator)
  const rows = Array.from({ length: 21 }, (_, epoch) => ({
    ...{ validatorIndex: validator.index, epoch, attestationGwei: 9_000n, attestationIdealGwei: 10_000n },
    ...{ syncGwei: 0n, syncPotentialGwei: 0n, proposalGwei: 0n, proposalPotentialGwei: 0n, slashingGwei: 0n },
    ...{ attestationsIncluded: 1, attestationsMissed: 0, syncParticipations: 0, syncMissed: 0 },
    ...{
      proposedBlocks: epoch === 12 ? 1 : 0,
      missedBlocks: 0,
      mevBlocks: 0,
      tipsWei: epoch === 12 ? 5n : 0n,
      mevWei: 0n,
    },
    effectiveBalanceGwei: 32_000_000_000n,
  }))
  const times = { genesisTime: 1_606_824_023, secondsPerSlot: 12, slotsPerEpoch: 8 }
  await store.save(times, { fromEpoch: 0, toEpoch: 20, validators: [validator.index], rows })
  const found = { fromBlock: 1n, toBlock: 9n, validators: [validator.index] }
  const address = '0x00000000000000000000000000000000000000aa'
  await createWithdrawalStore(db, 'tracked').save({
    ...found,
    rows: [7n, 9n].map((index) => ({ validator: validator.index, index, slot: 70, amountGwei: 5n, address })),
  })
  const credentials = ['0x00', '0x01'].map((prefix) => `${prefix}${'0'.repeat(22)}${address.slice(2)}`)
  const deposits = createDepositStore(db, 'tracked')
  await deposits.save({
    ...found,
    rows: credentials.map((withdrawalCredentials, i) => ({
      ...{ pubkey: validator.pubkey, index: BigInt(i), amountGwei: 10n ** 9n, withdrawalCredentials },
      ...{ slot: i, searchSlot: 0, signature: '0x' },
    })),
  })
  await deposits.noteSigned(0n, true)
}

/** Held 1 ETH, owed 0.5 ETH. */
export async function putSnapshot(db: Db, accountId: string, address: EvmAddress): Promise<void> {
  const amount = { token: NATIVE, amountRaw: 10n ** 18n }
  const read = readOf(address, {
    ...{ block: 24_000_000n, blockTime: 1_767_312_011, holdings: [heldOf(NATIVE, amount.amountRaw)] },
    positions: [
      lendingOf({
        supplied: [amount],
        borrowed: [{ token: NATIVE, amountRaw: 5n * 10n ** 17n }],
        healthFactorRaw: 2n * 10n ** 18n,
      }),
    ],
    tokens: [tokenOf(NATIVE, 'ETH', { name: 'Ether' })],
    prices: [priceOf(NATIVE, '3000')],
  })
  await saveDay(db, accountId, read)
}

/** Held 2 SOL, staked 1 SOL. */
export async function putSolanaSnapshot(db: Db, accountId: string, address: SolanaAddress): Promise<void> {
  const chain = 'solana'
  const staked = [{ token: NATIVE_SOL, amountRaw: 10n ** 9n }]
  const read = readOf(address, {
    ...{ chain, block: 390_000_000n, blockTime: 1_767_312_012, holdings: [heldOf(NATIVE_SOL, 2n * 10n ** 9n)] },
    positions: [lendingOf({ chain, protocol: 'native_stake', kind: 'staked', label: 'Stake', supplied: staked })],
    tokens: [tokenOf(NATIVE_SOL, 'SOL', { chain, name: 'Solana', decimals: 9 })],
    prices: [priceOf(NATIVE_SOL, '150', { chain, source: 'pyth' })],
  })
  await saveDay(db, accountId, read)
}

async function saveDay(db: Db, accountId: string, read: WalletRead): Promise<void> {
  const day = { address: read.wallet, date: SNAPSHOT_DAY, first: null }
  await saveSnapshot(db, day, [read], [BigInt(accountId)])
}
