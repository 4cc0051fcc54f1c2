import { spawn } from 'node:child_process'

/** A node of one test, with nothing on it. */
export type LocalNode = {
  url: string
  /** Any method of the node, test methods included; its error as an exception. */
  send<T = unknown>(method: string, ...params: unknown[]): Promise<T>
  stop(): Promise<void>
}

export async function startLocalNode(...args: string[]): Promise<LocalNode> {
  const child = spawn('anvil', ['--host', '127.0.0.1', '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const port = await new Promise<string>((resolve, reject) => {
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8')
      const found = /Listening on [^\s]*:(\d+)/.exec(printed)?.[1]
      if (found) resolve(found)
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`anvil ended with code ${code}: ${printed}`)))
  })
  child.stdout.removeAllListeners('data').resume()
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    async send<T>(method: string, ...params: unknown[]): Promise<T> {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      const { result, error } = (await response.json()) as { result: T; error?: { message: string } }
      if (error) throw new Error(`${method}: ${error.message}`)
      return result
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
