import { type ChildProcess, fork, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { processEnv } from '../src/config/env.ts'
import type { Caller } from './cached-wallets.ts'

const fileOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))

type Usage = { cpuMs: number; rssBytes: number }

/** CPU ms per round of an idle process. A profiler takes some. */
const IDLE_MS = 100
const ROUND_MS = 500

export type ServiceProcess = {
  url: string
  usage(): Promise<Usage>
  /** After background work, which would count with the next request. */
  quiet(): Promise<void>
  stop(): Promise<void>
}

/** Like `npm start`, on free ports. The default `rpcUrl` has no node: nothing needs to be read. */
export async function startServiceProcess(
  databaseUrl: string,
  nodeOptions: string,
  rpcUrl = 'http://127.0.0.1:9',
  chain = 'ethereum',
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const settings: SpawnOptions = {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: processEnv()['PATH'],
      NODE_OPTIONS: nodeOptions,
      DATABASE_URL: databaseUrl,
      COFFER_PORT: '0',
      COFFER_ADMIN_PORT: '0',
      COFFER_CHAINS: chain,
      COFFER_LOCAL_CHAINS: chain,
      [`COFFER_RPC_${chain.toUpperCase()}`]: rpcUrl,
      COFFER_LOG_LEVEL: 'warn',
      ...env,
    },
  }
  const child = spawn(process.execPath, [fileOf('../../../scripts/run.mjs'), 'start'], settings)
  if (!child.stdout) throw new Error('the service has no output')
  for await (const line of createInterface({ input: child.stdout })) {
    const [url, adminUrl] = line.match(/https?:\/\/[\w.:[\]-]+\d/g) ?? []
    if (!url || !adminUrl) continue
    child.stdout.resume()
    const usage = () => usageOf(adminUrl)
    return { url, usage, quiet: () => untilIdle(usage), stop: () => stopChild(child) }
  }
  throw new Error('the service ended before it was ready')
}

async function untilIdle(usage: () => Promise<Usage>): Promise<void> {
  for (let before = Number.NEGATIVE_INFINITY; ; ) {
    const { cpuMs } = await usage()
    if (cpuMs - before < IDLE_MS) return
    before = cpuMs
    await wait(ROUND_MS)
  }
}

async function usageOf(adminUrl: string): Promise<Usage> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text()
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? Number.NaN)
  return { cpuMs: figure('process_cpu_seconds_total') * 1000, rssBytes: figure('process_resident_memory_bytes') }
}

export function startWorker(file: string) {
  const child = fork(fileOf(file))
  return {
    async ask<T>(message: object): Promise<T> {
      const ended = new AbortController()
      const { signal } = ended
      child.send(message)
      try {
        const [answer] = await Promise.race([once(child, 'message', { signal }), ending(file, child, signal)])
        return answer as T
      } finally {
        ended.abort()
      }
    },
    stop: () => stopChild(child),
  }
}

async function ending(file: string, child: ChildProcess, signal: AbortSignal): Promise<never> {
  await once(child, 'exit', { signal })
  throw new Error(`${file} ended`)
}

function stopChild(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null) resolve()
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

export type Answer = { status: number; headers: Record<string, string>; body: string }

/** Headers that Node's HTTP layer adds. */
const WRITTEN_BY_NODE = new Set(['connection', 'content-length', 'date', 'keep-alive'])

export async function answerTo(url: string, { path, key }: Caller): Promise<Answer> {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })
  const headers = [...response.headers].filter(([name]) => !WRITTEN_BY_NODE.has(name))
  return { status: response.status, headers: Object.fromEntries(headers), body: await response.text() }
}
