import { z } from 'zod'
import { evmAddress, WRITTEN_EVM_ADDRESS } from '../domain/evm-address.ts'
import { listSyncs } from '../features/history/sync-progress.ts'
import { type Command, defineCommand } from './admin-command.ts'

const wallet = z.string().regex(WRITTEN_EVM_ADDRESS, 'is not an EVM address').transform(evmAddress)

const syncStatus = defineCommand({
  usage: '[--address A]',
  flags: { address: wallet.optional() },
  run: async ({ db }, { address }) => ({ print: await listSyncs(db, address) }),
})

/** What is done about the syncs of wallets' transactions. */
export const syncCommands: Readonly<Record<string, Command>> = {
  'sync status': syncStatus,
}
