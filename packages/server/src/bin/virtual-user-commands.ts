import { NAV_CURRENCIES } from '@coffer/contract'
import { z } from 'zod'
import type { Chain } from '../chains/chain.ts'
import type { Config } from '../config/config.ts'
import type { Address } from '../domain/address.ts'
import { decimal, formatDecimal } from '../domain/decimal.ts'
import type { ExchangeCredentials } from '../exchanges/exchange.ts'
import { SecretUnreadable, type SecretVault } from '../features/secrets/secret-vault.ts'
import { checkAsset, whyUnpriced } from '../features/virtual-users/balance-assets.ts'
import { type BalanceAsset, currentBalances, recordBalance } from '../features/virtual-users/balances.ts'
import {
  credentialsOf,
  findLink,
  linkExchange,
  unlinkExchange,
  untoldRights,
} from '../features/virtual-users/exchange-links.ts'
import { planSources } from '../features/virtual-users/sources.ts'
import {
  createVirtualUser,
  findVirtualUser,
  listVirtualUsers,
  removeVirtualUser,
  renameVirtualUser,
  type VirtualUser,
  virtualAddress,
} from '../features/virtual-users/virtual-users.ts'
import { UpstreamError } from '../lib/upstream-error.ts'
import { parseSymbolSource } from '../prices/symbol-prices.ts'
import { type AdminContext, type Command, defineCommand, id, Refusal } from './admin-command.ts'
import { commandChainTypes, getAccount, name, tokenAddress } from './command-input.ts'

/** An ID, or the address that contains it. */
const userId = z
  .string()
  .transform((text) => text.replace(/^virtual:/, ''))
  .refine((text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text), 'is not an id of a virtual user')

const show = (user: VirtualUser) => ({ ...user, address: virtualAddress(user.id) })

const recordedOf = ({ accountId, id }: VirtualUser) => ({ accountId, detail: { id } })
const done = (user: VirtualUser) => ({ print: show(user), recorded: recordedOf(user) })

const create = defineCommand({
  records: 'created a virtual user',
  about: 'Makes a virtual user of an account and prints its id.',
  example: '--account 2 --type CEX --label trading',
  usage: '--account ID --type BALANCE|CEX --label L',
  flags: { account: id, type: z.enum(['BALANCE', 'CEX'], 'must be BALANCE or CEX'), label: name },
  async run({ db }, { account, type, label }) {
    await getAccount({ db }, account)
    return done(await createVirtualUser(db, { accountId: account, type, label }))
  },
})

const list = defineCommand({
  records: null,
  about: 'Lists the virtual users of an account.',
  example: '--account 2',
  usage: '--account ID',
  flags: { account: id },
  async run({ db }, { account }) {
    await getAccount({ db }, account)
    const users = await listVirtualUsers(db, account)
    return { print: await Promise.all(users.map((user) => describe(db, user))) }
  },
})

async function describe(db: AdminContext['db'], user: VirtualUser) {
  if (user.type === 'CEX') return { ...show(user), exchange: (await findLink(db, user.id))?.exchange ?? null }
  const balances = await currentBalances(db, user.id)
  return { ...show(user), balances: balances.map(({ asset, amount }) => ({ ...asset, amount: formatDecimal(amount) })) }
}

const rename = defineCommand({
  records: 'renamed a virtual user',
  about: 'Gives a virtual user another label.',
  example: 'virtual:… --label treasury',
  usage: 'ID --label L',
  takesId: userId,
  flags: { label: name },
  async run({ db }, { id, label }) {
    return done((await renameVirtualUser(db, id, label)) ?? noUser(id))
  },
})

const remove = defineCommand({
  records: 'removed a virtual user',
  about: 'Removes a virtual user with its balances and credentials.',
  example: 'virtual:…',
  usage: 'ID',
  takesId: userId,
  async run({ db }, { id }) {
    const user = await getUser(db, id)
    await removeVirtualUser(db, id)
    return done(user)
  },
})

const amount = z
  .string()
  .regex(/^(0|[1-9]\d{0,29})(\.\d{1,18})?$/, 'must be an amount of at most 18 decimals, from 0')
  .transform((text) => decimal(text))
