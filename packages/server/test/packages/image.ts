import {
  chmodSync,
  copyFileSync,
  cpSync,
  globSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, matchesGlob, relative } from 'node:path'
import { root, runIn } from './packed.ts'

type Closure = { productionPackages(): Map<string, object> }

const { productionPackages }: Closure = await import(join(root, 'scripts/production-packages.mjs'))

type Instruction = { name: string; words: readonly string[]; text: string }

/** Of the last stage. */
export function imageInstructions(): Instruction[] {
  const lines = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/ *\\\n */g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const all = lines.map((line) => {
    const [name = '', ...words] = line.split(' ')
    return { name, words, text: words.join(' ') }
  })
  return all.slice(all.findLastIndex(({ name }) => name === 'FROM'))
}

const IGNORED = readFileSync(join(root, '.dockerignore'), 'utf8').trim().split('\n')
const isSent = (file: string) => !IGNORED.some((pattern) => matchesGlob(relative(root, file), pattern))

/** The folder that the `COPY` lines of the last stage make, with the packages of this installation. */
export async function layOutImage(): Promise<{ folder: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'coffer-image-'))
  chmodSync(folder, 0o755)
  const code = join(folder, 'coffer')
  for (const { words } of imageInstructions().filter(({ name }) => name === 'COPY')) {
    const paths = words.filter((word) => !word.startsWith('--from='))
    const sources = paths.slice(0, -1)
    const target = paths.at(-1) ?? ''
    if (sources.length === words.length - 1)
      copySent(sources, join(code, target), target.endsWith('/') || target === './')
    else if (target.startsWith('/')) place(process.execPath, join(folder, target))
    else if (target === 'node_modules') await installPackages(code)
    else await buildPortal(join(code, target))
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

function copySent(sources: readonly string[], target: string, intoFolder: boolean): void {
  for (const source of sources.flatMap((pattern) => globSync(pattern, { cwd: root }))) {
    cpSync(join(root, source), intoFolder ? join(target, basename(source)) : target, {
      recursive: true,
      filter: isSent,
    })
  }
}

/** As `npm ci --omit=dev --workspace=packages/server` and `scripts/unread.mjs`. */
async function installPackages(code: string): Promise<void> {
  for (const path of productionPackages().keys()) placeAll(join(root, path), join(code, path), false)
  placeAll(join(root, 'node_modules/@coffer/server'), join(code, 'node_modules/@coffer/server'))
  for (const name of ['coffer', 'coffer-admin']) {
    placeAll(join(root, 'node_modules/.bin', name), join(code, 'node_modules/.bin', name))
  }
  const unread = join(code, 'scripts/unread.mjs')
  mkdirSync(dirname(unread))
  copyFileSync(join(root, 'scripts/unread.mjs'), unread)
  await runIn(code, process.execPath, unread)
  rmSync(dirname(unread), { recursive: true })
}

async function buildPortal(target: string): Promise<void> {
  await runIn(root, process.execPath, join(root, 'scripts/portal.mjs'))
  cpSync(join(root, 'packages/portal/dist'), target, { recursive: true })
}

function placeAll(from: string, to: string, nested = true): void {
  const entry = lstatSync(from, { throwIfNoEntry: false })
  if (entry?.isSymbolicLink()) {
    mkdirSync(dirname(to), { recursive: true })
    symlinkSync(readlinkSync(from), to)
  } else if (entry?.isDirectory()) {
    for (const name of readdirSync(from))
      if (nested || name !== 'node_modules') placeAll(join(from, name), join(to, name))
  } else if (entry) place(from, to)
}

/** Links where both are on one disk. */
function place(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  try {
    linkSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    copyFileSync(from, to)
  }
}

/** On disk, in blocks. */
export function bytesOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => lstatSync(join(folder, name)))
    .reduce((sum, { blocks }) => sum + blocks * 512, 0)
}
