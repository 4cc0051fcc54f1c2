import { newWatch, watchEndpoints } from '@coffer/contract'
import { ofAccount } from '@coffer/contract/portal'
import { z } from 'zod'
import { selectWatches } from '../features/watches/watch-store.ts'
import { createWatch, removeWatch, type WatchFacts } from '../features/watches/watches.ts'
import { type AdminContext, type Command, commandOf, defineCommand } from './admin-command.ts'
import { commandChainTypes, id, read } from './command-input.ts'

const { addresses } = commandChainTypes
const own = ofAccount(watchEndpoints(addresses))
const wanted = newWatch(addresses)
const part = z.string().optional()

function factsOf({ config }: AdminContext): WatchFacts {
  const { chains, endpoints, beacon } = config()
  const enabled = chains.filter(({ key }) => endpoints.has(key))
  return { chains: enabled, chainTypes: commandChainTypes, hasBeacon: beacon !== null }
}

/** Entitlements are left to the operator. */
export const watchCommands: Readonly<Record<string, Command>> = {
  'watch list': commandOf(own.listWatches, {
    example: '--account 2',
    run: async ({ db }, { account }) => ({ print: await selectWatches(db, account) }),
  }),
  /** The type decides which of the flags are needed. */
  'watch create': defineCommand({
    records: 'created a watch',
    about: `${own.createWatch.summary}.`,
    details: own.createWatch.description,
    example:
      '--account 2 --type netWorth --address 0xc0ffee0000000000000000000000000000000001 --direction below --threshold 1000',
    usage:
      '--account ID --type netWorth|balance|credits|validator|airdrops [--address A] [--chain C --contract T] [--direction above|below --threshold N] [--validator V]',
    flags: {
      account: id,
      type: z.string(),
      address: part,
      chain: part,
      contract: part,
      direction: part,
      threshold: part,
      validator: part,
    },
    async run(context, { account, id: _, ...given }) {
      const watch = await createWatch(context.db, factsOf(context), account, read(wanted, given))
      return { print: watch, recorded: { detail: { watch: watch.id } } }
    },
  }),
  'watch remove': commandOf(own.removeWatch, {
    records: 'removed a watch',
    example: '3e9a8e3c-7b4f-4a65-9cad-8f7e6d5c4b43 --account 2',
    async run({ db }, { account: accountId, id }) {
      await removeWatch(db, { accountId, id })
      return { print: { removed: id } }
    },
  }),
}
