import { Failure, newWatch } from '@coffer/contract'
import { z } from 'zod'
import { createWatches, type Watches } from '../features/watches/watches.ts'
import { type AdminContext, type Command, defineCommand, id, Refusal } from './admin-command.ts'
import { commandChainTypes, getAccount } from './command-input.ts'

const wanted = newWatch(commandChainTypes.addresses)
const part = z.string().optional()

/** Runs the API's use cases. Entitlements are left to the operator. */
async function withWatches<T>(
  context: AdminContext,
  account: string,
  work: (watches: Watches) => T | Promise<T>,
): Promise<T> {
  await getAccount(context, account)
  const { chains, endpoints, beacon } = context.config()
  const enabled = chains.filter(({ key }) => endpoints.has(key))
  const facts = { chains: enabled, chainTypes: commandChainTypes, hasBeacon: beacon !== null }
  try {
    return await work(createWatches({ db: context.db, facts }))
  } catch (error) {
    throw error instanceof Failure ? new Refusal(`${error.message}.`) : error
  }
}

const list = defineCommand({
  records: null,
  about: 'Lists what an account wants to be told of, with what is known of it.',
  example: '--account 2',
  usage: '--account ID',
  flags: { account: id },
  run: async (context, { account }) => ({
    print: await withWatches(context, account, (watches) => watches.list(account)),
  }),
})

const create = defineCommand({
  records: 'created a watch',
  about: 'Names what an account is told of: a threshold, a validator, or the airdrops of a wallet.',
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
    const read = wanted.safeParse(Object.fromEntries(Object.entries(given).filter(([, text]) => text !== undefined)))
    if (!read.success) {
      const [issue] = read.error.issues
      throw new Refusal(`${issue?.path.join('.') || 'arguments'}: ${issue?.message}.`)
    }
    const watch = await withWatches(context, account, (watches) => watches.create(account, read.data))
    return { print: watch, recorded: { accountId: account, detail: { watch: watch.id } } }
  },
})

const remove = defineCommand({
  records: 'removed a watch',
  about: 'Ends a watch.',
  example: '3e9a8e3c-7b4f-4a65-9cad-8f7e6d5c4b43 --account 2',
  usage: 'ID --account ID',
  takesId: z.uuid('is not the id of a watch'),
  flags: { account: id },
  async run(context, { id: watch, account }) {
    await withWatches(context, account, (watches) => watches.remove({ accountId: account, id: watch }))
    return { print: { removed: watch }, recorded: { accountId: account } }
  },
})

export const watchCommands: Readonly<Record<string, Command>> = {
  'watch list': list,
  'watch create': create,
  'watch remove': remove,
}
