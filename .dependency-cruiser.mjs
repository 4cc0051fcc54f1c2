const server = '^packages/server/src'
const test = '[.](test|bench)[.]ts$'
/** The folder of a kind of chain; the other folders of kinds/ are for all of them. */
const kindFolder = `${server}/kinds/(?!(rpc|collect)/)[^/]+/`

/** A folder of the server may import only itself and the folders named. The comment is what a violator reads. */
const only = (folder, allowed, comment) => ({
  name: `${folder}-imports-only`,
  severity: 'error',
  comment,
  from: { path: `${server}/${folder}/`, pathNot: test },
  to: {
    path: '^packages/',
    pathNot: [`${server}/${folder}/`, ...allowed.map((name) => (name.startsWith('^') ? name : `${server}/${name}/`))],
  },
})

export default {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Break the cycle: one of the two knows too much.',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'resolvable',
      severity: 'error',
      comment: 'The import does not resolve.',
      from: {},
      to: { couldNotResolve: true },
    },
    only('lib', [], 'lib imports nothing of ours.'),
    only('domain', ['lib'], 'domain is pure: it imports nothing but lib.'),
    {
      name: 'domain-does-no-io',
      severity: 'error',
      comment: 'domain is pure: no file, no socket, no clock of the system.',
      from: { path: `${server}/domain/`, pathNot: test },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'figures-need-no-clock',
      severity: 'error',
      comment: 'Figures of domain and of families follow from their arguments: no clock, no request of their own.',
      from: { path: `${server}/(domain|kinds/[^/]+/(families|history|distributors))/`, pathNot: test },
      to: { path: `${server}/lib/(clock|http-client)[.]ts$` },
    },
    only(
      'kinds',
      ['^packages/contract/', 'prices', 'domain', 'lib'],
      'A kind of chain speaks to its nodes and knows its protocols; it knows no database, no HTTP server, no feature.',
    ),
    {
      name: 'kinds-stand-apart',
      severity: 'error',
      comment:
        'What every kind has in common is in kinds/ itself, kinds/rpc and kinds/collect; one kind knows nothing of another.',
      from: { path: `${server}/kinds/(?!rpc/|collect/)([^/]+)/`, pathNot: test },
      to: { path: `${server}/kinds/[^/]+/`, pathNot: `${server}/kinds/($1|rpc|collect)/` },
    },
    {
      name: 'what-kinds-share-names-none',
      severity: 'error',
      comment: 'Files of kinds/ itself are for every kind; the list of kinds alone knows them.',
      from: { path: `${server}/kinds/((rpc|collect)/)?[^/]+[.]ts$`, pathNot: [test, `${server}/kinds/kinds[.]ts$`] },
      to: { path: kindFolder },
    },
    {
      name: 'kinds-are-behind-the-port',
      severity: 'error',
      comment: 'What a kind of chain can do is asked of its port, kinds/kind.ts and kinds/kind-reading.ts; tests too.',
      from: { path: `${server}/(?!kinds/)` },
      to: { path: kindFolder },
    },
    {
      name: 'kinds-are-given',
      severity: 'error',
      comment:
        'The list of kinds arrives as an argument; entry points, the composition and the configuration default to it.',
      from: { path: `${server}/`, pathNot: [test, `${server}/(main|context|bin/[^/]+|config/config)[.]ts$`] },
      to: { path: `${server}/kinds/kinds[.]ts$` },
    },
    {
      name: 'nodes-know-no-figures',
      severity: 'error',
      comment: 'What reads nodes knows neither protocols nor prices.',
      from: {
        path: `${server}/kinds/`,
        pathNot: [
          test,
          `${server}/kinds/[^/]+/(families|history|distributors|prices|collect|airdrops)/`,
          `${server}/kinds/(collect/|(kind|kinds|kind-reading|settings)[.]ts$)`,
          `${server}/kinds/[^/]+/(kind|open|open-history)[.]ts$`,
        ],
      },
      to: { path: `${server}/(prices|kinds/[^/]+/(families|history|distributors|prices))/` },
    },
    {
      name: 'protocols-know-no-prices',
      severity: 'error',
      comment:
        'A family reads contracts and returns positions, a history says what a transaction did; they know no prices.',
      from: { path: `${server}/kinds/[^/]+/(families|history|distributors)/`, pathNot: test },
      to: { path: `${server}/(prices|kinds/[^/]+/prices)/` },
    },
    only('beacon', ['domain', 'lib'], 'beacon speaks to beacon nodes; it knows nothing above them.'),
    only('exchanges', ['domain', 'lib'], 'exchanges speak to exchanges; they know nothing above them.'),
    only(
      'prices',
      ['domain', 'lib', `${server}/kinds/chain[.]ts`],
      'Prices are worked out from ports; what reads the state of a chain is in kinds/<kind>/prices.',
    ),
    only(
      'knowledge',
      ['domain', 'lib', 'db', `${server}/kinds/[^/]+[.]ts`],
      'Facts of chains, whatever the wallet, shared by all processes; they know no kind of chain.',
    ),
    only(
      'reading',
      [
        '^packages/contract/',
        'domain',
        'lib',
        'db',
        'prices',
        'knowledge',
        `${server}/kinds/(rpc/|collect/)?[^/]+[.]ts`,
      ],
      'A wallet now and then, as it is stored; it reads through the port of its kind.',
    ),
    {
      name: 'readers-arrive-as-arguments',
      severity: 'error',
      comment:
        'Families and price sources take types of readers; the reader itself is given to them. The code that stands at a wallet is one for both.',
      from: { path: `${server}/kinds/[^/]+/(families|history|distributors|prices)/`, pathNot: test },
      to: {
        path: `${server}/kinds/(rpc|[^/]+/(reader|logs|activity))/|${server}/kinds/[^/]+/[^/]+[.]ts$`,
        pathNot: `${server}/kinds/evm/reader/sale-probe[.]ts$`,
        dependencyTypesNot: ['type-only'],
      },
    },
    only('db', ['lib'], 'db knows tables and migrations, not what they mean.'),
    only('jobs', ['lib', 'db'], 'jobs run what they are given.'),
    only(
      'config',
      ['lib', 'domain', `${server}/kinds/[^/]+[.]ts`, `${server}/exchanges/exchange-list[.]ts`],
      'config reads the environment and decides defaults; it starts nothing.',
    ),
    only('http', ['^packages/contract/', 'lib'], 'Gates and handlers arrive as arguments.'),
    only(
      'features',
      [
        '^packages/contract/',
        'domain',
        'lib',
        'db',
        'jobs',
        'beacon',
        'kinds',
        'knowledge',
        'reading',
        'exchanges',
        'prices',
        `${server}/http/(mount|gates)[.]ts`,
      ],
      'A feature stands on domain, db and the ports; it is wired in context.ts.',
    ),
    {
      name: 'no-sibling-family',
      severity: 'error',
      comment: 'Families do not import each other; a fork is a catalog row. What several need is in families/shared.',
      from: { path: `${server}/kinds/([^/]+/families/[^/]+)/` },
      to: {
        path: `${server}/kinds/[^/]+/families/[^/]+/`,
        pathNot: `${server}/kinds/($1|[^/]+/families/shared)/`,
      },
    },
    {
      name: 'no-foreign-routes-or-store',
      severity: 'error',
      comment: 'Another feature is reached through its use cases, never its routes or store.',
      from: { path: `${server}/features/([^/]+)/` },
      to: { path: `${server}/features/[^/]+/[^/]+-(routes|store)[.]ts$`, pathNot: `${server}/features/$1/` },
    },
    {
      name: 'use-cases-know-no-http',
      severity: 'error',
      comment: 'Only *-routes.ts may import http/mount.ts; http/gates.ts is types that use cases implement.',
      from: { path: `${server}/features/`, pathNot: `-routes[.]ts$|features/module[.]ts$|${test}` },
      to: { path: `${server}/http/|node_modules/fastify/`, pathNot: `${server}/http/gates[.]ts$` },
    },
    {
      name: 'routes-take-types-of-http',
      severity: 'error',
      comment: 'A route file is given to the pipeline; it does not run it.',
      from: { path: `${server}/features/(.*-routes|module)[.]ts$` },
      to: { path: `${server}/http/|node_modules/fastify/`, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'contract-is-a-leaf',
      severity: 'error',
      comment: 'contract imports nothing of ours.',
      from: { path: '^packages/contract/' },
      to: { path: '^packages/(server|client|devnet|beacon-devnet|solana-fixtures)/' },
    },
    {
      name: 'client-knows-the-contract-only',
      severity: 'error',
      comment: 'client speaks the contract; never the server.',
      from: { path: '^packages/client/' },
      to: { path: '^packages/(server|devnet|beacon-devnet|solana-fixtures)/' },
    },
    {
      name: 'devnet-stands-alone',
      severity: 'error',
      comment: 'devnet imports nothing of ours but the fixtures that it places on its chain.',
      from: { path: '^packages/devnet/' },
      to: { path: '^packages/(server|client|contract|beacon-devnet)/' },
    },
    {
      name: 'beacon-devnet-stands-alone',
      severity: 'error',
      comment: 'The beacon chain imports nothing of ours but the local node that it is joined to.',
      from: { path: '^packages/beacon-devnet/' },
      to: { path: '^packages/(server|client|contract|solana-fixtures)/' },
    },
    {
      name: 'fixtures-stand-alone',
      severity: 'error',
      comment: 'Accounts and figures of the protocols: what they are compared with must not come from what is tested.',
      from: { path: '^packages/solana-fixtures/' },
      to: { path: '^packages/(server|client|contract|devnet|beacon-devnet)/' },
    },
    {
      name: 'product-needs-no-devnet',
      severity: 'error',
      comment: 'The devnets and the fixtures are for tests; nothing that ships imports them.',
      from: { path: '^packages/(server|client|contract)/src/', pathNot: test },
      to: { path: '^packages/(devnet|beacon-devnet|solana-fixtures)/' },
    },
    {
      name: 'only-entry-points-compose',
      severity: 'error',
      comment: 'context.ts is the composition root; only main.ts, bin/ and tests import it.',
      from: { path: `${server}/(?!main[.]ts|bin/)`, pathNot: test },
      to: { path: `${server}/context[.]ts$` },
    },
    {
      name: 'the-root-has-two-files',
      severity: 'error',
      comment: 'In the root of src are main.ts and context.ts alone; what a feature adds is in its module.ts.',
      from: { path: `${server}/(?!(main|context)[.]ts$)[^/]+[.]ts$` },
      to: {},
    },
    {
      name: 'modules-are-joined-by-the-context',
      severity: 'error',
      comment:
        'A feature is composed by its module.ts; the list of features and context.ts join modules, a feature takes ports.',
      from: { path: `${server}/(?!context[.]ts$|bin/|features/modules[.]ts$)`, pathNot: test },
      to: { path: `${server}/features/[^/]+/module[.]ts$` },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '[.]schema[.]json$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
}
