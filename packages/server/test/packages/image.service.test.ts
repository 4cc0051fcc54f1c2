import { chownSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '../database.ts'
import { startFailingNode } from '../processes/failing-node.ts'
import { getOnce } from '../processes/http-get.ts'
import { readyAt, startProgram } from '../processes/service-process.ts'
import { started } from '../started.ts'
import { bytesOf, imageInstructions, layOutImage } from './image.ts'
import { root } from './packed.ts'

/** The image is at most 400 MB, and `debian:bookworm-slim` has 75 of them. */
const MOST_BYTES = 325e6
/** That of the image. Root may write everywhere: then the service runs as this user. */
const USER = process.getuid?.() === 0 ? { uid: 1000, gid: 1000 } : {}

const image = await layOutImage()
const code = join(image.folder, 'coffer')
const node = await started(startFailingNode(0))
const database = await testDatabase('image')
const dataDir = mkdtempSync(join(tmpdir(), 'coffer-image-data-'))
if (USER.uid) chownSync(dataDir, USER.uid, USER.gid)

afterAll(async () => {
  await database.drop()
  rmSync(dataDir, { recursive: true })
  image.remove()
})

const instructions = imageInstructions()
const wordsOf = (name: string) => instructions.filter((each) => each.name === name).map(({ text }) => text)

test('the image has Debian, Node, the code and the packages that it reads, without npm', () => {
  expect(wordsOf('FROM')).toEqual(['debian:bookworm-slim'])
  expect(bytesOf(image.folder)).toBeLessThan(MOST_BYTES)
  expect(globSync('**/*.test.ts', { cwd: code })).toEqual([])
  expect(globSync('**/*.d.ts', { cwd: join(code, 'node_modules') })).toEqual([])
  expect(existsSync(join(code, 'node_modules/typescript'))).toBe(false)
})

test('it names itself, its licence, its version and its source by the labels of OCI', () => {
  const [labels = ''] = wordsOf('LABEL')
  expect([...labels.matchAll(/org\.opencontainers\.image\.([\w.]+)=/g)].map(([, name]) => name)).toEqual([
    ...['title', 'description', 'licenses', 'base.name', 'version', 'revision', 'created', 'source'],
  ])
})

test('every package with a manifest in the lock file is in the build', () => {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8')
  for (const workspace of workspaces) expect(dockerfile).toContain(`COPY ${workspace}/package.json ${workspace}/`)
})

test('a user that can write only to the data folder starts the service, reads its pages, and runs commands', async () => {
  const [command = ''] = wordsOf('CMD').slice(-1)
  const [program, ...args] = JSON.parse(command) as string[]
  expect([program, wordsOf('USER')]).toEqual(['node', ['coffer']])
  const nodeProgram = join(image.folder, 'usr/local/bin/node')
  const env = {
    PATH: `${join(code, 'node_modules/.bin')}:${join(image.folder, 'usr/local/bin')}:/usr/bin:/bin`,
    NODE_ENV: 'production',
    COFFER_DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    COFFER_CHAINS: 'ethereum',
    COFFER_RPC_ETHEREUM: node.url,
  }
  const service = startProgram(nodeProgram, args, env, { cwd: code, ...USER })
  const { url } = await readyAt(service)
  const [, key = ''] = await service.printed(/shown this once: (coffer_\w+)\n/)
  expect((await getOnce(`${url}/v1/credits`, key)).status).toBe(200)
  expect((await getOnce(`${url}/docs/deployment`, key)).text).toContain('<h1')
  expect((await getOnce(`${url}/`, key)).text).toContain('<script')
  const admin = startProgram('coffer-admin', ['account', 'list'], env, { cwd: code, ...USER })
  expect([await admin.ended, JSON.parse(admin.stdout())]).toMatchObject([0, [{ name: 'owner' }]])
  expect(await service.end('SIGTERM')).toBe(0)
  expect(service.stderr()).not.toMatch(/EACCES|EROFS|ERR_MODULE_NOT_FOUND/)
})
