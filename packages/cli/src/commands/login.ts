import { defineCommand } from '../command.ts'
import { usageProblem } from '../problem.ts'
import { openService } from '../service.ts'
import { forgetSettings, parseUrl, storeSettings } from '../settings.ts'

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

export const loginCommand = defineCommand({
  name: 'login',
  about: 'Stores the URL of a service and a key, after a free call with them.',
  operands: 'URL',
  printsRows: false,
  options: {},
  further:
    'The command asks for the key, or reads it from standard input; other users could see it as an argument. It stores the\nkey in a file that only you can read. COFFER_URL and COFFER_API_KEY take precedence over stored values.',
  examples: ['http://127.0.0.1:8080', 'https://coffer.example < key.txt'],
  async run({ operands: [text = ''], host, output }) {
    const url = parseUrl(text)
    const { protocol, hostname } = new URL(url)
    if (protocol === 'http:' && !LOOPBACK.test(hostname)) {
      await output.note(
        `The key goes to ${hostname} unencrypted, and others on the network can read it. Use https:// if possible.`,
      )
    }
    const apiKey = ((await host.ask('Key: ', 'secret')) ?? (await host.input())).trim()
    if (!/^[\x21-\x7e]+$/.test(apiKey)) throw usageProblem('No key was given. A key is a word such as coffer_….')
    const credits = await openService(host, { url, apiKey }).client.getCredits({}, { signal: host.signal })
    const file = storeSettings(host.env, { url, apiKey })
    await output.note(`The key is valid: ${credits} credits are left. It is stored in ${file}.`)
    if (host.env['COFFER_URL'] || host.env['COFFER_API_KEY']) {
      await output.note('COFFER_URL or COFFER_API_KEY is set and takes precedence over stored values.')
    }
  },
})

export const logoutCommand = defineCommand({
  name: 'logout',
  about: 'Removes the stored key. It stays valid until it is revoked.',
  operands: '',
  printsRows: false,
  options: {},
  examples: [''],
  async run({ host, output }) {
    await output.note(`Removed ${forgetSettings(host.env)}. The key itself stays valid until it is revoked.`)
  },
})
