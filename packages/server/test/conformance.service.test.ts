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
import { type CheckName, checks } from './conformance/checks.ts'
import { conformance } from './conformance/conformance.ts'
import { onSolanaFor, samplesFor, solanaWallet, validator } from './conformance/contract-samples.ts'
import { databaseCallers } from './conformance/database-callers.ts'
import { withFaults } from './conformance/faults.ts'
import { putSnapshot, putSolanaSnapshot, putValidator, putWebhook, resetOwnData } from './conformance/own-data.ts'
import { startService } from './harness.ts'

const wallet = wallets.demo.address
const MASTER_KEY = '5'.repeat(64)

const states = '/eth/v1/beacon/states/head'
const beaconAnswers = {
  '/eth/v1/beacon/genesis': recorded('genesis'),
  '/eth/v1/config/spec': recorded('spec'),
  '/eth/v1/node/syncing': recorded('syncing'),
  [`${states}/finality_checkpoints`]: recorded('finality'),
  [`${states}/validators/3`]: recorded('validator'),
  [`${states}/validators/${validator.toLowerCase()}`]: recorded('validator'),
}

/** Take every check over the whole service: one for each error style, method, requirement, and streamed work. */
const IN_FULL: ReadonlySet<keyof typeof endpoints> = new Set([
  ...(['getPortfolio', 'getTokenOverview', 'getVirtualUserPortfolio', 'listProtocols', 'listApprovals'] as const),
  ...(['getValidatorDetailsByIndex', 'listValidatorRewardsByIndex', 'syncTransactions'] as const),
  ...(['exportTransactions', 'renameBundle', 'removeFromAddressBook'] as const),
])
const ALL = Object.keys(checks) as CheckName[]

function checksOf(name: keyof typeof endpoints, kind?: string): CheckName[] {
  if (inject('deep') || (IN_FULL.has(name) && kind === undefined)) return ALL
  const odd =
    'params' in endpoints[name] ? ['odd paths, queries, bodies and methods are no error of ours' as const] : []
  return ['succeeds and is charged', ...odd]
}

// Every endpoint of the operators' service, over local chains. `src/http/conformance.test.ts` runs the checks that end
// before their work for all of them.
conformance({
  endpoints,
  samples: samplesFor(wallet),
  further: { 'of wallets on Solana': onSolanaFor(wallet) },
  checksOf,
  async start(faults) {
    const devnet = await startDevnet({ state: inject('devnetState') })
    const solana = await startSolanaDevnet()
    const beacon = await startBeaconServer(byPath(beaconAnswers))
    const service = await startService({
      devnet,
      endpoints: { solana: [solana.url] },
      env: { COFFER_TRUST_PROXY: 'true', COFFER_BEACON_URL: beacon.url, COFFER_MASTER_KEY: MASTER_KEY },
      // A shed request still counts for the rate limit, so a repeated one would be another case.
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
