import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
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

const commandLine = (options: AnvilOptions, statesFolder: string): string[] => [
  ...['--host', '127.0.0.1', '--port', String(options.port ?? 0), '--chain-id', String(options.chainId)],
  ...['--cache-path', statesFolder],
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

/** Running nodes, each with the folder of its older states: megabytes a block, which it leaves behind when it is killed. */
const running = new Map<ChildProcess, string>()

/** Leaves no node and no states behind when this process ends without having stopped it. */
const track = (child: ChildProcess, statesFolder: string): void => {
  if (running.size === 0) process.on('exit', killAll)
  running.set(child, statesFolder)
  child.once('close', () => {
    remove(statesFolder)
    running.delete(child)
    if (running.size === 0) process.off('exit', killAll)
  })
}

const killAll = (): void => {
  for (const [child, statesFolder] of running) {
    child.kill('SIGKILL')
    remove(statesFolder)
  }
}

const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true })

/** Starts a local node and resolves once it answers. It ends with this process at the latest. */
export const startAnvil = async (options: AnvilOptions): Promise<Anvil> => {
  const statesFolder = mkdtempSync(join(tmpdir(), 'coffer-anvil-'))
  const child = spawn(binaryPath(), commandLine(options, statesFolder), { stdio: ['ignore', 'pipe', 'pipe'] })
  track(child, statesFolder)
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
