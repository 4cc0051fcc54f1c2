import { NAV_CURRENCIES } from '@coffer/contract'
import { portalVirtualUserEndpoints } from '@coffer/contract/portal'
import { z } from 'zod'
import type { Chain } from '../chains/chain.ts'
import type { Config } from '../config/config.ts'
import { decimal, formatDecimal } from '../domain/decimal.ts'
import type { ExchangeCredentials } from '../exchanges/exchange.ts'
import { SecretUnreadable, type SecretVault } from '../features/secrets/secret-vault.ts'
import {
  type BalanceAsset,
  checkAsset,
  currentBalances,
  recordBalance,
  whyUnpriced,
} from '../features/virtual-users/balances.ts'
import {
  credentialsOf,
  findLink,
  linkExchange,
  unlinkExchange,
  unreportedRights,
} from '../features/virtual-users/exchange-links.ts'
import { openVirtualUsers } from '../features/virtual-users/module.ts'
import { planSources } from '../features/virtual-users/sources.ts'
import { createVirtualPortfolios } from '../features/virtual-users/virtual-portfolios.ts'
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
import { type AdminContext, type Command, commandOf, defineCommand } from './command.ts'
import { commandChainTypes, id, name, Refusal, tokenAddress } from './command-input.ts'
import { openParts } from './parts.ts'

const { createVirtualUser: createEndpoint, linkExchange: linkEndpoint } = portalVirtualUserEndpoints

/** An ID, or the address that contains it. */
const userId = z
  .string()
  .transform((text) => text.replace(/^virtual:/, ''))
  .refine((text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text), 'is not an id of a virtual user')

const show = (user: VirtualUser) => ({ ...user, address: virtualAddress(user.id) })

const recordedOf = ({ accountId, id }: VirtualUser) => ({ accountId, detail: { id } })
const done = (user: VirtualUser) => ({ print: show(user), recorded: recordedOf(user) })
const withWarning = (shown: object, warning: string | undefined) => ({
  ...shown,
  ...(warning !== undefined && { warning }),
})

async function describe(db: AdminContext['db'], user: VirtualUser) {
  if (user.type === 'CEX') return { ...show(user), exchange: (await findLink(db, user.id))?.exchange ?? null }
  const balances = await currentBalances(db, user.id)
  return { ...show(user), balances: balances.map(({ asset, amount }) => ({ ...asset, amount: formatDecimal(amount) })) }
}

const amount = z
  .string()
  .regex(/^(0|[1-9]\d{0,29})(\.\d{1,18})?$/, 'must be an amount of at most 18 decimals, from 0')
  .transform((text) => decimal(text))
const moment = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .refine((date) => date.getTime() <= Date.now(), 'lies in the future')

type NamedAsset = Partial<Record<'chain' | 'contract' | 'symbol' | 'priceSource', string | undefined>>

function assetOf(named: NamedAsset, { chains }: Config, readsTokens: (chain: Chain) => boolean) {
  const checked = checkAsset(onlyOne(named), { chains, chainTypes: commandChainTypes, readsTokens })
  if ('asset' in checked) return checked.asset
  if (checked.problem === 'chain') throw new Refusal(`--chain ${named.chain} is no chain whose tokens can be read.`)
  if (checked.problem === 'contract') throw new Refusal('--contract is not an address.')
  throw new Refusal(`--price-source fx knows ${NAV_CURRENCIES.join(', ')}, not ${named.symbol}.`)
}

function onlyOne({ chain, contract, symbol, priceSource }: NamedAsset): BalanceAsset {
  const [token, coin] = [chain ?? contract, symbol ?? priceSource]
  if (coin === undefined && chain !== undefined && contract !== undefined) return { chain, contract }
  if (token === undefined && symbol !== undefined && priceSource !== undefined) return { symbol, priceSource }
  throw new Refusal('Either --chain and --contract are needed, or --symbol and --price-source.')
}

/** The error does not repeat the text. */
function parseCredentials(text: string): ExchangeCredentials {
  try {
    return credentialsOf(linkEndpoint.body.shape.credentials.parse(JSON.parse(text)))
  } catch {
    throw new Refusal(
      'The credentials must be a JSON object of texts: apiKey, secret, and where the exchange wants them password and uid.',
    )
  }
}

