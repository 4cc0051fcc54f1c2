import { z } from 'zod'
import { createGenesisStore } from '../catalog/genesis-store.ts'
import { findChain } from '../chains/chain-catalog.ts'
import { createHistoryStore } from '../features/history/store/history-store.ts'
import { forgetWallet } from '../wallets/forget.ts'
import { type AdminContext, type Command, defineCommand, Refusal } from './admin-command.ts'
import { address } from './command-input.ts'

const block = z.string().regex(/^(0|[1-9]\d{0,17})$/, 'is not the number of a block')

const walletForget = defineCommand({
  records: 'forgot what was read of a wallet',
  about: 'Forgets what was read of a wallet, so that it is read anew; with --histories true its transactions too.',
  example: '0x… --chain ethereum --after 23000000',
  usage: 'ADDRESS [--chain C] [--after BLOCK] [--histories true]',
  takesId: address,
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
})

const chainForget = defineCommand({
  records: 'forgot what was read of a chain',
  about: 'Forgets all that was read of a chain that was begun anew.',
  example: 'my_chain',
  usage: 'CHAIN',
  takesId: z.string(),
  async run(context, { id }) {
    const chain = keyOf(context, id)
    await createGenesisStore(context.db).forget(chain)
    return { print: { chain } }
  },
})

export const forgetCommands: Readonly<Record<string, Command>> = {
  'wallet forget': walletForget,
  'chain forget': chainForget,
}

function keyOf({ config }: AdminContext, name: string): string {
  const chain = findChain(name, config().chains)
  if (!chain) throw new Refusal(`There is no chain ${name}.`)
  return chain.key
}
