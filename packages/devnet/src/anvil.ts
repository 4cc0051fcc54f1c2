import { type ChildProcess, spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { packageFolder } from './artifact.ts'

export type AnvilOptions = {
  chainId: number
  /** Default: a free port. */
  port?: number
  /** From an earlier `dumpState`. */
  loadState?: string
  /** Written on stop. */
  dumpState?: string
  /** Unix seconds of genesis. Default: the present. */
  timestamp?: number
  /** For blocks without a transaction. Default: none. */
  blockTimeSeconds?: number
  /**
   * Older states in memory, some 0.6 MB each. Default: 4,000. Anvil's own default keeps all but 500 on disk: 3 MB each
   * and three times the CPU time per transaction.
   */
  keptStates?: number
  /** E.g. `['--gas-limit', '1000000000']`. */
  args?: readonly string[]
}

/** Fees are zero: a transaction changes native balances only by its value. */
export type Anvil = {
  url: string
  chainId: number
  pid: number
  /** Writes `dumpState` first. */
  stop(): Promise<void>
}

const NODE_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
const NODE_PLATFORMS: Readonly<Record<string, string>> = { linux: 'linux', darwin: 'darwin', win32: 'win32' }
const LISTENING = /Listening on [^\s]*:(\d+)/

const binaryPath = (): string => {
  const platform = NODE_PLATFORMS[process.platform]
  const architecture = NODE_ARCHITECTURES[process.arch]
  if (!platform || !architecture) throw new Error(`anvil has no binary for ${process.platform} ${process.arch}`)
  const anvil = packageFolder('@foundry-rs/anvil')
  const binary = packageFolder(`@foundry-rs/anvil-${platform}-${architecture}`, dirname(anvil))
  return join(binary, 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil')
}

const KEPT_STATES = 4_000

const commandLine = (options: AnvilOptions): string[] => [
  ...['--host', '127.0.0.1', '--port', String(options.port ?? 0), '--chain-id', String(options.chainId)],
  ...['--prune-history', String(options.keptStates ?? KEPT_STATES)],
  ...['--base-fee', '0', '--no-priority-fee', '--accounts', '1'],
  ...(options.loadState ? ['--load-state', options.loadState] : []),
  ...(options.dumpState ? ['--dump-state', options.dumpState] : []),
  ...(options.timestamp === undefined ? [] : ['--timestamp', String(options.timestamp)]),
  ...(options.blockTimeSeconds ? ['--block-time', String(options.blockTimeSeconds), '--mixed-mining'] : []),
  ...(options.args ?? []),
]

/** Rejects with the output if the process ends first. */
const portOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    let printed = ''
    const read = (chunk: Buffer) => {
      printed += chunk.toString('utf8')
      const port = LISTENING.exec(printed)?.[1]
      if (port) resolve(Number(port))
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`anvil ended with code ${code} before it listened: ${printed}`)))
  })

const running = new Set<ChildProcess>()

const track = (child: ChildProcess): void => {
  if (running.size === 0) process.on('exit', killAll)
  running.add(child)
  child.once('close', () => {
    running.delete(child)
    if (running.size === 0) process.off('exit', killAll)
  })
}

const killAll = (): void => {
  for (const child of running) child.kill('SIGKILL')
}

/** Resolves once the node answers. It ends with this process at the latest. */
export const startAnvil = async (options: AnvilOptions): Promise<Anvil> => {
  const child = spawn(binaryPath(), commandLine(options), { stdio: ['ignore', 'pipe', 'pipe'] })
  track(child)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const port = await portOf(child)
  child.stdout.removeAllListeners('data').resume()
  child.stderr.removeAllListeners('data').resume()
  return {
    url: `http://127.0.0.1:${port}`,
    chainId: options.chainId,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