export const virtualUserCommands: Readonly<Record<string, Command>> = {
  'virtual-user create': defineCommand({
    records: 'created a virtual user',
    about: 'Create a virtual user of an account and print its ID.',
    example: '--account 2 --type CEX --label trading',
    flags: { account: id, type: createEndpoint.body.shape.type, label: name },
    async run({ db }, { account, type, label }) {
      return done(await createVirtualUser(db, { accountId: account, type, label }))
    },
  }),
  'virtual-user list': commandOf(portalVirtualUserEndpoints.describeVirtualUsers, {
    example: '--account 2',
    async run({ db }, { account }) {
      const users = await listVirtualUsers(db, account)
      return { print: await Promise.all(users.map((user) => describe(db, user))) }
    },
  }),
  'virtual-user rename': defineCommand({
    records: 'renamed a virtual user',
    about: 'Rename a virtual user.',
    example: 'virtual:… --label treasury',
    takesId: userId,
    flags: { label: name },
    async run({ db }, { id, label }) {
      return done((await renameVirtualUser(db, id, label)) ?? noUser(id))
    },
  }),
  'virtual-user remove': defineCommand({
    records: 'removed a virtual user',
    about: 'Remove a virtual user with its balances and credentials.',
    example: 'virtual:…',
    takesId: userId,
    async run({ db }, { id }) {
      const user = await getUser(db, id)
      await removeVirtualUser(db, id)
      return done(user)
    },
  }),
  'virtual-user set-balance': defineCommand({
    records: 'set balances of a virtual user',
    about: 'Set a balance that is kept by hand, from now or from a moment on.',
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
      const readsTokens = (chain: Chain) => openTools(context).readsTokens(chain)
      const asset = assetOf({ chain, contract, symbol, priceSource }, settings, readsTokens)
      const user = await getUser(db, id)
      if (user.type !== 'BALANCE') throw new Refusal(`The virtual user ${id} stands for an account at an exchange.`)
      await recordBalance(db, { virtualUserId: id, asset, amount, changedAt: at })
      const usdPerUnit = async (currency: string) => openTools(context).rates.usdPerUnit(currency)
      const warning = await whyUnpriced(asset, settings, { usdPerUnit })
      const balance = { ...show(user), ...asset, amount: formatDecimal(amount), changedAt: at.toISOString() }
      return { print: withWarning(balance, warning), recorded: recordedOf(user) }
    },
  }),
  'virtual-user link': defineCommand({
    records: 'linked an exchange',
    about: 'Link a virtual user to an account at an exchange, by a key that may only read.',
    example: 'virtual:… --exchange kraken --credentials keys.json',
    usage: 'ID --exchange E --credentials FILE|-',
    takesId: userId,
    flags: { exchange: z.string(), credentials: z.string() },
    async run(context, { id, exchange: key, credentials: path }) {
      const { db, vault, readInput } = context
      const user = await getUser(db, id)
      const { exchanges } = openTools(context)
      const exchange = await exchanges.find(key)
      if (!exchange) throw new Refusal(`There is no exchange ${key} that can be read.`)
      const credentials = parseCredentials(await readInput(path))
      const outcome = await linkExchange({ db, vault: await vault() }, id, exchange, credentials).catch(refuseUpstream)
      if ('refusal' in outcome) throw new Refusal(outcome.refusal)
      const { permissions } = outcome
      const link = { id, address: virtualAddress(id), exchange: exchange.key, name: exchange.name, permissions }
      return { print: withWarning(link, unreportedRights(exchange, permissions)), recorded: recordedOf(user) }
    },
  }),
  'virtual-user unlink': defineCommand({
    records: 'unlinked an exchange',
    about: 'Unlink an exchange and forget its credentials.',
    example: 'virtual:…',
    takesId: userId,
    async run({ db }, { id }) {
      const user = await getUser(db, id)
      if (!(await unlinkExchange(db, id))) throw new Refusal(`The virtual user ${id} is not linked to an exchange.`)
      return done(user)
    },
  }),
  'virtual-user sync': defineCommand({
    about: 'Read what a virtual user has at its exchange, now.',
    example: 'virtual:…',
    takesId: userId,
    async run(context, { id }) {
      const { db } = context
      const user = await getUser(db, id)
      const sources = await planSources(db, id)
      if (user.type === 'CEX' && sources.length === 0) {
        throw new Refusal(`The virtual user ${id} is not linked to an exchange.`)
      }
      const { refresh } = openTools(context)
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
  }),
}

/** Rethrows errors other than an unreadable source. */
function problemOf(thrown: unknown): string {
  if (!(thrown instanceof UpstreamError || thrown instanceof SecretUnreadable)) throw thrown
  return `${thrown.message.replace(/\.$/, '')}.`
}

function refuseUpstream(thrown: unknown): never {
  if (thrown instanceof UpstreamError) throw new Refusal(problemOf(thrown))
  throw thrown
}

function openTools({ db, config, vault }: AdminContext) {
  const parts = openParts(config(), db)
  const open: SecretVault['open'] = async (trx, secret) => (await vault()).open(trx, secret)
  const context = openVirtualUsers({ ...parts, vault: { open } })
  /** True if tokens of the chain can be read and priced. */
  const readsTokens = ({ family }: Chain) => parts.reading.byType.get(family)?.readTokens !== undefined
  return { ...context, refresh: createVirtualPortfolios(context).refresh, readsTokens }
}

async function getUser(db: AdminContext['db'], id: string): Promise<VirtualUser> {
  return (await findVirtualUser(db, id)) ?? noUser(id)
}

function noUser(id: string): never {
  throw new Refusal(`There is no virtual user ${id}.`)
}
