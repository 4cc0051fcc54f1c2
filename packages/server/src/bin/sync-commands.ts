import { listSyncs } from '../features/history/sync/sync-progress.ts'
import { type Command, defineCommand } from './admin-command.ts'
import { address } from './command-input.ts'

const syncStatus = defineCommand({
  about: "Shows how far wallets' transactions are searched on each chain, and what fails.",
  example: '--address 0x…',
  usage: '[--address A]',
  flags: { address: address.optional() },
  run: async ({ db }, { address: wallet }) => ({ print: await listSyncs(db, wallet) }),
})

/** Commands on syncs of wallet transactions. */
export const syncCommands: Readonly<Record<string, Command>> = {
  'sync status': syncStatus,
}
