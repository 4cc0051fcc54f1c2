import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { type Env, processEnv } from '../../src/config/env.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** `env` adds to the variables of this process. */
export type Chromium = { executable: string; env: Env }

/** `COFFER_CHROMIUM`, the system's, or that of an npm package (Linux on x64). */
type Found = { executable: string } | { packaged: string } | undefined

function find(): Found {
  const { COFFER_CHROMIUM, PATH = '' } = processEnv()
  if (COFFER_CHROMIUM) return { executable: COFFER_CHROMIUM }
  const paths = PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)))
  const executable = paths.find((path) => existsSync(path))
  if (executable !== undefined) return { executable }
  return process.platform === 'linux' && process.arch === 'x64' ? packaged() : undefined
}

function packaged(): Found {
  try {
    return { packaged: dirname(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium'))) }
  } catch {
    return undefined
  }
}

export const hasChromium = (): boolean => find() !== undefined

export function findChromium(): Chromium {
  const found = find()
  if (found === undefined) {
    throw new Error('no Chromium was found: name one in COFFER_CHROMIUM, or install one where PATH finds it')
  }
  return 'executable' in found ? { ...found, env: {} } : unpacked(found.packaged)
}

/** Unpacks once, with libraries and fonts: needs nothing else of the system, and pages look alike on every machine. */
function unpacked(from: string): Chromium {
  const { version } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as { version: string }
  const cache = fileURLToPath(new URL('../../../../node_modules/.cache', import.meta.url))
  const folder = join(cache, `chromium-${version}`)
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true })
    const partial = mkdtempSync(join(cache, 'chromium-'))
    const bytesOf = (name: string) => brotliDecompressSync(readFileSync(join(from, 'bin', name)))
    writeFileSync(join(partial, 'chromium'), bytesOf('chromium.br'), { mode: 0o755 })
    for (const name of ['al2023.tar.br', 'fonts.tar.br']) {
      execFileSync('tar', ['-x', '-C', partial], { input: bytesOf(name) })
    }
    writeFileSync(join(partial, 'fonts.conf'), fontSettings(folder))
    settle(partial, folder)
  }
  return {
    executable: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  }
}

/** The package's own settings name folders of another system. */
const fontSettings = (folder: string) =>
  `<fontconfig><dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'cache')}</cachedir></fontconfig>`

/** The first of several processes wins. */
function settle(partial: string, folder: string): void {
  try {
    renameSync(partial, folder)
  } catch (error) {
    rmSync(partial, { recursive: true })
    if (!existsSync(folder)) throw error
  }
}