const moment = z.iso
  .datetime({ offset: true, error: 'must be a time in ISO 8601 with its zone' })
  .transform((text) => new Date(text))
  .refine((date) => date.getTime() <= Date.now(), 'lies in the future')

const setBalance = defineCommand({
  records: 'set balances of a virtual user',
  about: 'Sets a balance that is kept by hand, from now or from a moment on.',
  example: 'virtual:… --symbol EUR --price-source fx --amount 1000',
  usage:
    'ID (--chain C --contract A | --symbol S --price-source fx|coingecko:ID|defillama:ID|fixed:USD) --amount N [--at T]',
  takesId: userId,
  flags: {
    chain: z.string().optional(),
    contract: tokenAddress.optional(),
    symbol: z
      .string()
      .regex(/^[\w.$+-]{1,32}$/, 'is not a symbol')
      .transform((text) => text.toUpperCase())
      .optional(),
    priceSource: z
      .string()
      .refine(
        (text) => parseSymbolSource(text) !== undefined,
        'must be fx, coingecko:ID, defillama:ID or fixed:USD, the last with at most 18 decimals',
      )
      .optional(),
    amount,
    at: moment.optional(),
  },
  async run(context, { id, chain, contract, symbol, priceSource, amount, at = new Date() }) {
    const { db } = context
    const settings = context.config()
    const asset = await assetOf({ chain, contract, symbol, priceSource }, settings, () => openTools(context))
    const user = await getUser(db, id)
    if (user.type !== 'BALANCE') throw new Refusal(`The virtual user ${id} stands for an account at an exchange.`)
    await recordBalance(db, { virtualUserId: id, asset, amount, changedAt: at })
    const warning = await whyUnpriced(asset, settings, {
      usdPerUnit: async (currency) => (await openTools(context)).rates.usdPerUnit(currency),
    })
    return {
      print: {
        ...show(user),
        ...asset,
        amount: formatDecimal(amount),
        changedAt: at.toISOString(),
        ...(warning !== undefined && { warning }),
      },
      recorded: recordedOf(user),
    }
  },
})

type NamedAsset = {
  chain: string | undefined
  contract: Address | undefined
  symbol: string | undefined
  priceSource: string | undefined
}

async function assetOf(named: NamedAsset, { chains }: Config, open: () => ReturnType<typeof openTools>) {
  const readsTokens = async (chain: Chain) => (await open()).readsTokens(chain)
  const checked = await checkAsset(onlyOne(named), { chains, chainTypes: commandChainTypes, readsTokens })
  if ('asset' in checked) return checked.asset
  if (checked.problem === 'chain') throw new Refusal(`--chain ${named.chain} is no chain whose tokens can be read.`)
  if (checked.problem === 'contract') throw new Refusal('--contract is not an address.')
  throw new Refusal(`--price-source fx knows ${NAV_CURRENCIES.join(', ')}, not ${named.symbol}.`)
}

function onlyOne({ chain, contract, symbol, priceSource }: NamedAsset): BalanceAsset {
  const given = [chain, contract, symbol, priceSource].map((value) => (value === undefined ? '-' : 'x')).join('')
  if (given === 'xx--' && chain !== undefined && contract !== undefined) return { chain, contract }
  if (given === '--xx' && symbol !== undefined && priceSource !== undefined) return { symbol, priceSource }
  throw new Refusal('Either --chain and --contract are needed, or --symbol and --price-source.')
}

const link = defineCommand({
  records: 'linked an exchange',
  about: 'Links a virtual user to an account at an exchange, by a key that may only read.',
  example: 'virtual:… --exchange kraken --credentials keys.json',
  usage: 'ID --exchange E --credentials FILE|-',
  takesId: userId,
  flags: { exchange: z.string(), credentials: z.string() },
  async run(context, { id, exchange: key, credentials: path }) {
    const { db, vault, readInput } = context
    const user = await getUser(db, id)
    const { exchanges } = await openTools(context)
    const exchange = await exchanges.find(key)
    if (!exchange) throw new Refusal(`There is no exchange ${key} that can be read.`)
    const credentials = parseCredentials(await readInput(path))
    const outcome = await linkExchange({ db, vault: await vault() }, id, exchange, credentials).catch(refuseUpstream)
    if ('refusal' in outcome) throw new Refusal(outcome.refusal)
    const warning = untoldRights(exchange, outcome.permissions)
    return {
      print: {
        id,
        address: virtualAddress(id),
        exchange: exchange.key,
        name: exchange.name,
        permissions: outcome.permissions,
        ...(warning !== undefined && { warning }),
      },
      recorded: recordedOf(user),
    }
  },
})

