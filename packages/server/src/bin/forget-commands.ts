import { z } from 'zod'
import { createGenesisStore } from '../catalog/genesis-store.ts'
import { findChain } from '../chains/chain-catalog.ts'
import { createHistoryStore } from '../features/history/store/history-store.ts'
import { forgetWallet } from '../wallets/forget.ts'
import { type AdminContext, type Command, defineCommand } from './admin-command.ts'
import { address, Refusal } from './command-input.ts'

const block = z
  .string()
  .regex(/^(0|[1-9]\d{0,17})$/, 'is not the number of a block')
  .meta({ form: 'BLOCK' })

export const forgetCommands: Readonly<Record<string, Command>> = {
  'wallet forget': defineCommand({
    records: 'forgot the stored reads of a wallet',
    about:
      'Forget the stored reads of a wallet, so that the service reads it again; with --histories true its transactions too.',
    example: '0x… --chain ethereum --after 23000000',
    takesId: address.meta({ form: 'ADDRESS' }),
    flags: { chain: z.string().optional(), after: block.optional(), histories: z.enum(['true', 'false']).optional() },
    async run(context, { id: wallet, chain, after, histories }) {
      const last = after === undefined ? -1n : BigInt(after)
      const chains = await forgetWallet(context.db, {
        wallet,
        chain: chain === undefined ? null : keyOf(context, chain),
        after: last,
      })
      const history = createHistoryStore(context.db)
      if (histories === 'true') for (const key of chains) await history.rewind({ wallet, chain: key }, last + 1n)
      return { print: { address: wallet, chains, after: after ?? null, histories: histories === 'true' } }
    },
  }),
  'chain forget': defineCommand({
    records: 'forgot the stored reads of a chain',
    about: 'Forget all stored reads of a chain that was restarted with another first block.',
    example: 'my_chain',
    takesId: z.string().meta({ form: 'CHAIN' }),
    async run(context, { id }) {
      const chain = keyOf(context, id)
      await createGenesisStore(context.db).forget(chain)
      return { print: { chain } }
    },
  }),
}

function keyOf({ config }: AdminContext, name: string): string {
  const chain = findChain(name, config().chains)
  if (!chain) throw new Refusal(`There is no chain ${name}.`)
  return chain.key
}
