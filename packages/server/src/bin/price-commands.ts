import { Failure } from '@coffer/contract'
import { z } from 'zod'
import { type AdminContext, type Command, defineCommand, Refusal } from './admin-command.ts'

const amount = z.string().regex(/^\d{1,60}(\.\d{1,80})?$/, 'is not an amount in token units')
const needed = z.string()

const why = defineCommand({
  records: null,
  about: "Says why a token's price is what it is: source, path, confidence and what other sources say.",
  example: '--chain ethereum --token 0x…',
  usage: '--chain KEY --token A [--amount N] [--holder A]',
  flags: { chain: needed, token: needed, amount: amount.default('0'), holder: z.string().optional() },
  run: async (context, asked) => ({ print: await explain(context, asked) }),
})

export const priceCommands: Readonly<Record<string, Command>> = { 'price why': why }

type Asked = { chain: string; token: string; amount: string; holder: string | undefined }

/** Loads the service on demand: most commands do not need it. */
async function explain({ db, config }: AdminContext, asked: Asked) {
  const [{ openParts }, { createExplainPrices }] = await Promise.all([
    import('./parts.ts'),
    import('../features/prices/module.ts'),
  ])
  try {
    return await createExplainPrices(openParts(config(), { db }))(asked)
  } catch (error) {
    if (error instanceof Failure) throw new Refusal(`--${error.message.replace(': ', ' ')}.`)
    throw error
  }
}
