import { spawn } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

/** Starts the given PgBouncer in transaction mode in front of all databases of the server. Returns its port. */
export async function startPgBouncer(program: string, { folder, server }: { folder: string; server: URL }) {
  const port = await freePort()
  const login = `user=${server.username} password=${decodeURIComponent(server.password)}`
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=${server.hostname} port=${server.port} ${login}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
max_client_conn = 5000
server_idle_timeout = 2
${process.getuid?.() === 0 ? 'user = nobody' : ''}
`,
  )
  chmodSync(folder, 0o755)
  const child = spawn(program, ['-q', file], { stdio: ['ignore', 'ignore', 'inherit'] })
  return { port, stop: () => child.kill('SIGINT') }
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
