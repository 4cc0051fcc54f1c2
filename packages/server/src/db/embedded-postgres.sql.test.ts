import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { clusterFolder } from '../../test/cluster-folder.ts'
import { HANGS_MS } from '../../test/hangs.ts'
import { deepTest, sized } from '../../test/sized.ts'
import { createJobs } from '../jobs/queue.ts'
import { createLogger } from '../lib/logger.ts'
import { type EmbeddedPostgres, ensurePostgres } from './embedded-postgres.ts'
import { type Machine, thisMachine } from './embedded-postgres-host.ts'
import { findPostmaster, isRunning, ownerOf, readLink } from './embedded-postgres-process.ts'
import { findPrograms, linkedPrograms, type Programs } from './embedded-postgres-programs.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/index.ts'

const HOLDER = join(import.meta.dirname, '../../test/hold-postgres.ts')

let dataDir: string
let cluster: string
let children: ChildProcess[]

/** One cluster, created once, for tests that do not need a first start. */
let made: string

beforeAll(async () => {
  made = newFolder()
  dataDir = made
  const postgres = await ensure()
  await ask(postgres, 'create table made as select 42 as n')
  await postgres.release()
})

afterAll(() => rmSync(made, { recursive: true, force: true }))

beforeEach(() => {
  dataDir = newFolder()
  cluster = join(dataDir, 'postgres')
  children = []
})

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  const postmaster = findPostmaster(cluster)
  if (postmaster && isRunning(postmaster.pid)) {
    process.kill(postmaster.pid, 'SIGQUIT')
    await ended(postmaster.pid)
  }
  rmSync(dataDir, { recursive: true, force: true })
})

/** Not cpSync: it makes folders accessible to others, which PostgreSQL refuses. */
const copyMade = () => execFileSync('cp', ['-a', `${made}/.`, dataDir])

/** The name lets the next run's global setup remove it if this run is killed. */
function newFolder(): string {
  return mkdtempSync(join(clusterFolder(), `coffer-test-${process.pid}-life-`))
}

function ensure(machine: Partial<Machine> = {}, shipped = findPrograms()): Promise<EmbeddedPostgres> {
  return ensurePostgres({
    dataDir,
    durable: false,
    log: () => undefined,
    machine: { ...thisMachine, ...machine },
    shipped,
  })
}

/** Another process with the same folder. */
async function hold(machine: Partial<Machine> = {}) {
  const child = spawn(process.execPath, [HOLDER, dataDir, JSON.stringify(machine)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async () => JSON.parse(String((await lines.next()).value)) as Record<string, string>
  const first = await next()
  return {
    first,
    async release() {
      child.stdin.write('let go\n')
      return (await next())['result']
    },
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

function postmasterPid(): number {
  const found = findPostmaster(cluster)
  if (!found) throw new Error('no server runs')
  return found.pid
}

function ended(pid: number): Promise<unknown> {
  return vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: HANGS_MS, interval: 20 })
}

async function ask(postgres: Pick<EmbeddedPostgres, 'url'>, statement: string) {
  const client = new pg.Client(postgres.url())
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(statement)).rows as unknown[]
  } finally {
    await client.end()
  }
}

