import { z } from 'zod'
import type { AirdropSource } from '../chains/airdrops.ts'
import { BLOCK_SECONDS, type Chain, FINALITY } from '../chains/chain.ts'
import type { ChainType, ChainTypeSection, ChainTypes } from '../chains/chain-type.ts'
import type { OwnLabel } from '../chains/settings.ts'
import type { Address } from '../domain/address.ts'
import { isUrl } from '../lib/is-url.ts'
import { ConfigError } from './config-error.ts'

function addressSchema(chainTypes: readonly ChainType[]) {
  const forms = chainTypes.map(({ addressForm }) => addressForm)
  const patterns = forms.map(({ pattern }) => pattern).join('|')
  const described = forms.map((form) => form.described).join(', or ')
  return z
    .string()
    .regex(new RegExp(forms.length === 1 ? `^${patterns}$` : `^(${patterns})$`), `must be ${described}`)
    .transform((text): Address => chainTypes.find(({ ownsAddress }) => ownsAddress(text))?.spell(text) ?? text)
}

type AddressSchema = ReturnType<typeof addressSchema>
type IsNative = (address: Address) => boolean

const url = z.string().refine((text) => isUrl(text), 'must be an http or https URL')
const chainName = z.string().min(1).describe('Key of a chain that ships with Coffer or is in `chains`.')
const symbol = z.string().trim().min(1).max(64)
const name = z.string().trim().min(1).max(128)
const decimals = z
  .int()
  .min(0)
  .max(77)
  .describe('Digits after the point of one unit; 77 is the most a 256-bit amount can use.')

