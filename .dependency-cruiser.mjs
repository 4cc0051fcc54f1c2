const server = '^packages/server/src'
const test = '[.](test|bench)[.]ts$'

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
    only('chains', ['domain', 'lib'], 'chains speak to nodes; they know nothing above them.'),
    only(
      'prices',
      ['domain', 'lib', 'chains'],
      'A price source reads feeds, pools or an API; it knows no protocol, no database, no HTTP server.',
    ),
    only(
      'protocols',
      ['domain', 'chains', 'lib'],
      'A family reads contracts and returns positions. It knows no prices, no database, no clock.',
    ),
    only('db', ['lib'], 'db knows tables and migrations, not what they mean.'),
    only('jobs', ['lib', 'db'], 'jobs run what they are given.'),
    only(
      'config',
      ['lib', 'domain', 'chains', `${server}/protocols/adapter[.]ts`],
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
        'chains',
        'prices',
        'protocols',
        `${server}/http/mount[.]ts`,
      ],
      'A feature stands on domain, db and the ports; it is wired in context.ts.',
    ),
    {
      name: 'no-sibling-family',
      severity: 'error',
      comment: 'Families do not import each other; a fork is a catalog row.',
      from: { path: `${server}/protocols/families/([^./]+)` },
      to: { path: `${server}/protocols/families/`, pathNot: `${server}/protocols/families/$1[.]` },
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
      comment: 'Only *-routes.ts may import http/, and only for types.',
      from: { path: `${server}/features/`, pathNot: `-routes[.]ts$|${test}` },
      to: { path: `${server}/http/|node_modules/fastify/` },
    },
    {
      name: 'contract-is-a-leaf',
      severity: 'error',
      comment: 'contract imports nothing of ours.',
      from: { path: '^packages/contract/' },
      to: { path: '^packages/(server|client|devnet)/' },
    },
    {
      name: 'client-knows-the-contract-only',
      severity: 'error',
      comment: 'client speaks the contract; never the server.',
      from: { path: '^packages/client/' },
      to: { path: '^packages/(server|devnet)/' },
    },
    {
      name: 'devnet-stands-alone',
      severity: 'error',
      comment: 'devnet imports nothing of ours.',
      from: { path: '^packages/devnet/' },
      to: { path: '^packages/(server|client|contract)/' },
    },
    {
      name: 'product-needs-no-devnet',
      severity: 'error',
      comment: 'devnet is for tests; nothing that ships imports it.',
      from: { path: '^packages/(server|client|contract)/src/', pathNot: test },
      to: { path: '^packages/devnet/' },
    },
    {
      name: 'only-entry-points-compose',
      severity: 'error',
      comment: 'context.ts is the composition root; only main.ts, bin/ and tests import it.',
      from: { path: `${server}/(?!main[.]ts|context[.]ts|bin/)`, pathNot: test },
      to: { path: `${server}/context[.]ts$` },
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
