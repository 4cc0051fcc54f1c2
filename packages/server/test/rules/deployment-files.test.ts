import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { chainTypes } from '../../src/chains/chain-types.ts'
import { sourceVariables } from '../../src/config/config.ts'
import { variables } from '../../src/config/env.ts'

const root = join(import.meta.dirname, '../../../..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')
const guide = read('docs/deployment.md')
const known = new Set<string>([...variables, ...sourceVariables(chainTypes)])

type Service = {
  image?: string
  build?: string
  environment?: Record<string, string>
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  depends_on?: Record<string, unknown>
  deploy?: { replicas: number }
  volumes?: string[]
  configs?: { source: string }[]
}
type Compose = { services: Record<string, Service>; volumes: object; configs?: object }

const compose = (file: string): Compose => parse(read(file), { merge: true })

describe.each(['compose.yaml', 'deploy/compose/compose.yaml'])('%s', (file) => {
  const { services, volumes, configs = {} } = compose(file)
  const all = Object.values(services)

  test('names each foreign image by its digest, and everything else that it has', () => {
    const foreign = all.filter(({ build }) => build === undefined)
    expect(foreign.filter(({ image }) => !/^[a-z/]+:v?\d[\w.-]*@sha256:[0-9a-f]{64}$/.test(image ?? ''))).toEqual([])
    const uses = all.flatMap((service) => [
      ...Object.keys(service.depends_on ?? {}).map((name) => name in services),
      ...(service.configs ?? []).map(({ source }) => source in configs),
      ...(service.volumes ?? []).map((volume) => /^[.]/.test(volume) || (volume.split(':')[0] ?? '') in volumes),
    ])
    expect(uses.length).toBeGreaterThan(2)
    expect(uses).not.toContain(false)
  })

  test('runs Coffer without rights and on a read-only root, with settings that exist', () => {
    const own = all.filter(({ build }) => build !== undefined)
    for (const service of own) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
      expect(Object.keys(service.environment ?? {}).filter((name) => !known.has(name))).toEqual([])
    }
  })

  test('runs the same PostgreSQL', () => {
    expect(services['postgres']?.image).toBe(compose('compose.yaml').services['postgres']?.image)
  })
})

test('the larger compose file runs two APIs and two workers through PgBouncer in transaction mode', () => {
  const { services } = compose('deploy/compose/compose.yaml')
  const roles = Object.values(services).flatMap(({ environment = {}, deploy }) =>
    environment['COFFER_ROLE'] ? [[environment['COFFER_ROLE'], deploy?.replicas, environment['DATABASE_URL']]] : [],
  )
  const url = expect.stringMatching(/@pgbouncer:6432\/coffer$/)
  expect(roles).toEqual([
    ['api', 2, url],
    ['worker', 2, url],
  ])
  expect(read('deploy/compose/pgbouncer.ini')).toMatch(/^listen_port = 6432\n[\s\S]*^pool_mode = transaction$/m)
})

const units = globSync('deploy/systemd/*', { cwd: root }).sort()

test.each(units)('%s is in the guide, and runs a program of this repository', (file) => {
  expect(guide).toContain(basename(file))
  const programs = [...read(file).matchAll(/^ExecStart=\S+ (.*)$/gm)].map(([, args]) => args)
  if (file.endsWith('.timer')) expect(programs).toEqual([])
  else for (const program of programs) expect(program).toMatch(/packages\/server\/src\/main.ts|coffer-admin backup /)
})

test('the units of the service and the image start Node as scripts/run.mjs does', () => {
  const [, heap = ''] = /HEAP = \[(.*)\]/.exec(read('scripts/run.mjs')) ?? []
  const flags = heap.replaceAll(/[',]/g, '')
  expect(flags).toMatch(/^--max-semi-space-size=\d+ --heap-growing-percent=\d+$/)
  const services = units.filter((file) => /coffer(-api|-worker)?\.service$/.test(file))
  expect(services).toHaveLength(3)
  for (const file of services) expect(read(file)).toContain(`bin/node ${flags} packages/server/src/main.ts`)
  expect(read('Dockerfile')).toContain(
    flags
      .split(' ')
      .map((flag) => `"${flag}"`)
      .join(', '),
  )
})