const credentialsFile = z.strictObject({
  apiKey: z.string().trim().min(1),
  secret: z.string().trim().min(1),
  password: z.string().min(1).optional(),
  uid: z.string().trim().min(1).optional(),
})

/** The error does not repeat the text. */
function parseCredentials(text: string): ExchangeCredentials {
  try {
    return credentialsOf(credentialsFile.parse(JSON.parse(text)))
  } catch {
    throw new Refusal(
      'The credentials must be a JSON object of texts: apiKey, secret, and where the exchange wants them password and uid.',
    )
  }
}

const unlink = defineCommand({
  records: 'unlinked an exchange',
  about: 'Ends the link to an exchange and forgets its credentials.',
  example: 'virtual:…',
  usage: 'ID',
  takesId: userId,
  async run({ db }, { id }) {
    const user = await getUser(db, id)
    if (!(await unlinkExchange(db, id))) throw new Refusal(`The virtual user ${id} is not linked to an exchange.`)
    return done(user)
  },
})

const sync = defineCommand({
  records: null,
  about: 'Reads what a virtual user has at its exchange, now.',
  example: 'virtual:…',
  usage: 'ID',
  takesId: userId,
  async run(context, { id }) {
    const { db } = context
    const user = await getUser(db, id)
    const sources = await planSources(db, id)
    if (user.type === 'CEX' && sources.length === 0) {
      throw new Refusal(`The virtual user ${id} is not linked to an exchange.`)
    }
    const { refresh } = await openTools(context)
    const outcomes = await Promise.allSettled(sources.map(({ source }) => refresh(source, id)))
    const problems = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [problemOf(outcome.reason)] : []))
    if (problems.length > 0) throw new Refusal(problems.join(' '))
    const reads = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    return {
      print: reads.map(({ chain, protocol, readAt, holdings, gaps }) => ({
        chain,
        ...(protocol !== undefined && { protocol }),
        readAt: new Date(readAt).toISOString(),
        holdings: holdings.length,
        incomplete: gaps,
      })),
    }
  },
})

/** Rethrows errors other than an unreadable source. */
function problemOf(thrown: unknown): string {
  if (!(thrown instanceof UpstreamError || thrown instanceof SecretUnreadable)) throw thrown
  return `${thrown.message.replace(/\.$/, '')}.`
}

function refuseUpstream(thrown: unknown): never {
  if (thrown instanceof UpstreamError) throw new Refusal(problemOf(thrown))
  throw thrown
}

export const virtualUserCommands: Readonly<Record<string, Command>> = {
  'virtual-user create': create,
  'virtual-user list': list,
  'virtual-user rename': rename,
  'virtual-user remove': remove,
  'virtual-user set-balance': setBalance,
  'virtual-user link': link,
  'virtual-user unlink': unlink,
  'virtual-user sync': sync,
}

/** Loads the service on demand: most commands do not need it. */
async function openTools({ db, config, vault }: AdminContext) {
  const [{ openParts }, { openVirtualPortfolios }] = await Promise.all([
    import('./parts.ts'),
    import('../features/virtual-users/module.ts'),
  ])
  const parts = openParts(config(), { db })
  // Opens the vault when a secret is needed.
  const open: SecretVault['open'] = async (trx, secret) => (await vault()).open(trx, secret)
  const { exchanges, portfolios } = openVirtualPortfolios({ ...parts, vault: { open } })
  const { byType, rates } = parts.reading
  return {
    exchanges,
    refresh: portfolios.refresh,
    rates,
    /** True if tokens of the chain can be read and priced. */
    readsTokens: ({ family }: Chain) => byType.get(family)?.readTokens !== undefined,
  }
}

async function getUser(db: AdminContext['db'], id: string): Promise<VirtualUser> {
  return (await findVirtualUser(db, id)) ?? noUser(id)
}

function noUser(id: string): never {
  throw new Refusal(`There is no virtual user ${id}.`)
}