const chainRow = (address: AddressSchema) =>
  z
    .strictObject({
      key: z
        .string()
        .regex(/^[a-z][a-z0-9_]{0,31}$/, 'must be lower-case letters, digits and _, beginning with a letter')
        .describe('Short identifier used in requests.'),
      chainId: z.int().min(1).max(Number.MAX_SAFE_INTEGER),
      name,
      native: z.strictObject({ symbol, name: name.optional(), decimals: decimals.default(18) }),
      wrappedNative: address.optional(),
      multicall3: address.optional(),
      nativeErc20s: z
        .array(address)
        .default([])
        .describe('Contracts that show the native coin as an ERC-20; never counted.'),
      finality: z
        .int()
        .min(1)
        .max(1_000_000)
        .default(FINALITY)
        .describe('Blocks below the head that are never replaced; used if a node does not report finality.'),
      blockSeconds: z
        .number()
        .positive()
        .max(3_600)
        .default(BLOCK_SECONDS)
        .describe('Usual time between two blocks: a head older than twenty of them, and than two minutes, is marked.'),
      rpcUrls: z.array(url).default([]).describe('JSON-RPC endpoints in order; `COFFER_RPC_<KEY>` replaces them.'),
      explorer: url.describe('Base URL of an explorer with the paths /token/, /tx/ and /address/.'),
      color: z
        .string()
        .regex(/^#[0-9a-fA-F]{6}$/, 'must be # and six hex digits')
        .default('#5c6b7a'),
      defillama: z.string().min(1).optional().describe("The chain's name at DefiLlama."),
      coingecko: z.string().min(1).optional().describe("The chain's asset platform at CoinGecko."),
    })
    .describe('A chain beyond those that ship with Coffer.')

const tokenRow = (address: AddressSchema, isNative: IsNative) =>
  z
    .strictObject({
      chain: chainName,
      address: address.refine((text) => !isNative(text), 'is the native coin, which the chain defines'),
      symbol,
      name,
      decimals,
    })
    .describe('A token that counts as listed. It replaces a published row for the same contract.')

const rowKey = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be lower-case letters, digits and _, beginning with a letter')

const protocolRow = (address: AddressSchema) =>
  z
    .strictObject({
      family: z.string().min(1).describe('Its protocol adapter, e.g. `uniswap_v2`.'),
      key: rowKey,
      name,
      chain: chainName,
      deployment: z.record(z.string(), z.json()).describe('Addresses and settings that the adapter requires.'),
      siteUrl: url.exactOptional(),
      impaired: z
        .array(address)
        .exactOptional()
        .describe('Receipt tokens hit by bad debt: shown as themselves, at their market price.'),
    })
    .describe('A protocol on one chain; a fork is a row.')

const bridgeRow = (address: AddressSchema, isNative: IsNative) =>
  z
    .strictObject({
      key: rowKey.describe('The same for all chains that it connects.'),
      name,
      chain: chainName,
      contracts: z
        .array(address.refine((text) => !isNative(text), 'must not be the zero address'))
        .min(1)
        .describe('Contracts on the chain that take coins in or pay them out.'),
    })
    .describe('A bridge on one chain: a transfer to or from it does not change the owner.')

const priceFeedRow = (address: AddressSchema) =>
  z
    .strictObject({
      chain: chainName,
      token: address.describe('The zero address is the native coin.'),
      aggregator: address.describe('A contract with `latestRoundData()` and `decimals()` that answers in USD.'),
      heartbeatSeconds: z.int().min(1).max(31_536_000).describe('An answer older than this is not used.'),
    })
    .describe('A Chainlink-style price feed.')

const priceOverrideRow = (address: AddressSchema) =>
  z
    .strictObject({
      chain: chainName,
      token: address.describe('The zero address, on Solana the system program, is the native coin.'),
      usd: z
        .string()
        .regex(/^(0|[1-9]\d{0,29})(\.\d{1,18})?$/, 'must be a decimal string, at most 18 digits after the point'),
    })
    .describe('A fixed price in USD.')

const baseUrl = url.refine((text) => !/[?#]/.test(text), 'must be without query and fragment')
const relayUrl = (of: string) =>
  baseUrl.describe(`Replaces scheme and host in every call to the ${of}, such as a relay's base URL.`)
const blockscoutUrl = baseUrl.describe(
  "Base URL of the chain's Blockscout, a source of transactions in addition to the nodes.",
)

function configFileOf(chainTypes: ChainTypes) {
  const natives = new Set(chainTypes.chains.map(({ native }) => native.address))
  const isNative = (address: Address) => natives.has(address)
  const anyAddress = addressSchema(chainTypes.list)
  const addressIn = (section: ChainTypeSection) =>
    addressSchema(chainTypes.list.filter(({ sections }) => sections.includes(section)))
  return z
    .strictObject({
      $schema: z.string().optional(),
      chains: z.array(chainRow(addressSchema(chainTypes.list.filter(({ ownChain }) => ownChain)))).default([]),
      tokens: z.array(tokenRow(anyAddress, isNative)).default([]),
      protocols: z.array(protocolRow(addressIn('protocols'))).default([]),
      bridges: z.array(bridgeRow(addressIn('bridges'), isNative)).default([]),
      priceFeeds: z.array(priceFeedRow(addressIn('priceFeeds'))).default([]),
      priceOverrides: z.array(priceOverrideRow(anyAddress)).default([]),
      exchangeUrls: z.record(z.string(), relayUrl('exchange')).default({}).describe('Base URLs by key of an exchange.'),
      blockscoutUrls: z.record(chainName, blockscoutUrl).default({}).describe('Base URLs of explorers by chain.'),
      airdrops: z.array(airdropRowOf(chainTypes)).default([]),
      airdropUrls: z
        .record(z.string(), relayUrl('source'))
        .default({})
        .describe('Base URLs by key of a source of airdrops.'),
    })
    .describe('Coffer: chains, tokens, protocols, bridges, prices, airdrops and relays of the operator.')
}

function airdropRowOf({ list }: ChainTypes): z.ZodType<AirdropSource> {
  const [first, ...others] = list.flatMap(({ airdrops }) => airdrops?.row ?? [])
  if (!first) return z.never()
  return others.length === 0 ? first : z.union([first, ...others])
}

export type ConfigFile = z.output<ReturnType<typeof configFileOf>>
export type FileChain = ConfigFile['chains'][number]

/** USD per unit, as a decimal string. */
export type PriceOverride = ConfigFile['priceOverrides'][number]
export type PriceFeed = ConfigFile['priceFeeds'][number]

export function configFileSchema(chainTypes: ChainTypes): Record<string, unknown> {
  return z.toJSONSchema(configFileOf(chainTypes), { io: 'input', target: 'draft-2020-12' })
}

export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}${text && '.'}${String(part)}`),
    '',
  )
}

/** Throws `ConfigError` with the path inside the file. */
export function parseConfigFile(text: string, chainTypes: ChainTypes): ConfigFile {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new ConfigError('COFFER_CONFIG', 'is not JSON')
  }
  const result = configFileOf(chainTypes).safeParse(json)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw fileError(pathText(issue?.path ?? []) || 'the file', issue?.message ?? 'does not match the schema')
}

export function fileError(path: string, problem: string): ConfigError {
  return new ConfigError('COFFER_CONFIG', `${path}: ${problem}`)
}

const VARIABLE = 'COFFER_LABELS'
const NAMESPACE = 'eip155:'

/** Open Labels Initiative (github.com/openlabelsinitiative/OLI); `chain_id` by CAIP-2. */
const labelFile = z.array(
  z.object({
    chain_id: z.string().regex(/^eip155:(\d+|any)$/, 'must be eip155: and a chain id'),
    address: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be 0x and 40 hex digits'),
    tags: z.object({
      owner_project: z
        .string()
        .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be a project as the Open Labels Initiative names it, like uniswap')
        .optional(),
      usage_category: z.string().optional(),
      is_eoa: z.boolean().optional(),
    }),
  }),
)

/** Keeps a contract's last label. Ignores labels without project or code. */
export function parseLabelFile(text: string, chains: readonly Chain[]): readonly OwnLabel[] {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new ConfigError(VARIABLE, 'is not JSON')
  }
  const result = labelFile.safeParse(json)
  if (!result.success) {
    const [issue] = result.error.issues
    throw new ConfigError(VARIABLE, `${pathText(issue?.path ?? []) || 'the file'}: ${issue?.message}`)
  }
  const keys = new Map(chains.map(({ chainId, key }) => [`${NAMESPACE}${chainId}`, key]))
  return result.data.flatMap(({ chain_id, address, tags: { owner_project, usage_category = 'other', is_eoa } }) => {
    const chain = keys.get(chain_id)
    if (chain === undefined || owner_project === undefined || is_eoa === true) return []
    return [{ chain, address: address.toLowerCase(), protocol: owner_project, category: usage_category }]
  })
}