describe('the first start', () => {
  test('first starts at once share one cluster and one server', async () => {
    const processes = sized({ small: 3, deep: 6 })
    const holders = await Promise.all(Array.from({ length: processes }, () => hold()))
    const [url] = holders.map(({ first }) => first['url'])
    expect(
      holders.map(({ first }) => first).toSorted((a, b) => String(b['how']).localeCompare(String(a['how']))),
    ).toEqual([{ how: 'started', url }, ...Array.from({ length: processes - 1 }, () => ({ how: 'attached', url }))])
    const results = await Promise.all(holders.map((holder) => holder.release()))
    expect(results.filter((result) => result === 'stopped')).toHaveLength(1)
    expect(readdirSync(dataDir).sort()).toEqual(
      ['', '.lock', '.log', '.password', '.service.password'].map((end) => `postgres${end}`),
    )
  })

  const moments = [
    ['the cluster is being made', () => readdirSync(dataDir).some((name) => name.startsWith('postgres.init-'))],
    ['the server is being started', () => existsSync(join(cluster, 'postmaster.pid'))],
  ] as const
  test.each(moments.slice(0, sized({ small: 1, deep: 2 })))(
    'a process killed while %s keeps nobody else from starting',
    async (_, seen) => {
      const killed = spawn(process.execPath, [HOLDER, dataDir], { stdio: 'ignore' })
      children.push(killed)
      await vi.waitFor(() => expect(seen()).toBe(true), { timeout: HANGS_MS, interval: 1 })
      killed.kill('SIGKILL')
      const others = await Promise.all([hold(), hold()])
      expect(others.map(({ first }) => first['url'])).toEqual([
        expect.stringMatching(/^postgres:/),
        others[0].first['url'],
      ])
      const results = await Promise.all(others.map((holder) => holder.release()))
      expect(results.filter((result) => result === 'stopped')).toHaveLength(1)
      expect(readdirSync(dataDir).filter((name) => name.includes('init'))).toEqual([])
    },
  )
})

