import { execFileSync } from 'node:child_process'
import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { runUserCommand } from '../run.ts'

async function scriptFor(shell: string): Promise<string> {
  let script = ''
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      script += chunk
      done()
    },
  })
  const host = {
    env: {},
    stdout,
    stderr: stdout,
    columns: undefined,
    errorColumns: undefined,
    fetch: globalThis.fetch,
    ask: async () => undefined,
    input: async () => '',
    signal: new AbortController().signal,
  }
  expect(await runUserCommand(['completion', shell], host)).toBe(0)
  return script
}

test.each([
  [['coffer', 'po'], ['portfolio']],
  [['coffer', 'do'], ['doctor']],
  [
    ['coffer', 'wallet', 'l'],
    ['list', 'label', 'leave'],
  ],
  [['coffer', 'wallet', 'list', '--j'], ['--json']],
  [['coffer', 'nav', '0x', '--cu'], ['--currency']],
  [
    ['coffer', 'export', '--fo'],
    ['--format', '--force'],
  ],
  [['coffer', 'export', 'g'], ['gains']],
  [
    ['coffer', 'webhook', 're'],
    ['remove', 'replay'],
  ],
  [['coffer', 'alert', 'add', '--b'], ['--below']],
])('bash completes %j by %j', async (words, expected) => {
  const typed = words.map((word) => `'${word}'`).join(' ')
  const asked = `COMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _coffer; printf '%s\\n' "\${COMPREPLY[@]}"`
  const printed = execFileSync('bash', ['-c', `${await scriptFor('bash')}\n${asked}`], { encoding: 'utf8' })
  expect(printed.trim().split('\n').sort()).toEqual(expected.toSorted())
})

test('zsh takes the same, fish a line for each word and option', async () => {
  expect(await scriptFor('zsh')).toContain(await scriptFor('bash'))
  const lines = (await scriptFor('fish')).trim().split('\n')
  expect(lines.filter((line) => !line.startsWith('complete -c coffer -n '))).toEqual([])
  expect(lines).toContainEqual(expect.stringContaining('-l currency -r'))
})
