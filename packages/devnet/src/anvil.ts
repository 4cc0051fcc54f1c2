import { type ChildProcess, spawn } from 'node:child_process'
import { dirname, join } from 'node:path'
import { packageFolder } from './artifact.ts'

export type AnvilOptions = {
  chainId: number
  /** 0, the default, lets the system choose a free one. */
  port?: number
  /** A file that an earlier run wrote through `dumpState`. */
  loadState?: string
  /** Where to write the chain's state when it stops. */
  dumpState?: string
  /** Unix seconds of the genesis block; the present unless told. */
  timestamp?: number
  /** Seconds between blocks that are mined without a transaction; none unless told. */
  blockTimeSeconds?: number
  /**
   * How many older states the node keeps, in memory, some 0.6 MB each; 4,000 unless given. On disk, as Anvil keeps all but
   * 500 by itself, they take 3 MB each and three times the CPU time of a transaction.
   */
  keptStates?: number
  /** Further command line arguments, e.g. `['--gas-limit', '1000000000']`. */
  args?: readonly string[]
}

/** A running local node. Fees are zero: a transaction changes no native balance but by its value. */
export type Anvil = {
  url: string
  chainId: number
  pid: number
  /** Ends the process, after it wrote `dumpState` when that was asked for. */
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

/** Waits for the line that names the port; rejects with what was printed when the process ends before it. */
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

/** Leaves no node behind when this process ends without having stopped it. */
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

/** Starts a local node and resolves once it answers. It ends with this process at the latest. */
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