test('says why a first start cannot write its files, not what initdb tidied up', async () => {
  // A file size limit simulates a full disk: the same call fails.
  const command = `ulimit -f 2000; exec "${process.execPath}" "${HOLDER}" "${dataDir}"`
  const child = spawn('sh', ['-c', command], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  const [line] = await once(createInterface(child.stdout), 'line')
  expect(JSON.parse(String(line))).toMatchObject({
    error: 'StartupError',
    message: expect.stringMatching(
      /^PostgreSQL could not make its data folder in .+: could not write to file .+: File too large$/,
    ),
  })
})

describe('the life of the embedded PostgreSQL', () => {
  beforeEach(copyMade)

  deepTest('the first starts it, the second attaches, the last one out stops it', async () => {
    const first = await ensure()
    const second = await hold()
    expect([first.how, second.first['how']]).toEqual(['started', 'attached'])
    expect(second.first['url']).toBe(first.url())
    const pid = postmasterPid()

    expect(await first.release()).toBe('left-running')
    expect(isRunning(pid)).toBe(true)
    expect(await second.release()).toBe('stopped')
    expect(isRunning(pid)).toBe(false)
    expect(findPostmaster(cluster)).toBeUndefined()
  })

  test('keeps its data and its rights from one start to the next', async () => {
    const gone = spawn('true')
    await once(gone, 'exit')
    mkdirSync(join(dataDir, `postgres.init-${gone.pid}`, 'cluster'), { recursive: true })
    const first = await ensure()
    expect(readdirSync(dataDir).filter((name) => name.includes('init'))).toEqual([])
    await ask(first, 'create table kept as select 42 as n')
    await expectLoopbackOnly(first)
    await expectFewRights(first)
    const environment = readFileSync(`/proc/${postmasterPid()}/environ`, 'utf8').split('\0')
    expect(environment.map((entry) => entry.split('=')[0]).sort()).not.toContain('HOME')
    expect(await first.release()).toBe('stopped')
    const second = await ensure()
    expect(await ask(second, 'select n from kept')).toEqual([{ n: 42 }])
    await second.release()
  })

  async function expectLoopbackOnly(postgres: EmbeddedPostgres): Promise<void> {
    expect(await ask(postgres, 'show listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }])
    const superuser = { url: () => postgres.adminUrl('coffer') }
    expect(await ask(superuser, 'show unix_socket_directories')).toEqual([{ unix_socket_directories: '' }])
    const outsider = new pg.Client(postgres.url().replace(/:[^:@]+@/, ':guess@'))
    await expect(outsider.connect()).rejects.toMatchObject({ code: '28P01' })
    for (const name of ['postgres.password', 'postgres.service.password', 'postgres.lock']) {
      expect([name, lstatSync(join(dataDir, name)).mode & 0o777]).toEqual([name, 0o600])
    }
  }

  /** The role owns the database and has no other rights. */
  async function expectFewRights(postgres: EmbeddedPostgres): Promise<void> {
    expect(
      await ask(
        postgres,
        `select rolname, rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls,
          (select datdba = pg_roles.oid from pg_database where datname = 'coffer') as owner
        from pg_roles where rolname = current_user`,
      ),
    ).toEqual([
      {
        ...{ rolname: 'coffer_service', rolsuper: false, rolcreatedb: false, rolcreaterole: false },
        ...{ rolreplication: false, rolbypassrls: false, owner: true },
      },
    ])
    await ask(postgres, 'create table taken as select 1 as n')
    for (const statement of [
      `copy taken to program 'cat'`,
      `select pg_read_file('/etc/passwd')`,
      `copy taken from '/etc/passwd'`,
      'create database other',
      'create role other',
      `alter system set work_mem = '1GB'`,
      'set role coffer',
      `alter role coffer_service superuser`,
      `create extension dblink`,
    ]) {
      await expect(ask(postgres, statement), statement).rejects.toMatchObject({ code: '42501' })
    }
  }

  test('takes over, once, what an older build left to the superuser, and what is restored as it later', async () => {
    const first = await ensure()
    const old = { url: () => first.adminUrl('coffer') }
    await ask(first, 'drop schema if exists jobs cascade')
    await migrate({ connection: old.url(), log: () => undefined })
    const jobs = createJobs({ connection: old.url(), log: createLogger({ level: 'silent' }), works: false })
    await jobs.start([])
    await jobs.stop()
    await ask(
      old,
      `create sequence loose; create domain short as text; create type pair as (a int, b int);
        create materialized view kept_view as select 1 as n; create procedure nothing() language sql as 'select 1';
        create aggregate total(int) (sfunc = int4pl, stype = int);
        alter database coffer owner to coffer`,
    )
    await expect(ask(first, 'select from account')).rejects.toMatchObject({ code: '42501' })
    const untrustedContracts = `
      select relname as name from pg_class where relowner <> 'coffer_service'::regrole and relnamespace in (select oid from mine)
      union all select proname from pg_proc where proowner <> 'coffer_service'::regrole and pronamespace in (select oid from mine)
      union all select typname from pg_type where typowner <> 'coffer_service'::regrole and typnamespace in (select oid from mine)
      union all select nspname from pg_namespace where nspowner <> 'coffer_service'::regrole and nspname = 'jobs'`
    const left = `with mine as (select oid from pg_namespace where nspname in ('public', 'jobs')) ${untrustedContracts}`
    expect((await ask(first, left)).length).toBeGreaterThan(100)
    await first.release()

    const others = await Promise.all(Array.from({ length: sized({ small: 1, deep: 2 }) }, () => hold()))
    const next = await ensure()
    expect(new Set([next.url(), ...others.map((other) => other.first['url'])]).size).toBe(1)
    expect(await ask(next, left)).toEqual([])
    // The service's own start changes tables and its queue.
    await migrate({
      connection: next.url(),
      log: () => undefined,
      migrations: {
        ...migrations,
        '9999-later': { up: async (db) => void (await sql`alter table account add column later text`.execute(db)) },
      },
    })
    await ask(next, 'drop schema jobs cascade')
    for (const other of others) await other.release()
    expect(await next.release()).toBe('stopped')
  })

  test('makes a new password for the role where its file was lost', async () => {
    rmSync(join(dataDir, 'postgres.service.password'))
    const postgres = await ensure()
    expect(await ask(postgres, 'select current_user::text as who')).toEqual([{ who: 'coffer_service' }])
    await postgres.release()
  })

  test('outlives a killed process; the next one attaches and stops it in the end', async () => {
    const killed = await hold()
    const pid = postmasterPid()
    await killed.kill()
    const next = await ensure()
    expect(next.how).toBe('attached')
    expect(postmasterPid()).toBe(pid)
    // The killed process's lock ends with its connection, which the server detects itself.
    expect(await next.release()).toBe('stopped')
  })

  test('starts again by itself when the server is killed, with everything committed', async () => {
    const postgres = await ensure()
    await ask(postgres, 'create table kept as select 42 as n')
    const pid = postmasterPid()
    process.kill(pid, 'SIGKILL')
    await vi.waitFor(async () => expect(await ask(postgres, 'select n from kept')).toEqual([{ n: 42 }]), {
      timeout: HANGS_MS,
    })
    expect(postmasterPid()).not.toBe(pid)
    expect(await postgres.release()).toBe('stopped')
  })

  test('recovers after both the process and the server were killed', async () => {
    const killed = await hold()
    const pid = postmasterPid()
    await killed.kill()
    process.kill(pid, 'SIGKILL')
    await ended(pid)
    const next = await ensure()
    expect(next.how).toBe('started')
    expect(await next.release()).toBe('stopped')
  })

  test.each([
    ['another program has the dead server’s number', ['sleep', '600']],
    ['the dead server is a zombie nobody reaps', ['sh', '-c', 'sh -c "echo \\$\\$" & exec sleep 600']],
  ])('starts although %s', async (_, [command = '', ...args]) => {
    const foreign = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(foreign)
    const pid = command === 'sh' ? Number((await once(foreign.stdout, 'data'))[0]) : foreign.pid
    if (command === 'sh') await ended(Number(pid))
    writeFileSync(join(cluster, 'postmaster.pid'), `${pid}\n${cluster}\n1700000000\n5432\n\n127.0.0.1\n1 1\nready   \n`)
    const postgres = await ensure()
    expect(postgres.how).toBe('started')
    expect(await postgres.release()).toBe('stopped')
  })

  test('says in one sentence that another PostgreSQL wrote the data', async () => {
    writeFileSync(join(cluster, 'PG_VERSION'), '17\n')
    await expect(ensure()).rejects.toThrow(/was written by PostgreSQL 17, .* set DATABASE_URL to a PostgreSQL 17[.]$/)
  })

  test('says in one sentence that the data folder cannot be used', async () => {
    dataDir = join(dataDir, 'postgres.password')
    await expect(ensure()).rejects.toThrow(/^The data folder .+ cannot be used \(EEXIST\): .+ COFFER_DATA_DIR[.]$/)
    dataDir = dirname(dataDir)
  })

  test('says in one sentence why the server does not start', async () => {
    writeFileSync(join(cluster, 'postgresql.conf'), 'nonsense = on\n')
    await expect(ensure()).rejects.toThrow(/^PostgreSQL did not start \(.+\); its log is .+ set DATABASE_URL[.]$/)
  })
})

// PostgreSQL refuses to run as root.
describe('programs whose install script did not run', () => {
  let shipped: Programs
  const library = (name: string) => join(shipped.root, 'native/lib', name)

  beforeEach(() => {
    const { root, majorVersion } = findPrograms()
    // Other users may enter it, like a folder of packages.
    const copy = newFolder()
    chmodSync(copy, 0o755)
    shipped = { root: copy, majorVersion }
    cpSync(root, copy, { recursive: true, verbatimSymlinks: true })
    for (const name of readdirSync(library(''))) if (readLink(library(name)) !== undefined) rmSync(library(name))
  })
  afterEach(() => rmSync(shipped.root, { recursive: true, force: true }))

  test('get the links to their libraries, and start', async () => {
    copyMade()
    expect(existsSync(library('libicuuc.so.60'))).toBe(false)
    const first = await ensure({}, shipped)
    expect(await ask(first, 'select 42 as n')).toEqual([{ n: 42 }])
    await first.release()
    expect(readLink(library('libicuuc.so.60'))).toBe('libicuuc.so.60.2')
  })

  test('are copied into the data folder where the user cannot write to the package', () => {
    const isRoot = process.getuid?.() === 0
    chmodSync(library(''), 0o555)
    if (isRoot) chownSync(dataDir, 65_534, 65_534)
    let programs = ''
    try {
      if (isRoot) process.seteuid?.(65_534)
      programs = linkedPrograms(shipped, dataDir)
      expect(linkedPrograms(shipped, dataDir)).toBe(programs)
    } finally {
      if (isRoot) process.seteuid?.(0)
      chmodSync(library(''), 0o755)
    }
    expect(dirname(dirname(programs))).toBe(dataDir)
    expect(execFileSync(join(programs, 'postgres'), ['--version'], { encoding: 'utf8' })).toMatch(
      /^postgres .PostgreSQL. \d/,
    )
    expect(readdirSync(dataDir)).toHaveLength(1)
    expect(existsSync(library('libicuuc.so.60'))).toBe(false)
  })

  test('that do not start: the reason of the system, and a data folder as it was', async () => {
    rmSync(library('libicudata.so.60.2'))
    const { mode, gid } = statSync(dataDir)
    for (const machine of [{}, { unshare: '/bin/false' }]) {
      await expect(ensure(machine, shipped)).rejects.toThrow(
        /^The PostgreSQL that comes with Coffer does not run here [(].*libicudata.so.60: .+[)]: .+ DATABASE_URL .+[.]$/,
      )
    }
    expect(statSync(dataDir)).toMatchObject({ mode, gid })
    expect(readdirSync(dataDir).filter((name) => name.startsWith('programs'))).toEqual([])
  })
})

if (process.getuid?.() === 0) {
  const forbidden = { unshare: '/bin/false' }
  const owners = (): number[] => [ownerOf(realpathSync(cluster))?.uid ?? -1]

  describe('as root', () => {
    test('runs below a folder that only root may enter, and the data stays in it and root’s', async () => {
      copyMade()
      expect(lstatSync(dataDir).mode & 0o777).toBe(0o700)
      const postgres = await ensure()
      expect(owners()).toEqual([0])
      expect(readFileSync(`/proc/${postmasterPid()}/status`, 'utf8')).toMatch(/^Uid:\t0\t0/m)
      expect(await postgres.release()).toBe('stopped')
    })

    deepTest(
      'without user namespaces: as an unprivileged user, the data in the folder where that user can get to it',
      async () => {
        const first = await ensure(forbidden)
        const second = await hold(forbidden)
        expect(second.first['how']).toBe('attached')
        expect(readLink(cluster)).toBeUndefined()
        expect(owners()).not.toEqual([0])
        expect(lstatSync(cluster).mode & 0o777).toBe(0o700)
        expect(await second.release()).toBe('left-running')
        expect(await first.release()).toBe('stopped')
        // Once namespaces are allowed again, the cluster still belongs to that user.
        const later = await ensure()
        expect(await later.release()).toBe('stopped')
      },
    )

    test('without user namespaces below a folder only root may enter: in a place of that user’s own', async () => {
      const outer = dataDir
      const places = mkdtempSync(join(clusterFolder(), `coffer-test-${process.pid}-place-`))
      try {
        chmodSync(places, 0o711)
        dataDir = join(outer, 'data')
        cluster = join(dataDir, 'postgres')
        const machine = { ...forbidden, places: [join(outer, 'nowhere'), outer, places] }
        const first = await ensure(machine)
        expect(dirname(dirname(realpathSync(cluster)))).toBe(realpathSync(places))
        await ask(first, 'create table kept as select 42 as n')
        await first.release()
        const second = await ensure(machine)
        expect(await ask(second, 'select n from kept')).toEqual([{ n: 42 }])
        await second.release()
        rmSync(places, { recursive: true })
        await expect(ensure(machine)).rejects.toThrow(
          /which does not exist any more: restore it, remove .+, or set DATABASE_URL[.]$/,
        )
      } finally {
        rmSync(places, { recursive: true, force: true })
        dataDir = outer
      }
    })

    test('takes over a cluster that root made where namespaces were allowed', async () => {
      copyMade()
      expect(owners()).toEqual([0])
      const postgres = await ensure(forbidden)
      expect(await ask(postgres, 'select n from made')).toEqual([{ n: 42 }])
      expect(owners()).not.toEqual([0])
      expect([readLink(cluster), lstatSync(cluster).mode & 0o777]).toEqual([undefined, 0o700])
      expect(await postgres.release()).toBe('stopped')
    })

    test('with neither namespaces nor a user: one sentence that names DATABASE_URL', async () => {
      await expect(ensure({ ...forbidden, users: ['nosuchuser'] })).rejects.toThrow(
        /^PostgreSQL does not run as root.+ DATABASE_URL .+[.]$/,
      )
    })
  })
}
