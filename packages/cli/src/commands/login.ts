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
    'The key is asked for, or read from standard input; as an argument others would see it. It is stored where you alone\ncan read it. COFFER_URL and COFFER_API_KEY are used instead of what is stored.',
  examples: ['http://127.0.0.1:8080', 'https://coffer.example < key.txt'],
  async run({ operands: [text = ''], host, output }) {
    const url = parseUrl(text)
    const { protocol, hostname } = new URL(url)
    if (protocol === 'http:' && !LOOPBACK.test(hostname)) {
      await output.note(
        `The key goes to ${hostname} unencrypted: others on the way can read it. Use https:// where you can.`,
      )
    }
    const apiKey = ((await host.ask('Key: ', 'secret')) ?? (await host.input())).trim()
    if (!/^[\x21-\x7e]+$/.test(apiKey)) throw usageProblem('A key is a word such as coffer_…; none was given.')
    const credits = await openService(host, { url, apiKey }).client.getCredits({}, { signal: host.signal })
    const file = storeSettings(host.env, { url, apiKey })
    await output.note(`The key is valid: ${credits} credits are left. It is stored in ${file}.`)
    if (host.env['COFFER_URL'] || host.env['COFFER_API_KEY']) {
      await output.note('COFFER_URL or COFFER_API_KEY is set, and is used instead of what is stored.')
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
    await output.note(`${forgetSettings(host.env)} is gone. The key itself stays valid until it is revoked.`)
  },
})
