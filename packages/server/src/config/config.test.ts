import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { readConfig } from './config.ts'
import type { Env } from './env.ts'

const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const token = `0x${'Ab'.repeat(20)}`
const noFile = () => {
  throw new Error('no such file')
}

function configured(env: Env, file?: unknown) {
  return readConfig(file === undefined ? env : { ...env, COFFER_CONFIG: 'coffer.json' }, () =>
    typeof file === 'string' ? file : JSON.stringify(file),
  )
}

const customChain = {
  key: 'mychain',
  chainId: 424242,
  name: 'My Chain',
  native: { symbol: 'MY' },
  rpcUrls: ['http://10.0.0.1:8545'],
  explorer: 'https://scan.example/',
}

describe('defaults', () => {
  it('reads the ten approval chains from public endpoints, on loopback, with the embedded database', () => {
    const config = readConfig({}, noFile)
    expect([...config.endpoints.keys()].sort()).toEqual(
      'arbitrum avalanche base binance ethereum fantom gnosis linea optimism polygon'.split(' '),
    )
    for (const urls of config.endpoints.values()) expect(urls.length).toBeGreaterThan(0)
    expect(config).toMatchObject({
      ...{ host: '127.0.0.1', port: 8080, adminHost: '127.0.0.1', adminPort: 8081, databaseUrl: null, docs: true },
      databaseReplicaUrl: null,
      ...{ publicUrl: null, securityContacts: [], trustProxy: false, keyPeppers: [], corsOrigins: '*' },
      ...{ logLevel: 'info', logFile: null, roles: new Set(['api', 'worker']) },
      ...{ tokens: [], protocols: [], bridges: [], labels: [] },
    })
    expect(config.dataDir).toMatch(/^\/.*\/data$/)
    expect(config.prices.sources.join(' ')).toBe('override receipt aave chainlink hypercore uniswap pyth solana_pools')
  })

  it('counts an empty value as not set', () => {
    const env = { COFFER_PORT: '', COFFER_CHAINS: ' ', COFFER_RPC_SCROLL: '', DATABASE_URL: '' }
    expect(JSON.stringify(readConfig(env, noFile))).toBe(JSON.stringify(readConfig({}, noFile)))
    expect([...readConfig(env, noFile).endpoints.keys()]).toEqual([...readConfig({}, noFile).endpoints.keys()])
  })

  it('keeps unrequested data for 90 days, or for good', () => {
    expect(readConfig({}, noFile).retentionDays).toBe(90)
    expect(readConfig({ COFFER_RETENTION_DAYS: 'off' }, noFile).retentionDays).toBeNull()
  })

  it('does not mind variables of other programs', () => {
    expect(readConfig({ PATH: '/bin', PORT: 'x', COFFERS: '1' }, noFile).port).toBe(8080)
  })
})

