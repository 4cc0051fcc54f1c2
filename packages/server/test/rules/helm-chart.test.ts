import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig } from '../../src/config/config.ts'
import { helm } from '../helm.ts'

const CHART = 'deploy/helm/coffer'
const GIVEN = ['--set', 'existingSecret=coffer']
const root = join(import.meta.dirname, '../../../..')

type Env = { name: string; value: string }
type Probe = { httpGet: { path: string; port: string } }
type Container = {
  image: string
  env: Env[]
  ports: { name: string; containerPort: number }[]
  securityContext: object
  volumeMounts: { name: string; mountPath: string }[]
} & Record<'startupProbe' | 'readinessProbe' | 'livenessProbe', Probe>
type Pod = { spec: Record<string, unknown> & { containers: Container[] }; metadata: { labels: Record<string, string> } }
type Resource = {
  kind: string
  metadata: { name: string }
  spec?: { replicas?: number; selector?: Record<string, unknown>; template?: Pod } & Record<string, unknown>
  data?: Record<string, string>
}

async function rendered(...args: string[]): Promise<Resource[]> {
  const text = await helm('template', 'live', CHART, ...GIVEN, ...args)
  return parseAllDocuments(text).map((each) => each.toJS() as Resource)
}

const namesOf = (resources: Resource[]) => resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()
const podsOf = (resources: Resource[]) =>
  resources.flatMap(({ spec }) => (spec?.template ? [{ ...spec.template, replicas: spec.replicas }] : []))

test('the chart has no fault that Helm sees, and the version of the service', async () => {
  expect(await helm('lint', '--strict', CHART, ...GIVEN)).toContain('1 chart(s) linted, 0 chart(s) failed')
  const { version } = JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8'))
  expect(parse(readFileSync(join(root, CHART, 'Chart.yaml'), 'utf8'))).toMatchObject({ version, appVersion: version })
})

test('by default two APIs and a worker run without rights, with settings that the service accepts', async () => {
  const resources = await rendered()
  expect(namesOf(resources)).toEqual([
    'Deployment live-coffer-api',
    'Deployment live-coffer-worker',
    'PodDisruptionBudget live-coffer-api',
    'Service live-coffer',
  ])
  const pods = podsOf(resources)
  expect(pods.map(({ replicas }) => replicas)).toEqual([2, 1])
  for (const { spec } of pods) {
    const { containers, ...pod } = spec
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      terminationGracePeriodSeconds: 90,
      securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    })
    const [container] = containers as [Container]
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/tmp', '/data'])
    const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe]
    expect(probes.map(({ httpGet }) => httpGet.path)).toEqual(['/livez', '/readyz', '/livez'])
    const config = readConfig(Object.fromEntries(container.env.map(({ name, value }) => [name, value])), () => '')
    const ports = Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, containerPort]))
    expect([config.adminHost, config.adminPort]).toEqual(['0.0.0.0', ports['admin']])
    expect(ports['http']).toBe(config.roles.has('api') ? config.port : undefined)
  }
})

test('the service and the budget select the APIs alone', async () => {
  const resources = await rendered()
  const selectors = resources.flatMap(({ kind, spec }) => {
    if (kind === 'Deployment') return []
    return [(spec?.selector?.['matchLabels'] ?? spec?.selector) as Record<string, string>]
  })
  const selects = (selector: Record<string, string>) =>
    podsOf(resources).map(({ metadata }) =>
      Object.entries(selector).every(([key, value]) => metadata.labels[key] === value),
    )
  expect(selectors.map(selects)).toEqual([
    [true, false],
    [true, false],
  ])
})

test('settings, files, an ingress and a monitor are added on demand', async () => {
  const resources = await rendered(
    ...['--set', 'ingress.enabled=true,ingress.host=api.example,ingress.tlsSecret=tls,podMonitor.enabled=true'],
    ...['--set', 'settings.COFFER_CONFIG=/etc/coffer/coffer.json', '--set-string', 'files.coffer\\.json=\\{\\}'],
  )
  expect(namesOf(resources)).toEqual(
    expect.arrayContaining(['ConfigMap live-coffer', 'Ingress live-coffer', 'PodMonitor live-coffer']),
  )
  expect(resources.find(({ kind }) => kind === 'ConfigMap')?.data).toEqual({ 'coffer.json': '{}' })
  const [api] = podsOf(resources)
  expect(api?.spec.containers[0]).toMatchObject({
    env: expect.arrayContaining([{ name: 'COFFER_CONFIG', value: '/etc/coffer/coffer.json' }]),
    volumeMounts: expect.arrayContaining([{ name: 'files', mountPath: '/etc/coffer', readOnly: true }]),
  })
  const ingress = resources.find(({ kind }) => kind === 'Ingress')?.spec
  expect(ingress).toMatchObject({
    tls: [{ hosts: ['api.example'], secretName: 'tls' }],
    rules: [{ host: 'api.example' }],
  })
})

test.each([
  ['existingSecret=', 'existingSecret'],
  ['replicas=3', "additional properties 'replicas' not allowed"],
  ['settings.DATABASE_URL=x', 'DATABASE_URL'],
  ['settings.COFFER_PORT=1', 'got number, want string'],
  ['ingress.enabled=true', 'host'],
])('the schema of the values refuses %s', async (value, message) => {
  await expect(rendered('--set', value)).rejects.toThrow(message)
})