describe('settings', () => {
  it('takes chains by key, alias or id and tries their endpoints in order', () => {
    const config = configured({
      COFFER_CHAINS: 'bsc, 1,ethereum,era',
      COFFER_RPC_ETHEREUM: 'http://127.0.0.1:8545/, https://u:p@rpc.example/key',
    })
    expect([...config.endpoints.keys()]).toEqual(['binance', 'ethereum', 'zksync'])
    expect(config.endpoints.get('ethereum')?.map((url) => url.reveal())).toEqual([
      'http://127.0.0.1:8545/',
      'https://u:p@rpc.example/key',
    ])
  })

  it('takes Citus in place of one PostgreSQL', () => {
    const [DATABASE_URL, COFFER_DATABASE] = ['postgres://db/coffer', 'citus']
    expect([configured({ DATABASE_URL }), configured({ DATABASE_URL, COFFER_DATABASE })]).toMatchObject([
      { isDistributed: false },
      { isDistributed: true },
    ])
  })

  it('takes the optional price sources and their settings', () => {
    const { prices } = configured({
      COFFER_PRICES: 'override,coingecko,defillama',
      COFFER_COINGECKO_KEY: 'k',
      COFFER_DEFILLAMA_URL: 'http://127.0.0.1:9',
    })
    expect(prices.sources).toEqual(['override', 'coingecko', 'defillama'])
    expect(prices.settings.get('COFFER_COINGECKO_KEY')?.reveal()).toBe('k')
    expect(prices.settings.get('COFFER_DEFILLAMA_URL')?.reveal()).toBe('http://127.0.0.1:9')
  })

  it('takes the rest', () => {
    const config = configured({
      DATABASE_URL: 'postgres://coffer:pw@db/coffer',
      DATABASE_REPLICA_URL: 'postgres://coffer:pw@replica/coffer',
      COFFER_DATABASE_CONNECTIONS: '8',
      COFFER_HOST: '0.0.0.0',
      COFFER_RETENTION_DAYS: '30',
      COFFER_PORT: '0',
      COFFER_ADMIN_PORT: '0',
      COFFER_ADMIN_HOST: '::',
      COFFER_DOCS: 'off',
      COFFER_MAX_CONNECTIONS: '100',
      COFFER_MAX_CONNECTIONS_PER_ADDRESS: '10',
      COFFER_UPSTREAM_MEMORY_MB: '64',
      COFFER_PUBLIC_URL: 'https://api.example/coffer/',
      COFFER_SECURITY_CONTACT: 'mailto:security@example.com,https://example.com/report',
      COFFER_CORS_ORIGIN: 'https://app.example,http://localhost:3000',
      COFFER_TRUST_PROXY: '10.0.0.0/8,::1',
      COFFER_KEY_PEPPER: `${'n'.repeat(32)},${'o'.repeat(40)}`,
      COFFER_MASTER_KEY: `${'0F'.repeat(32)}, ${Buffer.alloc(32, 7).toString('base64')}`,
      COFFER_LOG_LEVEL: 'debug',
    })
    expect(config).toMatchObject({
      ...{
        databaseConnections: 8,
        host: '0.0.0.0',
        port: 0,
        adminHost: '::',
        adminPort: 0,
        docs: false,
      },
      ...{ retentionDays: 30, connections: { total: 100, perAddress: 10 }, upstreamBytes: 64_000_000 },
      ...{ publicUrl: 'https://api.example/coffer', trustProxy: ['10.0.0.0/8', '::1'] },
      securityContacts: ['mailto:security@example.com', 'https://example.com/report'],
      corsOrigins: ['https://app.example', 'http://localhost:3000'],
      logLevel: 'debug',
    })
    expect(config.keyPeppers.map((pepper) => pepper.reveal())).toEqual(['n'.repeat(32), 'o'.repeat(40)])
    expect(configured({ COFFER_TRUST_PROXY: 'true' }).trustProxy).toBe(true)
    expect(configured({ COFFER_ROLE: 'worker' }).roles).toEqual(new Set(['worker']))
    expect(config.databaseUrl?.reveal()).toBe('postgres://coffer:pw@db/coffer')
    expect(config.databaseReplicaUrl?.reveal()).toBe('postgres://coffer:pw@replica/coffer')
  })

  it('prints no secret, however the configuration is shown', () => {
    const config = configured({
      DATABASE_URL: 'postgres://coffer:hunter2@db/coffer',
      DATABASE_REPLICA_URL: 'postgres://coffer:hunter2@replica/coffer',
      COFFER_KEY_PEPPER: 'hunter2'.repeat(6),
      COFFER_MASTER_KEY: '68756e74657232'.repeat(5).slice(0, 64),
      COFFER_RPC_BASE: 'https://rpc.example/v2/hunter2',
      COFFER_PRICES: 'defillama,coingecko,jupiter',
      COFFER_DEFILLAMA_URL: 'https://pro.example/hunter2',
      COFFER_COINGECKO_URL: 'https://hunter2.example',
      COFFER_COINGECKO_KEY: 'hunter2',
      COFFER_JUPITER_URL: 'https://hunter2.example',
      COFFER_JUPITER_KEY: 'hunter2',
    })
    const shown = [
      JSON.stringify(config),
      inspect(config, { depth: null, showHidden: true }),
      `${config.databaseUrl} ${config.prices.settings.get('COFFER_COINGECKO_KEY')} ${config.endpoints.get('base')}`,
    ]
    for (const text of shown) {
      expect(text).not.toContain('hunter2')
      expect(text).toContain('[secret]')
    }
  })
})

describe('refusals of the environment', () => {
  it.each<[line: string, message: string]>([
    ['COFFER_POTR=1', 'is not a setting of Coffer (did you mean COFFER_PORT?)'],
    ['COFFER_RPC_BSC=x', 'is not a setting of Coffer'],
    ['COFFER_RPC_ETHERUM=x', 'is not a setting of Coffer (did you mean COFFER_RPC_ETHEREUM?)'],
    ['COFFER_SOMETHING_ELSE_ENTIRELY=x', 'is not a setting of Coffer'],
    ['COFFER_PORT=65536', 'is not a port (0 to 65535)'],
    ['COFFER_PORT=80a', 'is not a port (0 to 65535)'],
    ['COFFER_ADMIN_PORT=-1', 'is not a port (0 to 65535)'],
    ['COFFER_PORT=9000 COFFER_ADMIN_PORT=9000', 'is 9000, the same as COFFER_PORT'],
    ['COFFER_ADMIN_HOST=a\tb', 'is not a host name or IP address'],
    ['COFFER_DOCS=no', 'must be one of on, off'],
    ['COFFER_RETENTION_DAYS=0', 'is not a whole number from 1 to 9999999'],
    ['COFFER_MAX_CONNECTIONS=0', 'is not a whole number from 1 to 9999999'],
    ['COFFER_DATABASE_CONNECTIONS=3', 'is below 4'],
    ['COFFER_DATABASE=mysql', 'is neither postgres nor citus'],
    ['COFFER_DATABASE=citus', 'is citus, so DATABASE_URL has to name the coordinator'],
    [
      'DATABASE_URL=postgres://a/b COFFER_DATABASE=citus DATABASE_REPLICA_URL=postgres://c/b',
      'is not for Citus: a replica of the coordinator has no data of wallets',
    ],
    ['COFFER_HOST=http://x', 'is not a host name or IP address'],
    ['COFFER_ROLE=api,portal', 'must be a list of api, worker'],
    ['COFFER_LOG_LEVEL=loud', 'must be one of fatal, error, warn, info, debug, trace, silent'],
    ['COFFER_PUBLIC_URL=api.example', 'is not a URL that begins with http:// or https://'],
    ['COFFER_PUBLIC_URL=https://a.b/?q', 'must be an origin and a path'],
    ['COFFER_SECURITY_CONTACT=security@a.b', 'must be a list of mailto:'],
    ['COFFER_CORS_ORIGIN=https://a.b/path', 'must be * or a list of origins'],
    ['COFFER_CHAINS=ethereum,etherium', 'names an unknown chain "etherium" (did you mean ethereum?)'],
    [
      'COFFER_RPC_SCROLL=http://127.0.0.1:1',
      'is set, but scroll is not one of the enabled chains: add it to COFFER_CHAINS',
    ],
    ['COFFER_RPC_BASE=http://127.0.0.1:1,http://127.0.0.1:1', 'names the same endpoint twice'],
    ['COFFER_PRICES=override,oracle', 'names "oracle"; the sources are override,'],
    ['COFFER_PRICES=aave,aave', 'names the same source twice'],
    ['COFFER_COINGECKO_KEY=k', 'is set, but coingecko is not one of COFFER_PRICES'],
    ['COFFER_JUPITER_KEY=k', 'is set, but jupiter is not one of COFFER_PRICES'],
    ['COFFER_DEFILLAMA_URL=http://127.0.0.1', 'is set, but defillama is not one of COFFER_PRICES'],
    ['COFFER_CONFIG=missing.json', 'names a file that cannot be read'],
  ])('%s %s', (line, message) => {
    const env = Object.fromEntries(line.split(' ').map((setting) => setting.split(/=(.*)/s)))
    expect(() => readConfig(env, noFile)).toThrow(`${Object.keys(env).at(-1)} ${message}`)
  })

  it('names the variable that is missing, or that conflicts with a default', () => {
    const required = 'COFFER_RPC_SOLANA is required: solana is enabled and has no public endpoint'
    expect(() => readConfig({ COFFER_CHAINS: 'solana' }, noFile)).toThrow(required)
    expect(() => readConfig({ COFFER_PORT: '8081' }, noFile)).toThrow(
      'COFFER_ADMIN_PORT is 8081, the same as COFFER_PORT',
    )
  })

  it.each<[Env, string]>([
    [{ DATABASE_URL: 'mysql://coffer:hunter2@db' }, 'DATABASE_URL is not a URL that begins with postgres://'],
    [
      { DATABASE_REPLICA_URL: 'postgres://coffer:hunter2@replica/coffer' },
      'DATABASE_REPLICA_URL needs DATABASE_URL: the embedded PostgreSQL has no replica',
    ],
    [
      { DATABASE_URL: 'postgres://coffer:hunter2@/coffer?host=/run/postgresql' },
      'DATABASE_URL is not a URL that begins with postgres://',
    ],
    ...[
      'postgres://coffer:pa/hunter2@127.0.0.1:5432/coffer',
      'postgres://coffer:12/hunter2@127.0.0.1:5432/coffer',
      'postgres://coffer:pa?hunter2@127.0.0.1:5432/coffer',
      'postgresql://coffer:pa#hunter2@127.0.0.1:5432/coffer',
      'postgres://coffer:p@hunter2#1@127.0.0.1:5432/coffer',
    ].map((url): [Env, string] => [
      { DATABASE_URL: url },
      'DATABASE_URL has a password with characters that end the host of a URL: write / as %2F',
    ]),
    [
      { COFFER_RPC_BASE: 'https://rpc.example,wss://hunter2' },
      'COFFER_RPC_BASE has an entry (number 2) that is not an http or https URL',
    ],
    [{ COFFER_PRICES: 'defillama', COFFER_DEFILLAMA_URL: 'hunter2' }, 'COFFER_DEFILLAMA_URL is not a URL'],
    [{ COFFER_KEY_PEPPER: 'hunter2' }, 'COFFER_KEY_PEPPER has an entry of less than 32 characters'],
    ...[
      'hunter2',
      '7f'.repeat(31),
      '7f'.repeat(33),
      `0x${'7f'.repeat(31)}`,
      Buffer.alloc(31, 1).toString('base64'),
    ].map((short): [Env, string] => [
      { COFFER_MASTER_KEY: `${'7f'.repeat(32)},${short}` },
      'COFFER_MASTER_KEY has an entry that is not 32 bytes as 64 hexadecimal digits or as base64',
    ]),
    [{ COFFER_MASTER_KEY: '0'.repeat(64) }, 'COFFER_MASTER_KEY has an entry that is all zero'],
    [{ COFFER_MASTER_KEY: Buffer.alloc(32).toString('base64') }, 'COFFER_MASTER_KEY has an entry that is all zero'],
    [{ COFFER_PUBLIC_URL: 'https://u:hunter2@a.b' }, 'COFFER_PUBLIC_URL must be an origin'],
  ])('never repeats a value that may be secret: %j', (env, message) => {
    expect(() => readConfig(env, noFile)).toThrow(message)
    expect(() => readConfig(env, noFile)).not.toThrow(/hunter2/)
  })
})

describe('the file', () => {
  it('adds chains, tokens, protocols and prices', () => {
    const config = configured(
      { COFFER_RPC_MYCHAIN: 'http://127.0.0.1:1' },
      {
        $schema: './coffer-config.schema.json',
        chains: [customChain],
        tokens: [{ chain: 'mychain', address: token, symbol: 'TKN', name: 'Token', decimals: 6 }],
        protocols: [
          { family: 'erc4626', key: 'my_vault', name: 'Vault', chain: 'eth', deployment: { vaults: [token] } },
        ],
        bridges: [{ key: 'span', name: 'Span', chain: 'eth', contracts: [token] }],
        priceFeeds: [{ chain: 'base', token, aggregator: token, heartbeatSeconds: 3600 }],
        priceOverrides: [{ chain: '424242', token, usd: '1.5' }],
      },
    )
    expect(config.endpoints.get('mychain')?.map((url) => url.reveal())).toEqual(['http://127.0.0.1:1'])
    expect(config.endpoints.size).toBe(11)
    expect(config.chains.find((chain) => chain.key === 'mychain')).toMatchObject({
      chainId: '424242',
      family: 'evm',
      native: { symbol: 'MY', name: 'MY', decimals: 18 },
      explorer: { token: 'https://scan.example/token/' },
      multicall3: null,
    })
    const address = token.toLowerCase()
    expect(config.tokens).toEqual([
      { chain: 'mychain', address, symbol: 'TKN', name: 'Token', decimals: 6, listed: true },
    ])
    expect(config.protocols).toEqual([
      { family: 'erc4626', key: 'my_vault', name: 'Vault', chain: 'ethereum', deployment: { vaults: [token] } },
    ])
    expect(config.bridges).toEqual([{ key: 'span', name: 'Span', contracts: { ethereum: [address] } }])
    expect(config.prices.feeds).toEqual([
      { chain: 'base', token: address, aggregator: address, heartbeatSeconds: 3600 },
    ])
    expect(config.prices.overrides).toEqual([{ chain: 'mychain', token: address, usd: '1.5' }])
  })

  it('refuses the zero address as a contract of a bridge', () => {
    const bridges = [{ key: 'span', name: 'Span', chain: 'eth', contracts: [`0x${'0'.repeat(40)}`] }]
    expect(() => configured({}, { bridges })).toThrow(/zero address/)
  })

  it('names tokens of Solana as they are written', () => {
    const config = configured(
      { COFFER_CHAINS: 'solana', COFFER_RPC_SOLANA: 'http://127.0.0.1:1' },
      {
        tokens: [{ chain: 'sol', address: MINT, symbol: 'USDC', name: 'USD Coin', decimals: 6 }],
        priceOverrides: [{ chain: 'solana', token: MINT, usd: '1' }],
      },
    )
    expect(config.tokens).toEqual([
      { chain: 'solana', address: MINT, symbol: 'USDC', name: 'USD Coin', decimals: 6, listed: true },
    ])
    expect(config.prices.overrides).toEqual([{ chain: 'solana', token: MINT, usd: '1' }])
  })

  it('can send the calls to an exchange elsewhere, and never prints where', () => {
    const url = 'https://relay:password@relay.example/binance'
    const { exchangeUrls } = configured({}, { exchangeUrls: { binance: url } })
    expect([...exchangeUrls.keys()]).toEqual(['binance'])
    expect(exchangeUrls.get('binance')?.reveal()).toBe(url)
    expect(inspect(exchangeUrls)).not.toContain('relay')
    expect(configured({}).exchangeUrls.size).toBe(0)
  })

  it('asks explorers only where they were named, and never prints a key', () => {
    const { explorers } = configured(
      { COFFER_ETHERSCAN_API_KEY: 'key-of-mine' },
      { blockscoutUrls: { xdai: 'https://gnosis.example' } },
    )
    expect(explorers.etherscanUrl.reveal()).toBe('https://api.etherscan.io/v2/api')
    expect(explorers.etherscanKey?.reveal()).toBe('key-of-mine')
    expect(explorers.blockscoutUrls.get('gnosis')?.reveal()).toBe('https://gnosis.example')
    expect(inspect(explorers)).not.toMatch(/key-of-mine|example/)
    expect(configured({}).explorers).toMatchObject({ etherscanKey: null, blockscoutUrls: new Map() })
    expect(() => configured({ COFFER_ETHERSCAN_URL: 'https://a.example' })).toThrow('COFFER_ETHERSCAN_API_KEY is not')
  })

  it('enables a chain of its own only when COFFER_CHAINS, if set, names it', () => {
    expect(configured({ COFFER_CHAINS: 'base' }, { chains: [customChain] }).endpoints.has('mychain')).toBe(false)
    expect(configured({ COFFER_CHAINS: 'mychain' }, { chains: [customChain] }).endpoints.size).toBe(1)
  })

  const tokenRow = { chain: 'base', address: token, symbol: 'A', name: 'A', decimals: 18 }
  const tokens = (...changes: object[]) => ({ tokens: changes.map((change) => ({ ...tokenRow, ...change })) })
  const priced = (of: string, ...usd: unknown[]) => ({
    priceOverrides: usd.map((each) => ({ chain: 'base', token: of, usd: each })),
  })
  const withChain = (change: object) => ({ chains: [{ ...customChain, ...change }] })
  const exchange = (url: string) => ({ exchangeUrls: { kraken: url } })
  const explorers = (...keys: string[]) => ({
    blockscoutUrls: Object.fromEntries(keys.map((key) => [key, `https://${key}.example`])),
  })
  const unlocated = { family: 'x', key: 'x', name: 'X', chain: 'solana', deployment: {} }

  it.each<[string, unknown, string]>([
    ['no JSON', '{', 'is not JSON'],
    ['another shape', [], 'the file: '],
    ['an unknown section', { token: [] }, 'the file: Unrecognized key: "token"'],
    ['a bad address', tokens({ address: '0x12' }), 'tokens[0].address: must be 0x and 40'],
    ['the native coin as a token', tokens({ address: `0x${'0'.repeat(40)}` }), 'tokens[0].address: is the native coin'],
    ['a float', tokens({ decimals: 1.5 }), 'tokens[0].decimals: '],
    ['an unknown field', tokens({ logo: 'x' }), 'tokens[0]: Unrecognized key: "logo"'],
    [
      'an unknown chain',
      tokens({}, { chain: 'polygone' }),
      'tokens[1].chain: unknown chain "polygone" (did you mean polygon?)',
    ],
    [
      'a token twice, by another name of its chain',
      tokens({}, { chain: '8453', address: token.toLowerCase() }),
      `tokens[1]: duplicate row for base:${token.toLowerCase()}`,
    ],
    ['a price as a number', priced(token, 1), 'priceOverrides[0].usd: '],
    ['a price of a mint on the EVM', priced(MINT, '1'), 'priceOverrides[0]: is not a token of base'],
    ['a token of the EVM on Solana', tokens({ chain: 'solana' }), 'tokens[0]: is not a token of solana'],
    ['a price twice', priced(token, '1', '2'), 'priceOverrides[1]: duplicate row'],
    [
      'an unknown exchange',
      { exchangeUrls: { kraken: 'https://a.example', binanec: 'https://b.example' } },
      'exchangeUrls: unknown exchange "binanec" (did you mean binance?)',
    ],
    ['no URL', exchange('a.example'), 'exchangeUrls.kraken: must be an http or https'],
    ['a URL with a query', exchange('https://a.example/?to=kraken'), 'exchangeUrls.kraken: must be without query'],
    [
      'an explorer of an unknown chain',
      explorers('gnosys'),
      'blockscoutUrls: unknown chain "gnosys" (did you mean gnosis?)',
    ],
    ['an explorer twice', explorers('gnosis', 'xdai'), 'blockscoutUrls: names a chain twice'],
    ['a chain that ships', withChain({ key: 'base' }), 'chains[0]: key or chainId is'],
    ['an id that ships', withChain({ chainId: 1 }), 'chains[0]: key or chainId is already used by ethereum'],
    ['no chain', withChain({ key: 'cex' }), 'chains[0].key: cex is reserved for assets on'],
    ['a chain twice', { chains: [customChain, customChain] }, 'chains[1]: key or chainId is'],
    ['a protocol on no chain', { protocols: [unlocated] }, 'protocols[0].chain: unknown chain "solana"'],
  ])('refuses %s', (_, file, message) => {
    expect(() => configured({}, file)).toThrow(`COFFER_CONFIG ${message}`)
  })

  it('asks for an endpoint of an enabled chain that has none', () => {
    expect(() => configured({}, { chains: [{ ...customChain, rpcUrls: [] }] })).toThrow(
      'COFFER_RPC_MYCHAIN is required: mychain is enabled and has no public endpoint',
    )
  })
})

describe('COFFER_LABELS', () => {
  const labelled = (file: unknown) =>
    readConfig({ COFFER_LABELS: 'labels.json' }, () => (typeof file === 'string' ? file : JSON.stringify(file))).labels
  const address = `0x${'Ab'.repeat(20)}`
  const label = (tags: object, chain_id = 'eip155:1') => ({ chain_id, address, tags })

  it('takes contracts of known chains with their project and category, and ignores all else', () => {
    const dex = { owner_project: 'some-dex', usage_category: 'dex', contract_name: 'Router', is_contract: true }
    expect(
      labelled([
        label(dex),
        label({ owner_project: 'some-dex' }, 'eip155:8453'),
        label({ owner_project: 'some-dex', is_eoa: true }),
        label({ contract_name: 'Router' }),
        label(dex, 'eip155:999999999'),
        label(dex, 'eip155:any'),
      ]),
    ).toEqual([
      { chain: 'ethereum', address: address.toLowerCase(), protocol: 'some-dex', category: 'dex' },
      { chain: 'base', address: address.toLowerCase(), protocol: 'some-dex', category: 'other' },
    ])
  })

  it.each([
    ['{', 'is not JSON'],
    [{}, 'the file: Invalid input: expected array, received object'],
    [[label({}, 'base')], '[0].chain_id: must be eip155: and a chain id'],
    [[label({}), { ...label({}), address: '0x1' }], '[1].address: must be 0x and 40 hex digits'],
    [[label({ owner_project: 'Some DEX' })], '[0].tags.owner_project: must be a project as'],
  ])('refuses %j', (file, message) => {
    expect(() => labelled(file)).toThrow(`COFFER_LABELS ${message}`)
  })

  it('names a file that cannot be read', () => {
    expect(() => readConfig({ COFFER_LABELS: 'missing.json' }, noFile)).toThrow('COFFER_LABELS names a file')
  })
})
